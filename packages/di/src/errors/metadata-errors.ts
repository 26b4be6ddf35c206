import { type Class, describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/**
 * Why nothing is known of a parameter: no decorator on the class, a decorator but no emitted
 * types, or a `static inject` with too few entries.
 */
export type MissingMetadataReason = 'undecorated' | 'untyped' | 'short';

/** A class has constructor parameters, and nothing says what they are. */
export class MissingMetadataError extends InjectionError {
  readonly code = 'DI_MISSING_METADATA';
  /** The first parameter of which nothing is known, counted from 0. */
  readonly parameter: number;

  constructor(
    path: readonly Token[],
    target: Class,
    parameter: number,
    reason: MissingMetadataReason = 'undecorated',
  ) {
    const name = describeToken(target);
    super({
      problem: `Cannot build ${name}: nothing says what parameter ${parameter} of its constructor is.`,
      fix: missingMetadataFix(name, reason),
      path,
      token: target,
    });
    this.parameter = parameter;
  }
}

/** A constructor parameter's type left nothing at run time that could be resolved. */
export class ErasedTypeError extends InjectionError {
  readonly code = 'DI_ERASED_TYPE';
  /** The parameter, counted from 0. */
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

/** A constructor parameter's class was not defined yet when it was read. */
export class UndefinedTypeError extends InjectionError {
  readonly code = 'DI_UNDEFINED_TYPE';
  /** The parameter, counted from 0. */
  readonly parameter: number;

  constructor(path: readonly Token[], target: Token, parameter: number) {
    super({
      problem:
        `Cannot inject parameter ${parameter} of ${describeToken(target)}: its type is undefined, ` +
        'as happens when two modules import each other or when the type is left to inference.',
      fix:
        'for a class, write `@Inject(lazy(() => TheClass)) name: Lazy<TheClass>` (or ' +
        '`lazy(() => TheClass)` in `static inject`), or move one of the classes so that the ' +
        'import cycle goes away; for a default value without a type, state the type and ' +
        'add @Optional(), which keeps the default, or @Inject(token).',
      path,
      token: target,
    });
    this.parameter = parameter;
  }
}

function missingMetadataFix(name: string, reason: MissingMetadataReason): string {
  if (reason === 'short')
    return 'give `static inject` one entry for each parameter, in their order.';
  const compile = 'compile with experimentalDecorators and emitDecoratorMetadata';
  const state = 'list every parameter in `static inject = [...] as const`';
  return reason === 'undecorated'
    ? `add @Service() to ${name} and ${compile}, or, under tools that drop metadata (esbuild, tsx), ` +
        `${state}.`
    : `${name} has a decorator, but its compiler emitted no types: ${compile}, which esbuild and ` +
        `tsx cannot do (tsc and swc can), or ${state}, or mark each with @Inject(token).`;
}

function erasedTypeFix(found: unknown): string {
  const mark = 'mark the parameter with @Inject(token)';
  // Compilers write Object or Function where they cannot name a type. Some write Object for a
  // class whose module is still being evaluated, too.
  return found === Object || found === Function
    ? 'when the type is a class, import it without `type` (not `import type`), and, when its ' +
        'module imports this one, write `@Inject(lazy(() => TheClass)) name: Lazy<TheClass>`; ' +
        `for an interface, a union or an inferred type, ${mark}.`
    : `${mark}, or, when its type is a primitive and it has a default value, with @Optional().`;
}

function describeType(found: unknown): string {
  if (typeof found === 'function') return `was erased to ${found.name || 'a function'}`;
  return `is no class at run time but of the kind '${typeof found}', as an enum is`;
}
