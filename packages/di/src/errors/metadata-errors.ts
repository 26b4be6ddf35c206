import { INSTALL_ONE_COPY } from '../copies.js';
import {
  type Class,
  describeParameter,
  describeToken,
  describeTokens,
  hasInject,
  isArrow,
  type Token,
} from '../token.js';
import { InjectionError } from './injection-errors.js';

/**
 * Why a parameter's type is unknown: the class has no decorator, the compiler emitted no types, or
 * `static inject` has too few entries or is not an array.
 */
export type MissingMetadataReason = 'undecorated' | 'untyped' | 'short' | 'list';

/** Where a problem with a parameter is. */
export interface ParameterErrorDetails {
  /** Where the class is decorated. */
  readonly location?: string | undefined;
  /** Paths to the same problem, which may be in other classes. */
  readonly otherPaths?: readonly (readonly Token[])[];
  /** Whether the parameter is that of a factory, whose dependencies no decorator can name. Default: false. */
  readonly isFactory?: boolean;
}

/** The types of a class's constructor parameters are unknown. */
export class MissingMetadataError extends InjectionError {
  readonly code = 'DI_MISSING_METADATA';
  declare readonly parameter: number;

  /** @param parameter - The index of the first parameter with an unknown type. */
  constructor(
    path: readonly Token[],
    target: Class,
    parameter: number,
    reason: MissingMetadataReason = 'undecorated',
    { location, otherPaths = [] }: ParameterErrorDetails = {},
  ) {
    const name = describeToken(target);
    const others = otherPaths.flatMap((other) => other.at(-1) ?? []).filter((it) => it !== target);
    const same = others.length === 0 ? '' : ` The same applies to ${describeTokens(others)}.`;
    const problem = `Cannot build ${name}: the type of its constructor parameter ${parameter} is unknown, because ${missingMetadataCause[reason]}.${same}`;
    const isBase = path.at(-1) !== target;
    const fix = missingMetadataFix(name, reason, isBase);
    super({ problem, fix, path, otherPaths, token: target, parameter, location });
  }
}

/** A constructor parameter's type does not exist at run time. */
export class ErasedTypeError extends InjectionError {
  readonly code = 'DI_ERASED_TYPE';
  declare readonly parameter: number;

  /**
   * @param parameter - The index of the parameter.
   * @param found - What its type is at run time.
   */
  constructor(
    path: readonly Token[],
    target: Class,
    parameter: number,
    found: unknown,
    details: ParameterErrorDetails = {},
  ) {
    const problem = `Cannot inject ${describeParameter(parameter, target)}: its type ${describeType(found)}.`;
    super({
      problem,
      fix: erasedTypeFix(found, target),
      path,
      token: target,
      parameter,
      ...details,
    });
  }
}

/** A constructor parameter's class was still undefined when its metadata was recorded. */
export class UndefinedTypeError extends InjectionError {
  readonly code = 'DI_UNDEFINED_TYPE';
  declare readonly parameter: number;

  /**
   * @param parameter - The index of the parameter.
   * @param receiver - What received the undefined token, such as `@Inject()`. Undefined for an emitted type.
   */
  constructor(
    path: readonly Token[],
    target: Token,
    parameter: number,
    receiver?: string,
    { isFactory = false, ...details }: ParameterErrorDetails = {},
  ) {
    const where = `Cannot inject ${describeParameter(parameter, target)}:`;
    const cycle = 'Two modules import each other';
    const problem =
      receiver === undefined
        ? `${where} its type is undefined. ${cycle}, or the parameter has no type annotation.`
        : `${where} ${receiver} received undefined. ${cycle}, or the import is misspelled.`;
    const ofClass = LAZY_FIX + (receiver === undefined ? ANNOTATION_FIX : '');
    const fix = isFactory || hasInject(target) ? LISTED_FIX : ofClass;
    super({ problem, fix, path, token: target, parameter, ...details });
  }
}

/** A class names a dependency with a token of another copy of this package. */
export class MixedCopiesError extends InjectionError {
  readonly code = 'DI_MIXED_COPIES';
  declare readonly parameter: number;

  /**
   * @param parameter - The index of the parameter that names the dependency.
   * @param files - The files of this copy and the other.
   */
  constructor(
    path: readonly Token[],
    target: Class,
    parameter: number,
    files: string,
    details: ParameterErrorDetails = {},
  ) {
    const problem = `Cannot inject ${describeParameter(parameter, target)}: its token is from another copy of @fairlead/di than the container. The copies are ${files}.`;
    super({ problem, fix: INSTALL_ONE_COPY, path, token: target, parameter, ...details });
  }
}

const LAZY_FIX =
  'for a class, write `@Inject(lazy(() => TheClass)) name: Lazy<TheClass>`, or move one of the ' +
  'classes to break the import cycle.';
const LISTED_FIX =
  'for a class, pass `lazy(() => TheClass)`, or move one of the classes to break the import cycle.';
const ANNOTATION_FIX =
  ' For a default value without a type, declare the type and add @Optional() to keep the default, ' +
  'or add @Inject(token).';

const missingMetadataCause: Record<MissingMetadataReason, string> = {
  undecorated: 'the class has neither `static inject` nor a decorator',
  untyped: 'the compiler emitted no types for the decorated class',
  short: '`static inject` has too few entries',
  list: '`static inject` is not an array',
};

/** @param isBase - Whether the class is probably a base class, which may be abstract. */
function missingMetadataFix(name: string, reason: MissingMetadataReason, isBase: boolean): string {
  const list = 'list every parameter in `static inject = [...] as const`';
  if (reason === 'list') return `${list}, in order.`;
  if (reason === 'short') {
    return `${list}, in order. If one is optional, list optional(token), or give it a default value to leave it out.`;
  }
  const options = 'experimentalDecorators and emitDecoratorMetadata';
  const orInject = isBase ? ', or @Inject(token) to each parameter if it is abstract,' : '';
  return reason === 'undecorated'
    ? `${list}, or add @Service() to ${name}${orInject} and compile with ${options}, which esbuild and tsx do not support.`
    : `compile with ${options} (swc: jsc.transform.decoratorMetadata), which esbuild and tsx do not support, or ${list}, ` +
        'or mark each parameter with @Inject(token).';
}

function erasedTypeFix(found: unknown, target: Class): string {
  if (isArrow(found)) return 'write `lazy(() => TheClass)`, or list the class itself.';
  const create =
    "create a token, such as const NAME = token<Type>('name'), register its provider, and";
  if (hasInject(target)) {
    const all = 'for one instance of each provider of a class, list `all(TheClass)`. Otherwise, ';
    return `${found === Array ? all : ''}${create} list NAME.`;
  }
  const mark = `${create} mark the parameter with @Inject(NAME)`;
  if (found === Array) {
    return (
      'for one instance of each provider of a class, write `@InjectAll(TheClass) name: TheClass[]`. ' +
      `For a provider whose instance is an array, ${mark}.`
    );
  }
  if (found === Promise) {
    return (
      'declare the type that the promise resolves to, because the container waits for asynchronous ' +
      `factories. If that is not a class, ${mark}.`
    );
  }
  // Compilers emit Object or Function for types they cannot name. Some also emit Object for a
  // class whose module is still being evaluated.
  return found === Object || found === Function
    ? 'import a class with `import`, not with `import type`. If its module imports this one, write ' +
        '`@Inject(lazy(() => TheClass)) name: Lazy<TheClass>`. For an interface, a union, an ' +
        `enum or an inferred type, ${mark}.`
    : `${mark}. For a primitive with a default value, use @Optional() instead.`;
}

function describeType(found: unknown): string {
  if (isArrow(found)) return 'is a function instead of a class';
  if (typeof found === 'function') return `was erased to ${found.name || 'a function'}`;
  return `is not a class at run time but a value of type '${typeof found}', such as an enum`;
}
