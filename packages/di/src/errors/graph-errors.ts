import { describePath, describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** Nothing provides a token. */
export class UnknownTokenError extends InjectionError {
  readonly code = 'DI_UNKNOWN_TOKEN';
  /** The parameter that asks for it, counted from 0; undefined when it was asked for directly. */
  readonly parameter: number | undefined;

  /**
   * @param path - Ends with the unknown token; the one before it asks for it.
   * @param parameter - Which of the asker's parameters it is.
   */
  constructor(path: readonly Token[], token: Token, parameter?: number) {
    const name = describeToken(token);
    const asker = path.at(-2);
    const where = asker === undefined ? '' : ` (parameter ${parameter} of ${describeToken(asker)})`;
    const orOptional = parameter === undefined ? '' : ', or mark the parameter with @Optional()';
    super({
      problem: `Nothing provides ${name}${where}.`,
      fix:
        typeof token === 'function'
          ? `add @Service() to ${name}, or register it: container.register(${name}).`
          : `register it: container.register(${name}, { useValue, useClass, useFactory or ` +
            `useExisting })${orOptional}.`,
      path,
      token,
    });
    this.parameter = parameter;
  }
}

/** Providers need each other, so that none can be built first. */
export class CyclicDependencyError extends InjectionError {
  readonly code = 'DI_CYCLE';

  /** @param path - The cycle: begins and ends with the same token. */
  constructor(path: readonly Token[], token: Token) {
    super({
      problem: `${describeToken(token)} needs itself to be built: ${describePath(path)}.`,
      fix:
        'take what both need out into a third class, or make one side lazy: ' +
        '`@Inject(lazy(() => TheClass)) name: Lazy<TheClass>`, read after construction.',
      path,
      token,
    });
  }
}

/** A singleton would keep a request's instance beyond the request. */
export class CapturedScopeError extends InjectionError {
  readonly code = 'DI_CAPTURED_SCOPE';

  /**
   * @param path - Ends with the request-scoped token.
   * @param token - The singleton.
   */
  constructor(path: readonly Token[], token: Token) {
    const captured = describeToken(path.at(-1) ?? token);
    super({
      problem: `The singleton ${describeToken(token)} would capture ${captured}, which lives for one request.`,
      fix:
        `give ${describeToken(token)} the scope 'request' or 'transient', or pass ${captured} to its ` +
        'methods instead of its constructor.',
      path,
      token,
    });
  }
}

/** A request-scoped token was resolved without a request scope. */
export class OutOfScopeError extends InjectionError {
  readonly code = 'DI_OUT_OF_SCOPE';

  constructor(path: readonly Token[], token: Token) {
    super({
      problem: `${describeToken(token)} is request-scoped and was resolved outside of a request scope.`,
      fix: 'resolve it from a scope: `await using scope = container.createScope()`.',
      path,
      token,
    });
  }
}
