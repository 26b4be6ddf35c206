/** What is timed, over and over. When it returns a promise, the promise is awaited. */
export interface Operation {
  (): unknown;
  /** Makes new input, which is not timed, and says how many calls it is for. */
  renew?(): number;
}

/** What a file in `subjects/` exports: each gets ready, and returns what is timed. */
export interface SubjectModule {
  readonly operations: Readonly<Record<string, (() => Operation) | undefined>>;
}
