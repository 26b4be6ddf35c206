import { describeFile, filePath } from './files.js';

/** Where a function was called. V8 formats the stack, and maps it to sources, only when it is read. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * Captures the stack above a function.
 *
 * @param callee - A running function. The stack starts at its caller.
 */
export function captureCallSite(callee: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {};
  Error.captureStackTrace(site, callee);
  return site;
}

/** A line of a stack that names a file. */
export interface Frame {
  /** Name of the function. Ends with `<anonymous>` if it has none, as the top level of a module. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  /** Line and column, such as `12:1`. */
  readonly position: string;
}

const FRAME = /^ *at (?:(.+) \()?(?:async )?((?:file:|\/|[A-Za-z]:\\).+?):(\d+:\d+)\)?$/gm;

/** Lists the lines of a stack that name a file. Those of Node.js itself name a module. */
export function framesOf(stack: string): readonly Frame[] {
  return [...stack.matchAll(FRAME)].map(([, name = '<anonymous>', file = '', position = '']) => ({
    name,
    file: filePath(file),
    position,
  }));
}

/** Whether the function of a frame has no name, as the top level of a module. */
export function isAnonymous({ name }: Frame): boolean {
  return name.endsWith('<anonymous>');
}

/**
 * Formats the nearest frame of a call site.
 *
 * @returns A location, such as `src/users.ts:12:1`; undefined if the stack does not show it, or Fairlead is the caller.
 */
export function describeCaller({ stack = '' }: CallSite): string | undefined {
  return describeFrame(framesOf(stack).slice(0, 1).find(isForeign));
}

/** Whether a frame is not in an installed package of Fairlead. */
function isForeign({ file }: Frame): boolean {
  return !/[\\/]node_modules[\\/]@fairlead[\\/]/.test(file);
}

/** Whether the limit cannot be changed, as with `--frozen-intrinsics`. */
const IS_FROZEN = Object.isFrozen(Error);

/** Finds a location, such as `src/users.ts:12:1`. Returns undefined if it is unknown. */
export type Locate = () => string | undefined;

/**
 * Captures only the line that calls a function, in a third of the time of {@link captureCallSite}.
 *
 * @param callee - A running function.
 */
export function captureLine(callee: (...args: never[]) => unknown): CallSite {
  if (IS_FROZEN) return {};
  const { stackTraceLimit } = Error;
  // Reflect.set() takes several times as long, which is noticeable with 1,000 routes.
  Error.stackTraceLimit = 1;
  const site = captureCallSite(callee);
  Error.stackTraceLimit = stackTraceLimit;
  return site;
}

/** Captures the line that calls a function, like {@link captureLine}. */
export function captureCaller(callee: (...args: never[]) => unknown): Locate {
  const site = captureLine(callee);
  return () => describeCaller(site);
}

/**
 * A global symbol, so that the container and discovery, and copies of them, share the classes. It holds them: V8 may free
 * a class that its module neither exports nor uses, which is the mistake that a start looks for.
 */
const EAGER = Symbol.for('fairlead:eager-classes');
const global: typeof globalThis & { [EAGER]?: Map<object, CallSite> } = globalThis;

/** Returns the classes that a decorator makes eager, with its call site. */
export function eagerClasses(): Map<object, CallSite> {
  global[EAGER] ??= new Map();
  return global[EAGER];
}

/**
 * Formats the call site of a decorator.
 *
 * @returns A location, such as `src/users.ts:12:1`; undefined if the stack does not show it.
 */
export function describeCallSite(site: CallSite): string | undefined {
  return describeFrame(findFrame(site));
}

/**
 * Finds the call site of a decorator. It picks the nearest frame without a function name, which is a
 * module's top level. Named frames that are nearer belong to functions that create decorators. A class in a function
 * that no module calls, such as a callback, has the nearest frame.
 *
 * @returns Undefined if the stack does not show it.
 */
export function findFrame({ stack = '' }: CallSite): Frame | undefined {
  const frames = framesOf(stack).filter(isForeign);
  const own = frames.filter(({ file }) => !HELPER.test(file));
  return own.find(isAnonymous) ?? own[0] ?? frames.find(isAnonymous) ?? frames[0];
}

/** Files with the functions that compilers call to apply decorators. */
const HELPER = /\0|[\\/]node_modules[\\/]/;

function describeFrame(frame: Frame | undefined): string | undefined {
  return frame && `${describeFile(frame.file)}:${frame.position}`;
}
