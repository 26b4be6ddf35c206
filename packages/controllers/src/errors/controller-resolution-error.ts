import { ControllerError } from './controller-error.js';

/**
 * 500. The container cannot supply a controller, a guard or a middleware, or something that one of
 * them depends on. The container's own error is the `cause`.
 */
export class ControllerResolutionError extends ControllerError {
  /**
   * @param subject - What was asked for, as `the controller UsersController`.
   * @param cause - What the container threw or reported.
   */
  constructor(subject: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot resolve ${subject}: ${reason}`, { code: 'CONTROLLER_RESOLUTION', cause });
  }
}
