import { ControllerError } from '../errors/controller-error.js';
import { problemText } from '../errors/problem-text.js';

/** Code of the error for a decorator that was compiled as a standard one. */
export const STANDARD_DECORATOR = 'STANDARD_DECORATOR';

/** What to do about it. */
export const EXPERIMENTAL_FIX =
  'set experimentalDecorators: true in tsconfig.json (and emitDecoratorMetadata: true).';

/**
 * Checks that a decorator is called as `experimentalDecorators` has it.
 *
 * @param decorator - Its name, for the message.
 * @param second - Its second argument: a standard decorator is given an object with `kind`.
 * @throws {ControllerError} 500 `STANDARD_DECORATOR`, when it is called as a standard decorator.
 */
export function assertExperimental(decorator: string, second: unknown): void {
  if (typeof second !== 'object' || second === null || !('kind' in second)) return;
  const title = `@${decorator}() was compiled as a standard decorator, which it is not.`;
  throw new ControllerError(problemText({ title, fix: EXPERIMENTAL_FIX }), {
    code: STANDARD_DECORATOR,
  });
}
