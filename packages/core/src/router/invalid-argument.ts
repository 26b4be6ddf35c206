import {
  describeValue,
  formatLocation,
  isClass,
  isIntended,
  type Locate,
  warn,
} from '@fairlead/options';
import { descriptionOf, roleOf } from '../annotations/description.js';
import { findMisuse } from '../annotations/misuse.js';
import { isPromiseLike } from '../promise.js';
import { explainOtherCopy } from '../setup/package-copies.js';
import { SetupError } from '../setup/setup-error.js';

/** A call that registers middleware or handlers received an unsuitable value, or no function. */
export class InvalidMiddlewareError extends SetupError {
  /**
   * @param call - The call that received the value, such as `app.use()`.
   * @param values - The value. Omit it when the call received no function.
   */
  constructor(call: string, ...values: [value?: unknown]) {
    const [received, fix] = values.length === 0 ? ['no function', PASS] : diagnose(call, values[0]);
    super('INVALID_MIDDLEWARE', `${call} received ${received}. ${fix}`);
  }
}

const PASS = 'Pass functions (ctx, next).';

/**
 * Checks that every candidate can be called as middleware or as a handler. Warns about functions that seem to
 * expect other arguments.
 *
 * @param locate - Where the application calls the registration.
 * @throws {InvalidMiddlewareError} For the first candidate that cannot.
 */
export function assertMiddleware(
  call: string,
  candidates: readonly unknown[],
  locate?: Locate,
): void {
  for (const candidate of candidates) {
    if (!isMiddleware(candidate) || explainOtherCopy(candidate) !== undefined)
      throw new InvalidMiddlewareError(call, candidate);
    if (candidate.length <= 2 || isIntended(candidate)) continue;
    // The names are unknown in bound functions, and meaningless in minified ones.
    if (/next/i.test(parameterNames(candidate)[1] ?? '')) continue;
    const [received, fix] = diagnoseFunction(candidate);
    const silence = 'If the other parameters are optional, pass the function to intended().';
    const problem = `${call} received ${received}. ${fix} ${silence}`;
    warn('FAIRLEAD_PARAMETERS', problem + formatLocation(locate));
  }
}

type AnyFunction = (...values: never[]) => unknown;

function isMiddleware(value: unknown): value is AnyFunction {
  if (typeof value !== 'function' || isClass(value)) return false;
  if (roleOf(value) === 'guard' || findMisuse(value) !== undefined) return false;
  if (value.length <= 2) return true;
  // As (req, res, next) and (error, req, res, next) of Express.
  const lastName = parameterNames(value as AnyFunction)[value.length - 1] ?? '';
  return !/^_?(next|done|cb|callback)$/.test(lastName);
}

/** Reads the names of parameters from the source of a function. */
function parameterNames(value: AnyFunction): readonly string[] {
  const [, list = ''] = /^[^(]*\(([^)]*)/.exec(Function.prototype.toString.call(value)) ?? [];
  return list
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .split(',')
    .map((name) => name.trim());
}

function diagnose(call: string, value: unknown): readonly [received: string, fix: string] {
  const received = describeArgument(value);
  if (value === undefined)
    return [received, `${PASS} Check the export or the call that returns it.`];
  if (typeof value === 'function') return diagnoseFunction(value);
  if (isPromiseLike(value)) return [received, 'Await it first.'];
  if (Array.isArray(value)) {
    return value.length > 0 && value.every(isPath)
      ? [`${received} of paths`, severalPaths(call, value)]
      : [received, `Spread it: ${addArgument(call, '...array')}.`];
  }
  if (isPath(value)) return [received, severalPaths(call, [value])];
  if (value instanceof RegExp) return [received, "Pass a prefix as a string, such as '/users'."];
  if (isApplication(value)) return [received, NESTED_APPLICATION];
  if (isRouter(value)) {
    const [owner = 'app'] = call.split('.');
    const [, path = '/'] = /'([^']*)'/.exec(call) ?? [];
    return [received, `Mount it: ${owner}.route('${path}', router).`];
  }
  if (hasMethod(value, 'install')) return [received, 'Install it: await app.plugin(plugin).'];
  if (hasMethod(value, 'handle')) {
    return [
      received,
      'Pass a function that calls its method: (ctx, next) => object.handle(ctx, next).',
    ];
  }
  if (hasMethod(value, 'middleware')) {
    return Reflect.get(Object(value), 'middleware').length === 2
      ? [received, `Pass its middleware: ${addArgument(call, 'object.middleware')}.`]
      : [received, `Call its method: ${addArgument(call, 'object.middleware()')}.`];
  }
  return [received, PASS];
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/|^$/.test(value);
}

/** Explains how to use a call for several paths, after the one that it names. */
function severalPaths(call: string, others: readonly string[]): string {
  const [, method, first = ''] = /^(\w+\.\w+)\((.*)\)$/s.exec(call) ?? [];
  if (method === 'router.use') {
    return 'Middleware of a router has no prefix. Pass functions only, and mount the router below the prefix.';
  }
  const paths = [...(first === '' ? [] : [first]), ...others.map(describeValue)];
  if (method !== 'app.use')
    return `Pass an array of patterns: ${method}([${paths.join(', ')}], …).`;
  return `Call it once for each prefix: ${paths.map((path) => `app.use(${path}, …)`).join(' and ')}.`;
}

function diagnoseFunction(value: {
  readonly name: string;
  readonly length: number;
}): readonly [received: string, fix: string] {
  const name = value.name || 'fn';
  const { role, middleware } = descriptionOf(value) ?? {};
  const misuse = findMisuse(value);
  if (misuse !== undefined) {
    const { is, name, fix } = misuse;
    return [`the ${is} ${name}`, `${fix.charAt(0).toUpperCase()}${fix.slice(1)}`];
  }
  if (role === 'guard') {
    const fix = 'list the guard in @UseGuard() of @fairlead/controllers.';
    return [
      `the guard ${name}, which never calls next()`,
      middleware === undefined ? `Instead, ${fix}` : `Use ${middleware}, or ${fix}`,
    ];
  }
  const received = describeValue(value);
  const otherCopy = explainOtherCopy(value);
  if (otherCopy !== undefined) return [received, otherCopy];
  if (isClass(value)) {
    return [
      received,
      'Pass a function that calls a method of an instance, or use the class with @UseMiddleware() from @fairlead/controllers.',
    ];
  }
  const fix =
    value.length === 3
      ? `Functions are called with (ctx, next). For Express middleware, pass connect(${name}) from @fairlead/connect. Otherwise, pass (ctx, next) => ${name}(ctx, next).`
      : 'Functions are called with (ctx, next). To handle errors, pass onError or format to errorHandler(), or catch errors from next().';
  return [`${received} with ${value.length} parameters`, fix];
}

/** Describes an argument of a registration in a message. */
export function describeArgument(value: unknown): string {
  if (value instanceof RegExp) return 'a regular expression';
  if (Array.isArray(value)) return 'an array';
  if (isPromiseLike(value)) return 'a promise';
  if (isApplication(value)) return 'an application';
  return isRouter(value) ? 'a router' : describeValue(value);
}

function addArgument(call: string, argument: string): string {
  return call.replace(/\)$/, `${call.endsWith('()') ? '' : ', '}${argument})`);
}

/** The fix for an application that was passed instead of a router. */
export const NESTED_APPLICATION =
  'An application cannot be part of another one. Create its routes with createRouter(), and mount that router with app.route().';

/** Whether a value is an application, of this or another copy of core. */
export function isApplication(value: unknown): boolean {
  return hasMethod(value, 'seal') && hasMethod(value, 'plugin');
}

/** Whether a value is a router, of this or another copy of core. */
export function isRouter(value: unknown): boolean {
  return hasMethod(value, 'route') && 'rules' in Object(value);
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && typeof Object(value)[name] === 'function';
}

/**
 * Checks a pattern or a prefix.
 *
 * @throws {SetupError} `INVALID_PATTERN`, when it is not a string.
 */
export function assertPath(call: string, kind: string, path: unknown): asserts path is string {
  if (typeof path === 'string') return;
  const isList = Array.isArray(path) && path.length > 0 && path.every(isPath);
  const fix = isRouter(path)
    ? `Pass the prefix first: ${addArgument(call, "'/users', router")}.`
    : isList
      ? `Call it once for each ${kind}.`
      : `Pass a string such as '/users' first.`;
  const problem = `${call} received ${describeArgument(path)} instead of a ${kind}`;
  throw new SetupError('INVALID_PATTERN', `${problem}. ${fix}`);
}
