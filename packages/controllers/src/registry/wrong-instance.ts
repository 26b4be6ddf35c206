import { ControllerResolutionError } from '../errors/controller-resolution-error.js';

/**
 * Makes the error for an instance that cannot be used as what it was asked for.
 *
 * @param expected - What it should have been, without an article.
 * @param subject - Text for people of what was asked for.
 * @param instance - What the container supplied.
 */
export function wrongInstance(
  expected: string,
  subject: string,
  instance: unknown,
): ControllerResolutionError {
  const problem = `the container supplies ${describe(instance)}, which is no ${expected}. Register one.`;
  return new ControllerResolutionError(subject, problem);
}

function describe(value: unknown): string {
  if (typeof value === 'function') return `the function ${value.name}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object of ${value.constructor?.name ?? 'no class'}`;
}
