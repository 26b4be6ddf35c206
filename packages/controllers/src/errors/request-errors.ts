import { ControllerError } from './controller-error.js';

/** 403. A guard denied the request. The error body gains `guard`. */
export class GuardRejectionError extends ControllerError {
  /** Name of the guard. */
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

/** Identifies a parameter of a controller's method. */
export interface HandlerParameter {
  /** The parameter, as `body field 'name'`. */
  readonly parameter: string;
  /** The method, as `UsersController.create`. */
  readonly handler: string;
}

/** One problem that a validator found in a value. */
export interface ValidationIssue {
  /** The source in the request, the parameter's name if it has one, then keys within the value. */
  readonly path: readonly (string | number)[];
  /** The validator's message. */
  readonly message: string;
}

/** 400. The request lacks a required parameter. */
export class MissingParameterError extends ControllerError implements HandlerParameter {
  /** The parameter, as `body field 'name'`. */
  readonly parameter: string;
  /** The method, as `UsersController.create`. */
  readonly handler: string;

  /** @param target - The parameter and its method. */
  constructor({ parameter, handler }: HandlerParameter) {
    super(`The ${parameter} is required by ${handler} and is missing.`, {
      code: 'MISSING_PARAMETER',
      status: 400,
    });
    this.parameter = parameter;
    this.handler = handler;
  }
}

/** 400. A transform or a custom parameter threw. Clients do not see the `cause`. */
export class ParameterInjectionError extends ControllerError implements HandlerParameter {
  /** The parameter, as `query parameter 'page'`. */
  readonly parameter: string;
  /** The method, as `UsersController.list`. */
  readonly handler: string;

  /**
   * @param target - The parameter and its method.
   * @param cause - The thrown value.
   */
  constructor({ parameter, handler }: HandlerParameter, cause: unknown) {
    super(`The ${parameter} of ${handler} could not be read. Send a value that it accepts.`, {
      code: 'PARAMETER_INJECTION',
      status: 400,
      cause,
    });
    this.parameter = parameter;
    this.handler = handler;
  }
}

/** 400. A schema rejected a parameter's value. The error body gains `issues`. */
export class ParameterValidationError extends ControllerError implements HandlerParameter {
  /** The parameter, as `body`. */
  readonly parameter: string;
  /** The method, as `UsersController.create`. */
  readonly handler: string;
  /** All issues, in the schema's order. */
  readonly issues: readonly ValidationIssue[];

  /**
   * @param target - The parameter and its method.
   * @param issues - All issues that the schema found.
   */
  constructor({ parameter, handler }: HandlerParameter, issues: readonly ValidationIssue[]) {
    super(`The ${parameter} of ${handler} is not valid. See issues.`, {
      code: 'VALIDATION_FAILED',
      status: 400,
      details: { issues },
    });
    this.parameter = parameter;
    this.handler = handler;
    this.issues = issues;
  }
}
