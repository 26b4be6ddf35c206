import { fileURLToPath } from 'node:url';
import { describeLocation } from '../errors/controller-error.js';

/** Where a decorator was called. V8 formats the stack, and maps it to sources, only when it is read. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * Captures the stack above a decorator.
 *
 * @param decorator - The running function. The stack starts at its caller.
 */
export function captureCallSite(decorator: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {};
  Error.captureStackTrace(site, decorator);
  return site;
}

/** A line of a stack: the function's name, if it has one, file and position. */
const FRAME = /^ *at (?:(.+) \()?(?:async )?((?:file:|\/|[A-Za-z]:\\).+?):(\d+:\d+)\)?$/gm;

/**
 * Formats a call site. It picks the nearest frame without a function name, which is a module's top
 * level. Named frames that are nearer belong to functions that create decorators.
 *
 * @returns As `src/users.ts:12:1`; undefined if the stack does not show it.
 */
export function describeCallSite({ stack = '' }: CallSite): string | undefined {
  const frames = [...stack.matchAll(FRAME)].map(([, name, file = '', position]) => ({
    name,
    file,
    position,
  }));
  const isTopLevel = ({ name = '<anonymous>' }): boolean => name.endsWith('<anonymous>');
  const frame = frames.find(isTopLevel) ?? frames[0];
  if (frame === undefined) return undefined;
  const { file, position } = frame;
  return describeLocation(file.startsWith('file:') ? fileURLToPath(file) : file, position);
}
