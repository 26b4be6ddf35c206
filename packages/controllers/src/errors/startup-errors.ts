import { type CallSite, describeCaller, hideProperties, numberMessages } from '@fairlead/options';
import {
  addLocation,
  ControllerError,
  type Diagnostic,
  describeLocation,
  errorText,
} from './controller-error.js';

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
    super(errorText({ title: `${name} is not a controller.`, fix }), { code: 'NOT_A_CONTROLLER' });
  }
}

/** 500. A controller neither declares nor inherits a method with a route decorator. */
export class NoRoutesError extends ControllerError {
  /**
   * @param name - Name of the controller class.
   * @param location - Where the class is declared, if known.
   */
  constructor(name: string, location?: string) {
    const title = `${name} has no routes.`;
    const fix =
      'decorate a method with @Get(), @Post() or another route decorator, or remove @Controller() from the class.';
    super(errorText({ title, location, fix }), { code: 'NO_ROUTES' });
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
    super(errorText({ title, location, fix }), { code: 'ROUTE_REGISTRATION', ...cause });
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
    super(errorText({ title, location, fix }), { code: 'DISCOVERY_FAILED', ...cause });
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
 * @param call - The location of problems in its arguments.
 * @throws {ControllerError} 500, unless `problems` is empty.
 */
export function throwProblems(problems: readonly Error[], call?: CallSite): void {
  const distinct = [...new Set(problems)];
  const location = call && distinct.some(isInCall) ? describeCaller(call) : undefined;
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

/**
 * Returns the result of a function, or the problems that it throws.
 *
 * @throws Any other error than those of this package.
 */
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
