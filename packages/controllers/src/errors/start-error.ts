import { ControllerError } from './controller-error.js';

/**
 * 500. Several things stand in the way of the start; nothing was registered. The message numbers
 * them, with an empty line before each.
 */
export class StartError extends ControllerError {
  /** Every problem that was found, in the order of the message. */
  readonly problems: readonly Error[];

  /** @param problems - At least two. */
  constructor(problems: readonly Error[]) {
    const width = String(problems.length).length;
    const texts = problems.map(({ message }, index) => {
      const number = `  ${String(index + 1).padStart(width)}. `;
      return `${number}${message.replaceAll('\n', `\n${' '.repeat(number.length)}`)}`;
    });
    const title = `The controllers cannot start: ${problems.length} problems.`;
    super([title, ...texts].join('\n\n'), { code: 'START_FAILED' });
    this.problems = Object.freeze([...problems]);
  }
}

/**
 * Throws what was found, if anything was: a single problem as itself, several as one
 * {@link StartError}.
 *
 * @throws {ControllerError} 500, unless `problems` is empty.
 */
export function throwProblems(problems: readonly Error[]): void {
  const [first, second] = problems;
  if (first === undefined) return;
  throw second === undefined ? first : new StartError(problems);
}
