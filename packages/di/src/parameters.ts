import { hasEmptyConstructor, isClass } from './class-source.js';
import { otherCopyOf } from './copies.js';
import { Injection, toInjection } from './dependency.js';
import {
  InvalidProviderError,
  type Listing,
  type Problem,
  withCause,
} from './errors/injection-errors.js';
import {
  ErasedTypeError,
  MissingMetadataError,
  type MissingMetadataReason,
  MixedCopiesError,
  UndefinedTypeError,
} from './errors/metadata-errors.js';
import {
  findStaticMistakes,
  hasMemberTypes,
  isDecorated,
  locationOf,
  type ParameterMark,
  parameterMarks,
  parameterTypes,
} from './metadata.js';
import type { Provider } from './provider.js';
import { type Class, hasInjectNames, isArrow, isToken } from './token.js';

export type Parameter = Injection | Problem;

/** Types that are never injected by type. With `@Optional()`, such a parameter keeps its default. */
const primitives = new Set<unknown>([String, Number, Boolean, Symbol, BigInt]);

/** The `design:paramtypes` entries that compilers emit for types without a class. */
const erased = new Set<unknown>([Object, Function, Array, Promise, ...primitives]);

/** Lists the dependencies of a provider, in parameter order. */
export function parametersOf(provider: Provider): readonly Parameter[] {
  if ('useClass' in provider) return constructorParameters(provider.useClass);
  if ('useExisting' in provider) return [toInjection(provider.useExisting)];
  if ('useFactory' in provider) return (provider.inject ?? []).map(toInjection);
  return [];
}

/** Returns where a provider names its dependencies. */
export function listingOf(provider: Provider): Listing {
  if ('useExisting' in provider) return 'useExisting';
  if (!('useClass' in provider)) return 'inject';
  const { useClass } = provider;
  const inherits = 'inject' in useClass && parameterTypes(useClass) === undefined;
  return Object.hasOwn(useClass, 'inject') || inherits ? 'static inject' : 'constructor';
}

/**
 * Lists a class's constructor parameters: from its own `static inject`, or else from decorators and emitted types, or
 * else from the `static inject` that it inherits. A class without a constructor has the parameters of its base.
 */
function constructorParameters(target: Class): readonly Parameter[] {
  const mistakes = findStaticMistakes(target);
  if (mistakes.length > 0) {
    const create: Problem = (path) => new InvalidProviderError(target, mistakes, 'build', path);
    return [withCause('statics', target, create)];
  }
  if (Object.hasOwn(target, 'inject')) {
    return listedParameters(target, (target as { inject?: unknown }).inject);
  }
  const types = parameterTypes(target);
  const marks = parameterMarks(target);
  if (types !== undefined) {
    return types.map((type, index) => typedParameter(target, index, type, marks.get(index)));
  }
  const { inject } = target as { inject?: unknown };
  if (inject !== undefined && marks.size === 0 && !isDecorated(target) && target.length > 0)
    return listedParameters(target, inject);
  if (target.length > 0 || marks.size > 0) return markedParameters(target, marks);
  const base: unknown = Object.getPrototypeOf(target);
  return isClass(base) && !hasEmptyConstructor(target) ? constructorParameters(base) : [];
}

function listedParameters(target: Class, inject: unknown): readonly Parameter[] {
  // Spreading turns the holes of an array, which map() skips, into undefined.
  const entries: readonly unknown[] = Array.isArray(inject) ? [...inject] : [];
  if (entries.length < target.length) {
    const reason = Array.isArray(inject) ? 'short' : 'list';
    return [missingMetadata(target, entries.length, reason)];
  }
  const receiver = hasInjectNames(target) ? '`inject`' : '`static inject`';
  return entries.map((entry, index) => typedParameter(target, index, entry, undefined, receiver));
}

/** Lists the parameters when the compiler emitted no types, which requires `@Inject` on each. */
function markedParameters(
  target: Class,
  marks: ReadonlyMap<number, ParameterMark>,
): readonly Parameter[] {
  const count = Math.max(target.length, ...[...marks.keys()].map((index) => index + 1));
  const indexes = Array.from({ length: count }, (_, index) => index);
  const unknown = indexes.find((index) => marks.get(index)?.inject === undefined);
  if (unknown !== undefined) {
    // Decorators of methods alone do not make the compiler emit the types of the constructor.
    const reason = isDecorated(target) && !hasMemberTypes(target) ? 'untyped' : 'undecorated';
    return [missingMetadata(target, unknown, reason)];
  }
  return indexes.map((index) => typedParameter(target, index, undefined, marks.get(index)));
}

/** @param receiver - What lists the type, if the compiler did not emit it. */
function typedParameter(
  target: Class,
  index: number,
  type: unknown,
  mark: ParameterMark | undefined,
  receiver?: string,
): Parameter {
  const dependency = mark?.inject === undefined ? type : mark.inject.dependency;
  const optional = mark?.optional === true;
  if (dependency instanceof Injection) {
    return new Injection(dependency.kind, dependency.token, dependency.optional || optional);
  }
  if (isToken(dependency) && !erased.has(dependency) && !isArrow(dependency)) {
    return new Injection('one', () => dependency, optional);
  }
  if (optional && mark?.inject === undefined && primitives.has(type)) return alwaysUndefined;
  return withCause(`parameter ${index}`, target, (path, otherPaths = []) => {
    const details = { location: locationOf(target), otherPaths };
    const files = otherCopyOf(dependency);
    if (files !== undefined) return new MixedCopiesError(path, target, index, files, details);
    if (dependency !== undefined)
      return new ErasedTypeError(path, target, index, dependency, details);
    const source = mark?.inject === undefined ? receiver : '@Inject()';
    return new UndefinedTypeError(path, target, index, source, details);
  });
}

function missingMetadata(target: Class, index: number, reason: MissingMetadataReason): Problem {
  const create: Problem = (path, otherPaths = []) => {
    const details = { location: locationOf(target), otherPaths };
    return new MissingMetadataError(path, target, index, reason, details);
  };
  // Usually, the compiler emits types for all classes or for none.
  return reason === 'untyped'
    ? withCause(reason, undefined, create)
    : withCause(`parameter ${index}`, target, create);
}

const alwaysUndefined = new Injection('one', () => Symbol('unprovided'), true);
