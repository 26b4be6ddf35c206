import type { ValidationIssue, ValidationStatus } from '@fairlead/core';
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
  /** The parameter, such as `body field 'name'`. */
  readonly parameter: string;
  /** The method, such as `UsersController.create`. */
  readonly handler: string;
}

/** 400 or 422. The request lacks required parameters. The error body gains `issues`. */
export class MissingParameterError extends ControllerError implements HandlerParameter {
  /** The first missing parameter, such as `body field 'name'`. */
  readonly parameter: string;
  /** The method, such as `UsersController.create`. Clients do not see it. */
  readonly handler: string;
  /** One issue for each missing parameter, whose path is that of the parameter: `['body', 'name']`. */
  readonly issues: readonly ValidationIssue[];

  /**
   * @param target - The first missing parameter and its method.
   * @param issues - One issue for each missing parameter.
   * @param status - The application's `validationStatus`.
   */
  constructor(
    { parameter, handler }: HandlerParameter,
    issues: readonly ValidationIssue[],
    status: ValidationStatus = 400,
  ) {
    const isOnly = issues.length === 1;
    super(isOnly ? `The ${parameter} is required.` : 'Parameters are missing. See issues.', {
      code: 'MISSING_PARAMETER',
      status,
      details: { issues },
    });
    this.parameter = parameter;
    this.handler = handler;
    this.issues = issues;
  }
}

/**
 * 400, when a transform function threw; 500, when a custom parameter's function or a schema threw.
 * `onError` receives both. Clients do not see the `cause`.
 */
export class ParameterInjectionError extends ControllerError implements HandlerParameter {
  /** The parameter, such as `query parameter 'page'`. */
  readonly parameter: string;
  /** The method, such as `UsersController.list`. Clients do not see it. */
  readonly handler: string;

  /**
   * @param target - The parameter and its method.
   * @param cause - The thrown value.
   * @param status - 400 if the client's value may be the cause, or 500.
   */
  constructor({ parameter, handler }: HandlerParameter, cause: unknown, status: 400 | 500 = 400) {
    const message =
      status === 400
        ? `The ${parameter} could not be read. Send a valid value.`
        : `Reading the ${parameter} of ${handler} failed. Correct the function or schema that threw the error in cause.`;
    super(message, { code: 'PARAMETER_INJECTION', status, report: true, cause });
    this.parameter = parameter;
    this.handler = handler;
  }
}
