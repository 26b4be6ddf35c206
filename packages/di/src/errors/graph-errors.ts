import { describePath, describeToken, describeTokens, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** Details of an {@link UnknownTokenError}. */
export interface UnknownTokenDetails {
  /** Completes the sentence that nothing provides the token. */
  readonly reason?: string;
  /** Replaces the general fix. */
  readonly fix?: string;
  /** Where the class that needs the token is decorated. */
  readonly location?: string | undefined;
  /** Paths from other roots or dependents to the token. */
  readonly otherPaths?: readonly (readonly Token[])[];
}

/** A token has no provider. */
export class UnknownTokenError extends InjectionError {
  readonly code = 'DI_UNKNOWN_TOKEN';

  /**
   * @param path - Ends with the unknown token, after the token that depends on it.
   * @param parameter - The index of the dependent's parameter. Undefined when the token was resolved
   *   directly.
   */
  constructor(
    path: readonly Token[],
    token: Token,
    parameter?: number,
    {
      reason,
      fix = registrationFix(token, parameter !== undefined),
      ...details
    }: UnknownTokenDetails = {},
  ) {
    const dependent = path.at(-2);
    const others = (details.otherPaths ?? []).flatMap((other) => other.at(-2) ?? []);
    const further = others.filter((other) => other !== dependent);
    const notes = [
      ...(dependent === undefined ? [] : [`parameter ${parameter} of ${describeToken(dependent)}`]),
      ...(further.length === 0 ? [] : [`also needed by ${describeTokens(further)}`]),
    ];
    const where = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
    const because = reason === undefined ? '' : `: ${reason}`;
    super({
      problem: `Nothing provides ${describeToken(token)}${where}${because}.`,
      fix,
      path,
      token,
      parameter,
      ...details,
    });
  }
}

function registrationFix(token: Token, isParameter: boolean): string {
  const name = describeToken(token);
  const orOptional = isParameter ? ', or mark the parameter with @Optional()' : '';
  return typeof token === 'function'
    ? `add @Service() to ${name}. If it is not your class, register how to create it: ` +
        `container.register(${name}, { useFactory: () => … }). If it is abstract, register a ` +
        `subclass: container.register(${name}, { useClass: TheSubclass }).`
    : `register it first: container.register(${typeof token === 'string' ? name : 'token'}, ` +
        `{ useValue: … }), or with useClass, useFactory or useExisting${orOptional}.`;
}

/** Providers depend on each other in a cycle. */
export class CyclicDependencyError extends InjectionError {
  readonly code = 'DI_CYCLE';

  /**
   * @param path - The cycle, which starts and ends with the same token.
   * @param details - How to break the cycle, and where one of its classes is decorated.
   */
  constructor(
    path: readonly Token[],
    token: Token,
    {
      fix = LAZY_FIX,
      location,
    }: { readonly fix?: string; readonly location?: string | undefined } = {},
  ) {
    super({
      problem: `${describeToken(token)} depends on itself: ${describePath(path)}.`,
      fix,
      path,
      token,
      location,
    });
  }
}

const LAZY_FIX =
  'move what both sides need into a third class, or make one side lazy with ' +
  '`@Inject(lazy(() => TheClass)) name: Lazy<TheClass>` and read `name.value` after construction.';

/** A singleton would keep a request-scoped instance after its request. */
export class CapturedScopeError extends InjectionError {
  readonly code = 'DI_CAPTURED_SCOPE';

  /**
   * @param path - Ends with the request-scoped token.
   * @param token - The token of the singleton.
   */
  constructor(path: readonly Token[], token: Token, location?: string) {
    const captured = describeToken(path.at(-1) ?? token);
    super({
      problem: `The singleton ${describeToken(token)} would capture ${captured}, which lives for one request.`,
      fix:
        `set the scope of ${describeToken(token)} to 'request' or 'transient', or pass ${captured} to its ` +
        'methods instead of its constructor.',
      path,
      token,
      location,
    });
  }
}

/** A request-scoped token was resolved without a request scope. */
export class OutOfScopeError extends InjectionError {
  readonly code = 'DI_OUT_OF_SCOPE';

  constructor(path: readonly Token[], token: Token, location?: string) {
    super({
      problem: `Cannot resolve ${describeToken(token)} outside a request scope: it is request-scoped.`,
      fix: 'resolve it from a scope: `await using scope = container.createScope()`.',
      path,
      token,
      location,
    });
  }
}
