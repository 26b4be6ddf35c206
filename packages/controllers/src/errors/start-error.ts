import { ControllerError } from './controller-error.js';

/** 500. Several things stand in the way of the start; nothing was registered. */
export class StartError extends ControllerError {
  /** Every problem that was found, in the order of the controllers. */
  readonly problems: readonly Error[];

  /** @param problems - At least two. */
  constructor(problems: readonly Error[]) {
    const lines = problems.map(
      (problem, index) => `  ${index + 1}. ${problem.name}: ${problem.message}`,
    );
    super(`The controllers cannot start: ${problems.length} problems.\n${lines.join('\n')}`, {
      code: 'START_FAILED',
    });
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
