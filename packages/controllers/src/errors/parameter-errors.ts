import { ControllerError } from './controller-error.js';

/** Which parameter of which method an error is about. */
export interface ParameterPlace {
  /** The parameter for people, as `body field 'name'`. */
  readonly parameter: string;
  /** The method that takes it, as `UsersController.create`. */
  readonly handler: string;
}

/** One thing that a validator found wrong with a value. */
export interface ValidationIssue {
  /** Where in the request: the source, the parameter's name when it has one, then keys within it. */
  readonly path: readonly (string | number)[];
  /** The validator's text. */
  readonly message: string;
}

/** 400. A required parameter of a route method is absent from the request. */
export class MissingParameterError extends ControllerError {
  /** The parameter for people, as `body field 'name'`. */
  readonly parameter: string;
  /** The method that takes it, as `UsersController.create`. */
  readonly handler: string;

  /** @param place - The parameter and its method. */
  constructor(place: ParameterPlace) {
    super(`The ${place.parameter} is required by ${place.handler} and is missing.`, {
      code: 'MISSING_PARAMETER',
      status: 400,
    });
    this.parameter = place.parameter;
    this.handler = place.handler;
  }
}

/** 400. A transform or a custom extractor threw; what it threw is the `cause` and is not shown. */
export class ParameterInjectionError extends ControllerError {
  /** The parameter for people, as `query parameter 'page'`. */
  readonly parameter: string;
  /** The method that takes it, as `UsersController.list`. */
  readonly handler: string;

  /**
   * @param place - The parameter and its method.
   * @param cause - What was thrown.
   */
  constructor(place: ParameterPlace, cause: unknown) {
    super(
      `The ${place.parameter} of ${place.handler} could not be read. Send a value that it accepts.`,
      { code: 'PARAMETER_INJECTION', status: 400, cause },
    );
    this.parameter = place.parameter;
    this.handler = place.handler;
  }
}

/** 400. A schema refused a parameter's value; the error body gains `issues`. */
export class ParameterValidationError extends ControllerError {
  /** The parameter for people, as `body`. */
  readonly parameter: string;
  /** The method that takes it, as `UsersController.create`. */
  readonly handler: string;
  /** Everything that the schema found, in its order. */
  readonly issues: readonly ValidationIssue[];

  /**
   * @param place - The parameter and its method.
   * @param issues - Everything that the schema found.
   */
  constructor(place: ParameterPlace, issues: readonly ValidationIssue[]) {
    super(`The ${place.parameter} of ${place.handler} is not valid. See issues.`, {
      code: 'VALIDATION_FAILED',
      status: 400,
      details: { issues },
    });
    this.parameter = place.parameter;
    this.handler = place.handler;
    this.issues = issues;
  }
}
