import { type Class, describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** A class has constructor parameters, and nothing says what they are. */
export class MissingMetadataError extends InjectionError {
  readonly code = 'DI_MISSING_METADATA';
  /** The first parameter of which nothing is known, counted from 0. */
  readonly parameter: number;

  constructor(path: readonly Token[], target: Class, parameter: number) {
    const name = describeToken(target);
    super({
      problem: `Cannot build ${name}: nothing says what parameter ${parameter} of its constructor is.`,
      fix:
        `add @Service() to ${name} and compile with experimentalDecorators and ` +
        'emitDecoratorMetadata, or, under tools that drop metadata (esbuild, tsx), list every ' +
        'parameter in `static inject = [...] as const`.',
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
      problem:
        `Cannot inject parameter ${parameter} of ${name}: its type was erased to ` +
        `${describeType(found)}.`,
      fix:
        'when the type is a class, import it without `type` (not `import type`); for an ' +
        'interface, a union, a primitive or an inferred type, mark the parameter with ' +
        '@Inject(token), or with @Optional() to leave it undefined.',
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
        'write `@Inject(lazy(() => TheClass)) name: Lazy<TheClass>` (or `lazy(() => TheClass)` in ' +
        '`static inject`), or move one of the classes so that the import cycle goes away.',
      path,
      token: target,
    });
    this.parameter = parameter;
  }
}

function describeType(found: unknown): string {
  return typeof found === 'function' ? found.name || 'a function' : typeof found;
}
