import { ControllerError } from './controller-error.js';
import { placed } from './problem-text.js';

/**
 * 500. The container cannot supply a controller, a guard, a middleware or an interceptor, or
 * something that one of them depends on. The container's own error is the `cause`.
 */
export class ControllerResolutionError extends ControllerError {
  /**
   * @param subject - What was asked for, as `the controller UsersController`.
   * @param cause - What the container threw or reported.
   * @param place - Where the controller is declared, when that is known.
   */
  constructor(subject: string, cause: unknown, place?: string) {
    const text = placed(`Cannot resolve ${subject}: ${reasonOf(cause)}`, place);
    super(text, { code: 'CONTROLLER_RESOLUTION', cause });
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
