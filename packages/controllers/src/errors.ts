import { channel } from 'node:diagnostics_channel';
import {
  HttpError,
  type HttpErrorOptions,
  type ValidationIssue,
  type ValidationStatus,
} from '@fairlead/core';
import {
  describeFile,
  describeValue,
  findOptionProblems,
  hideProperties,
  joinWords,
  type Kinds,
  type Locate,
  numberMessages,
} from '@fairlead/options';

/** Options of a {@link ControllerError}. Its code is `CONTROLLER_ERROR` by default. */
export interface ControllerErrorOptions extends Omit<HttpErrorOptions, 'expose' | 'headers'> {
  /** Status from 400 to 599; 500 by default. */
  readonly status?: number;
}

/** The base class of this package's errors; 500 unless a subclass sets another status. */
export class ControllerError extends HttpError {
  /**
   * @param message - What failed, where, and how to fix it.
   * @param options - Status, code, report, details and cause.
   */
  constructor(message: string, options: ControllerErrorOptions = {}) {
    const { code = 'CONTROLLER_ERROR', status = 500, ...others } = options;
    super(status, message, { code, ...others });
  }
}

/** What is wrong with a route or a file, and how to fix it. */
export interface Diagnostic {
  /** A sentence. */
  readonly problem: string;
  /** An imperative sentence that begins in lower case; absent if the problem states the fix. */
  readonly fix?: string;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** Formats a message like the container's errors: a sentence, then lines for location and fix. */
export function errorText(title: string, fix?: string, location?: string): string {
  const text = addLocation(title, location);
  return fix === undefined ? text : `${text}\n  Fix: ${fix}`;
}

/** Inserts a location below the first line of a message. */
export function addLocation(text: string, location: string | undefined): string {
  return location === undefined ? text : text.replace(/\n|$/, (end) => `\n  At: ${location}${end}`);
}

/** Formats a location in the source, as `src/users.ts:12:1`. The position is a line, or line and column. */
export function describeLocation(file: string, position?: string): string {
  const shown = describeFile(file);
  return position === undefined ? shown : `${shown}:${position}`;
}

/** Joins names for a message. Of more than three, it shows two: `a, b and 8 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  return joinWords(shown, 'and');
}

/** Explains that a call cannot use a value. */
export function refuse(call: string, value: unknown, as: string, fix: string): Diagnostic {
  return { problem: `${call} cannot use ${describeValue(value)} as ${as}.`, fix };
}

/** Explains that a container returned an instance which is not what a route needs: `a function (ctx, next)`, for example. */
export function explainInstance(expected: string, instance: unknown): string {
  const reason = `the container returned ${describeValue(instance)}, which is not ${expected}.`;
  return errorText(reason, `register ${expected}. In a test, also check the overrides.`);
}

/** The `code` of an error from Node.js or a container; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export function optionError(message: string): ControllerError {
  return new ControllerError(message, { code: 'INVALID_OPTION' });
}

/** Finds everything that is wrong with the options of a call, such as `registerController()`. */
export function findOptionErrors<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): ControllerError[] {
  return findOptionProblems(call, options, kinds).map(optionError);
}

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

/** 500. A class passed as a controller has no `@Controller()`. */
export class NotAControllerError extends ControllerError {
  /**
   * @param name - Name of the class, or text for a value that is not a class.
   * @param fix - An imperative sentence that begins in lower case.
   */
  constructor(
    name: string,
    fix = 'decorate the class with @Controller(), or remove it from the list.',
  ) {
    super(errorText(`${name} is not a controller.`, fix), { code: 'NOT_A_CONTROLLER' });
  }
}

/** 500. A controller neither declares nor inherits a method with a route decorator. */
export class NoRoutesError extends ControllerError {
  /**
   * @param name - Name of the controller class.
   * @param location - Where the class is declared, if known.
   * @param fix - An imperative sentence that begins in lower case.
   */
  constructor(
    name: string,
    location?: string,
    fix = 'decorate a method with @Get(), @Post() or another route decorator, or remove @Controller() from the class.',
  ) {
    const title = `${name} has no routes.`;
    super(errorText(title, fix, location), { code: 'NO_ROUTES' });
  }
}

/** 500. A route cannot be registered: one of its decorators is wrong, or it collides with another. */
export class RouteRegistrationError extends ControllerError {
  /** The method that declares the route, such as `UsersController.create`; or the class, for all routes. */
  readonly handler: string;

  /**
   * @param handler - The method that declares the route, such as `UsersController.create`; or the class.
   * @param diagnostic - What is wrong with the route. The cause is the router's error.
   * @param location - Where the controller is declared, if known.
   */
  constructor(handler: string, { problem, fix, ...cause }: Diagnostic, location?: string) {
    const subject = handler.includes('.') ? `route ${handler}` : `routes of ${handler}`;
    const title = `Cannot register the ${subject}: ${problem}`;
    super(errorText(title, fix, location), { code: 'ROUTE_REGISTRATION', ...cause });
    this.handler = handler;
  }
}

/**
 * 500. The container cannot resolve a controller, a guard, a middleware, an interceptor, or one of
 * their dependencies. The container's error is the `cause`.
 */
export class ControllerResolutionError extends ControllerError {
  /**
   * @param requirement - What the container should resolve, such as `the controller UsersController`.
   * @param cause - The container's error, or a message.
   * @param location - Where the controller is declared, if known. Unused if the cause names a place.
   */
  constructor(requirement: string, cause: unknown, location?: string) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text = `Cannot resolve ${requirement}: ${reason}`;
    const shown = text.includes('\n  At: ') ? text : addLocation(text, location);
    super(shown, { code: 'CONTROLLER_RESOLUTION', cause });
  }
}

/**
 * 500. The discovery root is missing, a file below it cannot be imported, or the routes of one of its
 * classes would be missing.
 */
export class DiscoveryError extends ControllerError {
  /** Absolute path of the file or directory; of the first, if there are several. */
  readonly file: string;

  /**
   * @param file - Absolute path of the file or directory.
   * @param diagnostic - What is wrong with it. The cause is the error that importing the file threw.
   * @param location - Where to correct it, such as `src/users.ts:12:1`; the file by default.
   */
  constructor(
    file: string,
    { problem, fix, ...cause }: Diagnostic,
    location: string = describeLocation(file),
  ) {
    const title = `Discovery failed: ${problem}`;
    super(errorText(title, fix, location), { code: 'DISCOVERY_FAILED', ...cause });
    this.file = file;
  }
}

/** 500. Several problems prevent the startup, and nothing was registered. The message numbers them. */
export class StartError extends ControllerError {
  /** All problems, in the order of the message. */
  readonly problems: readonly Error[];

  /** @param problems - At least two. */
  constructor(problems: readonly Error[]) {
    const title = `The controllers cannot start: ${problems.length} problems.`;
    const messages = problems.map(({ message }) => message);
    super(numberMessages(title, messages), { code: 'START_FAILED' });
    this.problems = Object.freeze([...problems]);
    printOnce(this);
  }
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** A line of a stack outside of Fairlead and Node.js. */
const CALLER = /^ +at (?!.*(?:[\\/]@fairlead[\\/]|node:)).*$/m;

/**
 * Makes Node.js print an error's message once, with the line of the program that started the application:
 * without the other lines of the stack, and without properties that repeat the message.
 */
function printOnce(error: ControllerError): void {
  const { name, code, message, stack = '', cause } = error;
  const [caller] = CALLER.exec(stack.slice(stack.indexOf(message) + message.length)) ?? [];
  const text = caller === undefined ? message : `${message}\n${caller}`;
  hideProperties(error, ...Object.keys(error).filter((key) => key !== 'code'));
  Object.defineProperties(error, {
    stack: { value: `${name}: ${text}` },
    [INSPECT]: { value: () => `${name} [${code}]: ${text}`, configurable: true },
  });
  // Node prints the value of a cause even if it is not enumerable.
  if (cause !== undefined) Object.defineProperty(error, 'cause', { get: () => cause });
}

/**
 * Throws a single problem as is, and several as one {@link StartError}. Several classes may share a problem.
 *
 * @param locate - Finds the location of problems in its arguments.
 */
export function throwProblems(problems: readonly Error[], locate?: Locate): void {
  const distinct = [...new Set(problems)];
  const location = locate && distinct.some(isInCall) ? locate() : undefined;
  for (const problem of distinct.filter(isInCall)) {
    problem.message = addLocation(problem.message, location);
  }
  const [first, second] = distinct;
  if (first === undefined) return;
  if (second !== undefined) throw new StartError(distinct);
  if (first instanceof ControllerError) printOnce(first);
  throw first;
}

/** Whether an argument of a call is the problem, and not a decorator, whose location is in the message. */
function isInCall({ code, message }: Error & { readonly code?: unknown }): boolean {
  return /^(INVALID_OPTION|NOT_A_CONTROLLER)$/.test(String(code)) && !message.includes('\n  At: ');
}

/** Returns the result of a function, or the problems that it throws. Other errors propagate. */
export function attempt<T>(run: () => T): {
  readonly value?: T;
  readonly problems: readonly Error[];
} {
  try {
    return { value: run(), problems: [] };
  } catch (error) {
    if (error instanceof StartError) return { problems: error.problems };
    if (error instanceof ControllerError) return { problems: [error] };
    throw error;
  }
}

const warningChannel = channel('fairlead:warning');

/**
 * Publishes warnings on the diagnostics channel `fairlead:warning`, then passes them to a function, unless a
 * subscriber has printed them and set `printed`.
 */
export function published(warn: (message: string) => void): (message: string) => void {
  return (message) => {
    const warning = { message, printed: false };
    warningChannel.publish(warning);
    if (!warning.printed) warn(message);
  };
}
