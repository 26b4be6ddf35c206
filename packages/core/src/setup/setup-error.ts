import { atLine, hideProperties, numberMessages } from '@fairlead/options';

/** An error in the setup or startup of an application, or in the options of a call in a handler. */
export class SetupError extends Error {
  /** Stable upper-snake identifier. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Two equivalent patterns were registered for one method. */
export class RouteConflictError extends SetupError {
  /** The method of both routes. */
  readonly method: string;
  /** The pattern that was registered first. */
  readonly existing: string;
  /** The conflicting pattern. */
  readonly added: string;

  /**
   * @param method - The method of both routes.
   * @param existing - The pattern that was registered first.
   * @param added - The conflicting pattern.
   * @param details - What follows the fix: a sentence, then lines with locations, such as `At: src/app.ts:12:1`.
   */
  constructor(method: string, existing: string, added: string, details = '') {
    super(
      'ROUTE_CONFLICT',
      `${method} ${added} matches the same paths as ${method} ${existing}, which is already registered. Remove one of them or change its path.${details}`,
    );
    this.method = method;
    this.existing = existing;
    this.added = added;
  }
}

interface ConflictingRoute {
  readonly pattern: string;
  readonly options: { readonly version?: string };
}

/** Creates the error for two routes, whose options have their locations. */
export function conflictOf(
  method: string,
  existing: ConflictingRoute,
  added: ConflictingRoute,
): RouteConflictError {
  const isSame = existing.options.version === added.options.version;
  const reason = isSame ? '' : ' A route without a version is for all versions.';
  const places = atLine(added.options) + atLine(existing.options);
  return new RouteConflictError(method, existing.pattern, added.pattern, reason + places);
}

/**
 * Creates the error for a router that is mounted or nested twice.
 *
 * @param places - Lines with the locations of the calls.
 */
export function mountedTwice(owner: string, prefix: string, places = ''): SetupError {
  return new SetupError(
    'ROUTER_MOUNTED_TWICE',
    `A router is mounted twice at '${prefix}'. Remove one of the ${owner}.route('${prefix}', router) calls.${places}`,
  );
}

/** A route pattern or mount prefix is invalid. */
export class InvalidPatternError extends SetupError {
  /**
   * @param pattern - The pattern as written.
   * @param reason - The problem, and how to fix it.
   */
  constructor(pattern: string, reason: string) {
    super('INVALID_PATTERN', `The pattern '${pattern}' is not valid: ${reason}`);
  }
}

/** A middleware, route or plugin was registered on a sealed application. */
export class SealedError extends SetupError {
  /** @param call - The late call, such as `app.use()`. */
  constructor(call: string) {
    super(
      'APPLICATION_SEALED',
      `${call} was called after the application was sealed. Register middleware, routes and plugins before you call listen(), seal(), fetch() or request().`,
    );
  }
}

const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Matches a line of a stack that is outside of Fairlead and Node.js. */
const CALLER = /^ +at (?!.*(?:[\\/]@fairlead[\\/]|node:)).*$/m;

/** An application cannot start for several reasons. The message numbers them. */
export class InvalidApplicationError extends SetupError {
  /** All problems, in the order of the message. */
  readonly problems: readonly Error[];

  /** @param problems - At least two. */
  constructor(problems: readonly Error[]) {
    const messages = problems.map(({ message }) => message);
    const title = `The application cannot start: ${problems.length} problems.`;
    super('APPLICATION_INVALID', numberMessages(title, messages));
    this.problems = Object.freeze([...problems]);
    hideProperties(this, 'problems');
  }

  /** Prints the message once, with the line of your code that started the application. */
  [INSPECT](): string {
    const { name, code, message, stack = '' } = this;
    const [caller] = CALLER.exec(stack.slice(stack.indexOf(message) + message.length)) ?? [];
    return [`${name} [${code}]: ${message}`, ...(caller === undefined ? [] : [caller])].join('\n');
  }
}

/**
 * Throws a single error as is, and several as one {@link InvalidApplicationError}. An error that lists several problems
 * contributes each of them.
 *
 * @throws {Error} Unless `errors` is empty.
 */
export function throwProblems(errors: readonly Error[]): void {
  const [first, second] = errors;
  if (first === undefined) return;
  throw second === undefined ? first : new InvalidApplicationError(errors.flatMap(problemsOf));
}

/** Returns the problems that an error lists, or the error itself. */
export function problemsOf(error: Error): readonly Error[] {
  const { problems }: { readonly problems?: unknown } = Object(error);
  const isList =
    Array.isArray(problems) &&
    problems.length > 0 &&
    problems.every((problem): problem is Error => problem instanceof Error);
  return isList ? problems : [error];
}

const LISTEN_REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'it is already in use. Stop the process that uses it, or choose another port.'],
  [
    'EACCES',
    'permission denied. Use a port above 1023, or grant the process permission to bind it.',
  ],
  ['ENOTSUP', 'this system does not support reusePort. Remove it, or run one process per port.'],
]);

/** A port could not be bound. The `cause` is Node's error. */
export class ListenError extends SetupError {
  /** The requested port. */
  readonly port: number;
  /** The requested address or host name; undefined for all interfaces. */
  readonly host: string | undefined;

  /**
   * @param port - The requested port.
   * @param host - The requested address or host name; undefined for all interfaces.
   * @param cause - The error from Node.js.
   */
  constructor(port: number, host: string | undefined, cause: NodeJS.ErrnoException) {
    const address = host === undefined ? `port ${port}` : `port ${port} of ${host}`;
    const reason = LISTEN_REASONS.get(cause.code) ?? `${cause.message}.`;
    super('LISTEN_FAILED', `Cannot listen on ${address}: ${reason}`, { cause });
    this.port = port;
    this.host = host;
  }
}
