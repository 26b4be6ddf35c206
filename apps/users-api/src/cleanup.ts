/** Closes resources in the reverse order of opening. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = [];

  /** Registers a callback that closes a resource. Call it right after opening the resource. */
  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /**
   * Runs every callback once, the last one first. A second call does nothing.
   *
   * @throws {AggregateError} When callbacks fail, after all of them have run.
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
    if (errors.length > 0) throw new AggregateError(errors, 'Failed to close the service.');
  }
}
