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

/** A global symbol, so that copies and packages share the locations. */
const LOCATIONS = Symbol.for('fairlead:locations');
const shared: typeof globalThis & { [LOCATIONS]?: WeakMap<object, Locate> } = globalThis;

/**
 * Remembers where the application has registered a value.
 *
 * @returns The same value.
 */
export function setLocation<Target extends object>(target: Target, locate: Locate): Target {
  shared[LOCATIONS] ??= new WeakMap();
  shared[LOCATIONS].set(target, locate);
  return target;
}

/** Returns how to find where a value was registered, if {@link setLocation} was called. */
export function locatorOf(target: object): Locate | undefined {
  return shared[LOCATIONS]?.get(target);
}

/**
 * Returns the options of a route that a package registers for its user, and documents nowhere. Messages then show the
 * call of the user instead of that in the package.
 */
export function hiddenRouteAt(locate: Locate | undefined): { readonly hidden: true } {
  const options = Object.freeze({ hidden: true } as const);
  if (locate !== undefined) setLocation(options, locate);
  return options;
}

/** Formats where a value was registered as the last line of a message; empty if it is unknown. */
export function atLine(target: object | undefined): string {
  return formatLocation(target && locatorOf(target));
}

/** Formats a location as the last line of a message; empty if it is unknown. */
export function formatLocation(locate: Locate | undefined): string {
  const location = locate?.();
  return location === undefined ? '' : `\n  At: ${location}`;
}

/**
 * Formats the call site of a decorator.
 *
 * @returns A location, such as `src/users.ts:12:1`; undefined if the stack does not show it.
 */
export function describeCallSite(site: CallSite): string | undefined {
  return describeFrame(findCallSite(site));
}

/**
 * Finds the call site of a decorator. It picks the nearest frame without a function name, which is a
 * module's top level. Named frames that are nearer belong to functions that create decorators. A class in a function
 * that no module calls, such as a callback, has the nearest frame.
 *
 * @returns Undefined if the stack does not show it.
 */
export function findCallSite({ stack = '' }: CallSite): Frame | undefined {
  const frames = framesOf(stack).filter(isForeign);
  const own = frames.filter(({ file }) => !HELPER.test(file));
  return own.find(isAnonymous) ?? own[0] ?? frames.find(isAnonymous) ?? frames[0];
}

/** Files with the functions that compilers call to apply decorators. */
const HELPER = /\0|[\\/]node_modules[\\/]/;

function describeFrame(frame: Frame | undefined): string | undefined {
  return frame && `${describeFile(frame.file)}:${frame.position}`;
}

/**
 * Formats the path of a file for messages.
 *
 * @param file - An absolute path or a `file:` URL.
 * @returns The path, relative to the working directory if it is below it.
 */
export function describeFile(file: string): string {
  const path = filePath(file);
  const base = process.cwd();
  const isBelow = path.startsWith(base) && /^[/\\]/.test(path.slice(base.length));
  return isBelow ? path.slice(base.length + 1) : path;
}

/** Returns the path of a file that is named by its path or by a `file:` URL, without `node:url`. */
export function filePath(file: string): string {
  if (!file.startsWith('file:')) return file;
  const path = decodeURIComponent(new URL(file).pathname);
  return /^\/[A-Za-z]:/.test(path) ? path.slice(1).replaceAll('/', '\\') : path;
}
