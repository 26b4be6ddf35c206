import { type CallSite, describeCallSite } from '@fairlead/options';
import { InvalidDecoratorError, type Mistake } from '../errors/injection-errors.js';
import { describeToken, isToken, type Token } from '../token.js';

/** What a decorator receives: the class or its prototype, the member's name, and its index or descriptor. */
export type Decorated = readonly unknown[];

/** Whether the arguments of a function are those of a decorator, because its parentheses are missing. */
export function isDecorated([target, key, ...detail]: Decorated): boolean {
  const isMember = key === undefined ? typeof detail[0] === 'number' : isKey(key) || isContext(key);
  return isMember && (isObject(target) || target === undefined);
}

/** Whether a decorator is applied to a class. */
export function isOnClass([target, key]: Decorated): boolean {
  return typeof target === 'function' && !isKey(key);
}

/** Whether a decorator is applied to a parameter of a constructor. */
export function isOnConstructorParameter([target, key, index]: Decorated): boolean {
  return typeof target === 'function' && key === undefined && typeof index === 'number';
}

/**
 * Creates the error for a misused decorator.
 *
 * @param site - Where the decorator is called. Compilers may apply it in another line.
 */
export function misuse(
  decorator: string,
  decorated: Decorated,
  mistake: Mistake | readonly Mistake[],
  site: CallSite,
): InvalidDecoratorError {
  const location = describeCallSite(site);
  const [place, token] = [describePlace(decorated), classOf(decorated)];
  return new InvalidDecoratorError(decorator, place, [mistake].flat(), token, location);
}

/** Creates the mistake for missing parentheses. */
export function missingParentheses(call: string): Mistake {
  return { problem: 'its parentheses are missing.', fix: `write ${call}.` };
}

function isObject(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' || typeof key === 'symbol';
}

/** The second argument of a standard decorator. */
function isContext(key: unknown): key is { readonly kind: string; readonly name: unknown } {
  return typeof key === 'object' && key !== null && 'kind' in key && 'name' in key;
}

function classOf([target]: Decorated): Token {
  if (typeof target === 'function') return isToken(target) ? target : '';
  const type: unknown = isObject(target) ? Reflect.get(target, 'constructor') : undefined;
  return isToken(type) ? type : '';
}

function describePlace(decorated: Decorated): string {
  const [target, key, detail] = decorated;
  const type = classOf(decorated);
  const name = type === '' ? 'a class' : describeToken(type);
  if (isContext(key)) return `the ${key.kind} ${String(key.name)}`;
  if (typeof detail === 'number' && key === undefined) return `parameter ${detail} of ${name}`;
  if (!isKey(key)) return `the class ${name}`;
  const member = `${name}.${String(key)}`;
  if (typeof detail === 'number') return `parameter ${detail} of ${member}`;
  const value: unknown = isObject(detail) ? Reflect.get(detail, 'value') : undefined;
  const kind = typeof value === 'function' ? 'method' : 'property';
  return `the ${typeof target === 'function' ? 'static ' : ''}${kind} ${member}`;
}
