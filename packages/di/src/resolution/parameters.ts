import { Injection, toInjection } from '../dependency.js';
import type { Problem } from '../errors/injection-error.js';
import {
  ErasedTypeError,
  MissingMetadataError,
  UndefinedTypeError,
} from '../errors/metadata-errors.js';
import { isDecorated, type ParameterMark, parameterMarks, parameterTypes } from '../metadata.js';
import type { Provider } from '../provider.js';
import { type Class, isToken } from '../token.js';

/** What one parameter receives, or why that cannot be told. */
export type Parameter = Injection | Problem;

/** Types that nobody expects to be injected by type: with `@Optional()` such a parameter keeps its default. */
const primitives = new Set<unknown>([String, Number, Boolean, Symbol, BigInt]);

/** What a `design:paramtypes` entry is when the compiler had nothing better to emit. */
const erased = new Set<unknown>([Object, Function, Array, Promise, ...primitives]);

/** Lists what a provider needs, in the order of its parameters. */
export function parametersOf(provider: Provider): readonly Parameter[] {
  if ('useClass' in provider) return constructorParameters(provider.useClass);
  if ('useExisting' in provider) return [toInjection(provider.useExisting)];
  if ('useFactory' in provider) return (provider.inject ?? []).map(toInjection);
  return [];
}

/**
 * Lists a class's constructor parameters: from its own `static inject`, else from decorators
 * and emitted types; a class without a constructor has those of its base.
 */
function constructorParameters(target: Class): readonly Parameter[] {
  if (Object.hasOwn(target, 'inject')) {
    return statedParameters(target, (target as { inject?: unknown }).inject);
  }
  const types = parameterTypes(target);
  const marks = parameterMarks(target);
  if (types !== undefined) {
    return types.map((type, index) => typedParameter(target, index, type, marks.get(index)));
  }
  if (target.length > 0 || marks.size > 0) return markedParameters(target, marks);
  const base: unknown = Object.getPrototypeOf(target);
  return isClass(base) ? constructorParameters(base) : [];
}

function statedParameters(target: Class, inject: unknown): readonly Parameter[] {
  const entries: readonly unknown[] = Array.isArray(inject) ? inject : [];
  if (entries.length < target.length) {
    return [(path) => new MissingMetadataError(path, target, entries.length, 'short')];
  }
  return entries.map((entry, index) => typedParameter(target, index, entry, undefined));
}

/** The compiler emitted no types: each parameter must have been marked. */
function markedParameters(
  target: Class,
  marks: ReadonlyMap<number, ParameterMark>,
): readonly Parameter[] {
  const count = Math.max(target.length, ...[...marks.keys()].map((index) => index + 1));
  const indexes = Array.from({ length: count }, (_, index) => index);
  const unknown = indexes.find((index) => marks.get(index)?.inject === undefined);
  if (unknown !== undefined) {
    const reason = isDecorated(target) ? 'untyped' : 'undecorated';
    return [(path) => new MissingMetadataError(path, target, unknown, reason)];
  }
  return indexes.map((index) => typedParameter(target, index, undefined, marks.get(index)));
}

function typedParameter(
  target: Class,
  index: number,
  type: unknown,
  mark: ParameterMark | undefined,
): Parameter {
  const wanted = mark?.inject === undefined ? type : mark.inject.dependency;
  const optional = mark?.optional === true;
  if (wanted instanceof Injection) {
    return new Injection(wanted.kind, wanted.token, wanted.optional || optional);
  }
  if (isToken(wanted) && !erased.has(wanted)) {
    return new Injection('one', () => wanted, optional);
  }
  if (optional && mark?.inject === undefined && primitives.has(type)) return nothing;
  return wanted === undefined
    ? (path) => new UndefinedTypeError(path, target, index)
    : (path) => new ErasedTypeError(path, target, index, wanted);
}

const nothing = new Injection('one', () => Symbol('nothing'), true);

/** True for class syntax only: what built-in and ES5 constructors take is not for injection. */
function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
