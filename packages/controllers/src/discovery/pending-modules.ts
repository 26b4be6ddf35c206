import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files whose modules are being evaluated at this moment, as far as the call stack shows: those
 * whose top level has called us, or awaits what has.
 *
 * Importing such a module from within never settles, since its evaluation waits for the import.
 *
 * @returns Real paths. A function without a name counts as its module's top level.
 */
export function modulesOnStack(): Set<string> {
  const urls = captureStack()
    .filter((site) => site.getFunctionName() === null && site.isToplevel())
    .map((site) => site.getFileName());
  return new Set(
    urls.flatMap((url) => (url?.startsWith('file:') ? fileURLToPath(new URL(url).href) : [])),
  );
}

/** The whole call stack; V8 adds the asynchronous callers that it knows. */
function captureStack(): NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    Error.prepareStackTrace = (_error, sites) => sites;
    Error.captureStackTrace(holder, captureStack);
    return holder.stack ?? [];
  } finally {
    if (prepareStackTrace === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * The file that node was started with.
 *
 * @returns Its real path; undefined in an interactive or piped session.
 */
export function processEntry(): string | undefined {
  const [, entry] = process.argv;
  if (entry === undefined) return undefined;
  try {
    // As node does: the extension may be left out, and a directory has a main file.
    return realpathSync(createRequire(resolve('entry.js')).resolve(resolve(entry)));
  } catch {
    return undefined;
  }
}
