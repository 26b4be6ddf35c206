import { descriptionOf } from '@fairlead/core/extend';
import { describeValue, isClass } from '@fairlead/options';
import { type Diagnostic, refuse } from '../errors.js';
import type { Fault } from '../metadata/mistakes.js';
import { placeOfClass } from '../metadata/references.js';
import type { Spell, Style } from '../metadata/style.js';
import { type Declaration, declaredStyle, missingParentheses, recordFault } from './decorator.js';

/**
 * Calls decorators from the last to the first, as compilers do. Records those that are none, such as guards and
 * factories that were not called, as problems of the declaration.
 *
 * @param label - Names the decorator at an index, such as `metadata[0]`.
 * @returns The class or the descriptor, or what replaces it.
 */
export function decorateWith(
  call: string,
  decorators: readonly unknown[],
  declaration: Declaration,
  label: (index: number) => string,
): unknown {
  const [target, key, third] = declaration;
  const style = declaredStyle(declaration);
  let decorated: unknown = key === undefined ? target : third;
  decorators.toReversed().forEach((decorator, reversed) => {
    const subject: Declaration =
      key === undefined ? [decorated as object] : [target, key, decorated];
    const place = label(decorators.length - 1 - reversed);
    const fault = findFault(call, decorator, place, style.spell);
    const { result, fault: found = fault } =
      fault === undefined ? run(call, decorator as Run, subject, place, style) : {};
    if (found !== undefined) recordFault(declaration, () => found);
    else decorated = result ?? decorated;
  });
  return decorated;
}

type Run = (...declaration: Declaration) => unknown;

/** Finds out that a value is no decorator without calling it. */
function findFault(call: string, value: unknown, place: string, spell: Spell): Fault | undefined {
  const { role, name = '' } = descriptionOf(value) ?? {};
  if (role === 'decorator') return undefined;
  if (role === 'decoratorFactory') {
    const [bare = ''] = name.slice(1).split('(');
    return missingParentheses(bare, name, spell);
  }
  const fault = (fix: string): Diagnostic => refuse(call, value, place, fix);
  if (typeof value !== 'function') return fault('pass each decorator as an argument.');
  const ofClass = placeOfClass(value, spell);
  if (ofClass !== undefined) return fault(ofClass);
  if (role === 'factory') return fault(`call it, and pass ${name} as middleware or as a guard.`);
  if (role === 'guard') return fault(`pass it to ${spell('@UseGuard()')} or the option guards.`);
  if (role !== undefined)
    return fault(`pass it to ${spell('@UseMiddleware()')} or the option middleware.`);
  return isClass(value) ? fault('pass decorators, which are functions.') : undefined;
}

/** Calls a decorator, and checks what it returns. */
function run(
  call: string,
  decorator: Run,
  subject: Declaration,
  place: string,
  { takesResults }: Style,
): { readonly result?: unknown; readonly fault?: Fault } {
  const [target] = subject;
  const fail = (what: string, fix: string, cause?: unknown): { readonly fault: Fault } => {
    const problem = `${call} cannot use ${describeValue(decorator)} as ${place}, because it ${what}.`;
    return { fault: { problem, fix, ...(cause !== undefined && { cause }) } };
  };
  let result: unknown;
  try {
    result = decorator(...subject);
  } catch (cause) {
    if (takesResults) throw cause;
    return fail(`threw ${String(cause)}`, NO_DECORATOR, cause);
  }
  if (result === undefined || result === null || result === target) return {};
  if (subject.length === 1 ? replaces(target, result) : isDescriptor(result)) {
    if (takesResults || subject.length > 1) return { result };
    return fail('returned another class', 'return nothing, and change the class that it receives.');
  }
  if (typeof result === 'function') {
    return fail('returned a function', `if it is a factory, call it: ${decorator.name}().`);
  }
  // Nothing else handles the rejection of an asynchronous guard.
  if (result instanceof Promise) result.catch(() => undefined);
  return fail(`returned ${describeValue(result)}`, NO_DECORATOR);
}

const NO_DECORATOR = 'pass only decorators: guards belong in guards, and middleware in middleware.';

/** Whether a result of a decorator is a property descriptor, of which each member may be absent. */
function isDescriptor(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'].some((member) =>
      Reflect.has(Object(result), member),
    )
  );
}

/** Whether a result of a decorator is a class that replaces the decorated one. */
function replaces(target: object, result: unknown): boolean {
  if (isClass(result)) return true;
  const { prototype }: { readonly prototype?: unknown } = Object(result);
  const original: unknown = Reflect.get(target, 'prototype');
  return prototype !== undefined && prototype === original;
}
