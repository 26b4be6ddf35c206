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

/** Why a value in a request is not accepted: it is missing, or a validator rejected it. */
export interface ValidationIssue {
  /** The source in the request, the parameter's name if it has one, then keys within the value. */
  readonly path: readonly (string | number)[];
  /** `is required`, or the validator's message. */
  readonly message: string;
}

/** Status of errors for missing and invalid values in a request. */
export type ValidationStatus = 400 | 422;

/** 400 or 422. The request lacks a required parameter. The error body gains `issues`. */
export class MissingParameterError extends ControllerError implements HandlerParameter {
  /** The parameter, as `body field 'name'`. */
  readonly parameter: string;
  /** The method, as `UsersController.create`. Clients do not see it. */
  readonly handler: string;
  /** One issue, whose path is that of the parameter, as `['body', 'name']`. */
  readonly issues: readonly ValidationIssue[];

  /**
   * @param target - The parameter and its method.
   * @param issues - The issue for the parameter.
   * @param status - The plugin's `validationStatus`.
   */
  constructor(
    { parameter, handler }: HandlerParameter,
    issues: readonly ValidationIssue[],
    status: ValidationStatus = 400,
  ) {
    super(`The ${parameter} is required.`, {
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
  /** The parameter, as `query parameter 'page'`. */
  readonly parameter: string;
  /** The method, as `UsersController.list`. Clients do not see it. */
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
        : `Reading the ${parameter} of ${handler} failed. Correct the function or schema that threw the cause.`;
    super(message, { code: 'PARAMETER_INJECTION', status, report: true, cause });
    this.parameter = parameter;
    this.handler = handler;
  }
}

/** 400 or 422. A schema rejected a parameter's value. The error body gains `issues`. */
export class ParameterValidationError extends ControllerError implements HandlerParameter {
  /** The parameter, as `body`. */
  readonly parameter: string;
  /** The method, as `UsersController.create`. Clients do not see it. */
  readonly handler: string;
  /** All issues, in the schema's order. */
  readonly issues: readonly ValidationIssue[];

  /**
   * @param target - The parameter and its method.
   * @param issues - All issues that the schema found.
   * @param status - The plugin's `validationStatus`.
   */
  constructor(
    { parameter, handler }: HandlerParameter,
    issues: readonly ValidationIssue[],
    status: ValidationStatus = 400,
  ) {
    super(`The ${parameter} is not valid. See issues.`, {
      code: 'VALIDATION_FAILED',
      status,
      details: { issues },
    });
    this.parameter = parameter;
    this.handler = handler;
    this.issues = issues;
  }
}
