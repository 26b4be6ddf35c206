import type { Class } from './token.js';

/** Whether a value uses class syntax. Built-in and ES5 constructors take no dependencies. */
export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(sourceOf(value));
}

/**
 * Whether a class declares a constructor without parameters. False for a constructor that reads `arguments`, which
 * compilers write for a class with fields, and when the source before the constructor is hard to read.
 */
export function hasEmptyConstructor(target: Class): boolean {
  const source = sourceOf(target);
  let depth = 0;
  let previous = '';
  for (const { 0: text, index } of source.includes('constructor') ? source.matchAll(TOKENS) : []) {
    // It may begin a regular expression or a template, whose end depends on what it contains.
    if (text === '/' || text === '`') return false;
    if (IGNORED.test(text)) continue;
    if (text.startsWith('constructor') && text.endsWith('{')) {
      if (depth === 1 && !MODIFIERS.has(previous))
        return !/\barguments\b/.test(source.slice(index));
      depth += 1;
    } else if ('([{'.includes(text)) depth += 1;
    else if (')]}'.includes(text)) depth -= 1;
    previous = text;
  }
  return false;
}

/** Matches comments, strings, templates without expressions, constructors without parameters, words and characters. */
const TOKENS =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\$]|\\[\s\S])*`|constructor\s*\(\s*\)\s*\{|[\w$#\u0080-\uffff]+|\S/g;

const IGNORED = /^\/[/*]/;

/** What makes a method of a constructor's name. */
const MODIFIERS: ReadonlySet<string> = new Set(['static', 'get', 'set', 'async', '*']);

function sourceOf(value: object): string {
  return Function.prototype.toString.call(value);
}
