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

/** A line of a stack: the function's name, if it has one, file and position. */
const FRAME = /^ *at (?:(.+) \()?(?:async )?((?:file:|\/|[A-Za-z]:\\).+?):(\d+:\d+)\)?$/gm;

/**
 * Formats the nearest frame of a call site.
 *
 * @returns As `src/users.ts:12:1`; undefined if the stack does not show it.
 */
export function describeCaller(site: CallSite): string | undefined {
  return describeFrame(framesOf(site)[0]);
}

/**
 * Formats the call site of a decorator. It picks the nearest frame without a function name, which is
 * a module's top level. Named frames that are nearer belong to functions that create decorators.
 *
 * @returns As `src/users.ts:12:1`; undefined if the stack does not show it.
 */
export function describeCallSite(site: CallSite): string | undefined {
  const frames = framesOf(site);
  const topLevel = frames.filter(({ name }) => name.endsWith('<anonymous>'));
  return describeFrame(topLevel.find(({ file }) => !HELPER.test(file)) ?? topLevel[0] ?? frames[0]);
}

/** Files with the functions that compilers call to apply decorators. */
const HELPER = /\0|[\\/]node_modules[\\/]/;

interface Frame {
  readonly name: string;
  readonly file: string;
  readonly position: string;
}

function framesOf({ stack = '' }: CallSite): readonly Frame[] {
  return [...stack.matchAll(FRAME)].map(([, name = '<anonymous>', file = '', position = '']) => ({
    name,
    file,
    position,
  }));
}

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
  const path = file.startsWith('file:') ? pathOf(new URL(file)) : file;
  const base = process.cwd();
  const isBelow = path.startsWith(base) && /^[/\\]/.test(path.slice(base.length));
  return isBelow ? path.slice(base.length + 1) : path;
}

/** Does what `fileURLToPath` does, without a dependency on `node:url`. */
function pathOf({ pathname }: URL): string {
  const path = decodeURIComponent(pathname);
  return /^\/[A-Za-z]:/.test(path) ? path.slice(1).replaceAll('/', '\\') : path;
}
