import { ControllerError } from './controller-error.js';

/** 403. A guard denied the request; the error body gains `guard`. */
export class GuardRejectionError extends ControllerError {
  /** Name of the guard that denied. */
  readonly guardName: string;

  /** @param guardName - Name of the guard's function, class or token. */
  constructor(guardName: string) {
    super(`Access denied by ${guardName}.`, {
      code: 'GUARD_REJECTED',
      status: 403,
      details: { guard: guardName },
    });
    this.guardName = guardName;
  }
}
