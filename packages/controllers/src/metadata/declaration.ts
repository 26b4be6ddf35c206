import { fileURLToPath } from 'node:url';
import { describePlace } from '../errors/problem-text.js';

/** Where a decorator was written. The stack is written out, and mapped to sources, only when read. */
export interface Declaration {
  readonly stack?: string;
}

/**
 * Remembers where a decorator is written.
 *
 * @param decorator - The function that is running; those that it was called from are remembered.
 */
export function captureDeclaration(decorator: (...args: never[]) => unknown): Declaration {
  const declaration: Declaration = {};
  Error.captureStackTrace(declaration, decorator);
  return declaration;
}

/** A line of a stack: the function's name, if it has one, file and position. */
const FRAME = /^ *at (?:(.+) \()?(?:async )?((?:file:|\/|[A-Za-z]:\\).+?):(\d+:\d+)\)?$/gm;

/**
 * Says where a declaration stands, for people. Of the functions that led to it, the nearest without
 * a name counts, which is a module's top level: a named one that made the decorator stands elsewhere.
 *
 * @returns As `src/users.ts:12:1`; undefined when the stack does not show it.
 */
export function describeDeclaration({ stack = '' }: Declaration): string | undefined {
  const frames = [...stack.matchAll(FRAME)].map(([, name, file = '', position]) => ({
    name,
    file,
    position,
  }));
  const isNameless = (name = '<anonymous>'): boolean => name.endsWith('<anonymous>');
  const frame = frames.find(({ name }) => isNameless(name)) ?? frames[0];
  if (frame === undefined) return undefined;
  const { file, position } = frame;
  return describePlace(file.startsWith('file:') ? fileURLToPath(file) : file, position);
}
