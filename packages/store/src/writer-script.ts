/** What the thread of a writer runs. */
export interface WriterScript {
  readonly script: string | URL;
  /** Whether `script` is code instead of the URL of a file. */
  readonly eval: boolean;
}

/** Returns what the thread runs. The build replaces this module by one that contains the code, which bundles keep. */
export function writerScript(): WriterScript {
  return { script: new URL('./writer-worker.ts', import.meta.url), eval: false };
}
