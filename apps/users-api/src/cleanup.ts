/** What has been opened and is to be closed, the last first. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = [];

  /** Adds what lets go of something, just after it was opened. */
  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /**
   * Closes all that was opened; a second call finds nothing left.
   *
   * @throws {AggregateError} When steps failed; the others have run all the same.
   */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.#steps.splice(0).toReversed()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'The service could not be closed.');
  }
}
