import { describePath, describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** A token has no provider. */
export class UnknownTokenError extends InjectionError {
  readonly code = 'DI_UNKNOWN_TOKEN';
  /** The index of the parameter that needs it. Undefined when it was resolved directly. */
  readonly parameter: number | undefined;

  /**
   * @param path - Ends with the unknown token, after the token that depends on it.
   * @param parameter - The index of the dependent's parameter.
   */
  constructor(path: readonly Token[], token: Token, parameter?: number) {
    const name = describeToken(token);
    const dependent = path.at(-2);
    const where =
      dependent === undefined ? '' : ` (parameter ${parameter} of ${describeToken(dependent)})`;
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

/** Providers depend on each other in a cycle. */
export class CyclicDependencyError extends InjectionError {
  readonly code = 'DI_CYCLE';

  /** @param path - The cycle, which starts and ends with the same token. */
  constructor(path: readonly Token[], token: Token) {
    super({
      problem: `${describeToken(token)} depends on itself: ${describePath(path)}.`,
      fix:
        'move what both sides need into a third class, or make one side lazy with ' +
        '`@Inject(lazy(() => TheClass)) name: Lazy<TheClass>` and read `name.value` after construction.',
      path,
      token,
    });
  }
}

/** A singleton would keep a request-scoped instance after its request. */
export class CapturedScopeError extends InjectionError {
  readonly code = 'DI_CAPTURED_SCOPE';

  /**
   * @param path - Ends with the request-scoped token.
   * @param token - The token of the singleton.
   */
  constructor(path: readonly Token[], token: Token) {
    const captured = describeToken(path.at(-1) ?? token);
    super({
      problem: `The singleton ${describeToken(token)} would capture ${captured}, which lives for one request.`,
      fix:
        `set the scope of ${describeToken(token)} to 'request' or 'transient', or pass ${captured} to its ` +
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
      problem: `Cannot resolve ${describeToken(token)} outside a request scope: it is request-scoped.`,
      fix: 'resolve it from a scope: `await using scope = container.createScope()`.',
      path,
      token,
    });
  }
}
