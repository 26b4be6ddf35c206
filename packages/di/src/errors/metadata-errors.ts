import { type Class, describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/**
 * Why a parameter's type is unknown: the class has no decorator, the compiler emitted no
 * types, or `static inject` has too few entries.
 */
export type MissingMetadataReason = 'undecorated' | 'untyped' | 'short';

/** The types of a class's constructor parameters are unknown. */
export class MissingMetadataError extends InjectionError {
  readonly code = 'DI_MISSING_METADATA';
  /** The index of the first parameter with an unknown type. */
  readonly parameter: number;

  constructor(
    path: readonly Token[],
    target: Class,
    parameter: number,
    reason: MissingMetadataReason = 'undecorated',
  ) {
    const name = describeToken(target);
    super({
      problem: `Cannot build ${name}: the type of its constructor parameter ${parameter} is unknown, because ${missingMetadataCause[reason]}.`,
      fix: missingMetadataFix(name, reason),
      path,
      token: target,
    });
    this.parameter = parameter;
  }
}

/** A constructor parameter's type does not exist at run time. */
export class ErasedTypeError extends InjectionError {
  readonly code = 'DI_ERASED_TYPE';
  /** The index of the parameter. */
  readonly parameter: number;

  constructor(path: readonly Token[], target: Class, parameter: number, found: unknown) {
    const name = describeToken(target);
    super({
      problem: `Cannot inject parameter ${parameter} of ${name}: its type ${describeType(found)}.`,
      fix: erasedTypeFix(found),
      path,
      token: target,
    });
    this.parameter = parameter;
  }
}

/** A constructor parameter's class was still undefined when its metadata was recorded. */
export class UndefinedTypeError extends InjectionError {
  readonly code = 'DI_UNDEFINED_TYPE';
  /** The index of the parameter. */
  readonly parameter: number;

  constructor(path: readonly Token[], target: Token, parameter: number) {
    super({
      problem:
        `Cannot inject parameter ${parameter} of ${describeToken(target)}: its type is undefined. ` +
        'Two modules import each other, or the parameter has no type annotation.',
      fix:
        'for a class, write `@Inject(lazy(() => TheClass)) name: Lazy<TheClass>` (or ' +
        '`lazy(() => TheClass)` in `static inject`), or move one of the classes to break the ' +
        'import cycle. For a default value without a type, declare the type and add @Optional() ' +
        'to keep the default, or add @Inject(token).',
      path,
      token: target,
    });
    this.parameter = parameter;
  }
}

const missingMetadataCause: Record<MissingMetadataReason, string> = {
  undecorated: 'the class has no decorator',
  untyped: 'the compiler emitted no types for the decorated class',
  short: '`static inject` has too few entries',
};

function missingMetadataFix(name: string, reason: MissingMetadataReason): string {
  if (reason === 'short') return 'list every parameter in `static inject`, in order.';
  const options = 'experimentalDecorators and emitDecoratorMetadata';
  const list = 'list every parameter in `static inject = [...] as const`';
  return reason === 'undecorated'
    ? `add @Service() to ${name} and compile with ${options}. With a tool that drops metadata ` +
        `(esbuild, tsx), ${list}.`
    : `compile with ${options}, which tsc and swc support but esbuild and tsx do not, or ${list}, ` +
        'or mark each parameter with @Inject(token).';
}

function erasedTypeFix(found: unknown): string {
  const mark = 'mark the parameter with @Inject(token)';
  // Compilers emit Object or Function for types they cannot name. Some also emit Object for a
  // class whose module is still being evaluated.
  return found === Object || found === Function
    ? 'import a class with `import`, not with `import type`. If its module imports this one, write ' +
        '`@Inject(lazy(() => TheClass)) name: Lazy<TheClass>`. For an interface, a union or an ' +
        `inferred type, ${mark}.`
    : `${mark}. For a primitive with a default value, use @Optional() instead.`;
}

function describeType(found: unknown): string {
  if (typeof found === 'function') return `was erased to ${found.name || 'a function'}`;
  return `is not a class at run time but a value of type '${typeof found}', such as an enum`;
}
