import type { Span } from './span.js';

/** The maximum number of entries in a user's history. */
const LENGTH = 60;

/** The recent requests that concern one user, for the message of a violation. */
export class History {
  readonly #entries: { readonly span: Span; readonly text: string; times: number }[] = [];

  add(span: Span, text: string): void {
    const last = this.#entries.at(-1);
    if (last?.text === text) last.times += 1;
    else this.#entries.push({ span, text, times: 1 });
    if (this.#entries.length > LENGTH) this.#entries.shift();
  }

  toString(): string {
    return this.#entries
      .map(({ span, text, times }) => `  ${span.start}-${span.end} ${text}, ${times} times`)
      .join('\n')
      .replaceAll(', 1 times', '');
  }
}
