import { describeValue, hideProperties, numberMessages } from '@fairlead/options';
import {
  type Class,
  describeParameter,
  describePath,
  describeToken,
  describeTokens,
  hasInject,
  hasInjectNames,
  isToken,
  type Token,
  writeToken,
} from '../token.js';

/** The parts of an {@link InjectionError}. */
export interface InjectionErrorInit {
  /** A sentence that states what failed and where. */
  readonly problem: string;
  /** How to fix it, as an imperative. Omitted if `problem` says so. */
  readonly fix?: string;
  /** The tokens from the resolved one to the one that failed. */
  readonly path: readonly Token[];
  /** Further paths to the same cause. Default: none. */
  readonly otherPaths?: readonly (readonly Token[])[];
  /** The token that the problem is about. */
  readonly token: Token;
  /** The index of the parameter that the problem is about. */
  readonly parameter?: number | undefined;
  /** Where the class is decorated or the provider registered, such as `src/users.ts:12:1`. */
  readonly location?: string | undefined;
  /** The value that a constructor or factory threw. */
  readonly cause?: unknown;
}

/**
 * Base class of all container errors. The message states the problem, the location, the path and
 * the fix. Only `code` is enumerable, because the message contains everything else.
 */
export abstract class InjectionError extends Error {
  /** A stable identifier in upper snake case. */
  abstract readonly code: string;
  /** The tokens from the resolved one to the one that failed. */
  readonly path: readonly Token[];
  /** All paths to the cause. The first one is `path`. */
  readonly paths: readonly (readonly Token[])[];
  /** The token that the problem is about. */
  readonly token: Token;
  /** The index of the parameter that the problem is about, if any. */
  readonly parameter: number | undefined;
  /**
   * Where the class at fault is decorated, or the provider registered, such as `src/users.ts:12:1`.
   * Undefined if unknown.
   */
  readonly location: string | undefined;

  constructor(init: InjectionErrorInit) {
    super(describe(init), 'cause' in init ? { cause: init.cause } : {});
    const { path, otherPaths = [], token, parameter, location } = init;
    this.name = new.target.name;
    this.path = Object.freeze([...path]);
    this.paths = Object.freeze([this.path, ...otherPaths]);
    this.token = token;
    this.parameter = parameter;
    this.location = location;
    hideProperties(this, 'name', 'path', 'paths', 'token', 'parameter', 'location');
  }
}

function describe({ problem, location, path, fix }: InjectionErrorInit): string {
  const text = describePath(path);
  return [
    problem,
    ...(location === undefined || problem.includes(location) ? [] : [`At: ${location}`]),
    ...(problem.includes(text) ? [] : [`Path: ${text}`]),
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
  ].join('\n  ');
}

/** Prints the text and the first frame outside of this framework. The text contains that of `cause`. */
function inspectError(this: InjectionError): string {
  const thrown = this.cause instanceof Error ? this.cause : this;
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const outside = frames.find((frame) => !/node:|[\\/]@fairlead[\\/]/.test(frame));
  return [`${this.name}: ${this.message}`, ...(outside === undefined ? [] : [outside])].join('\n');
}
Object.defineProperty(InjectionError.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value: inspectError,
});

/** Creates an error once the paths to its cause are known. */
export interface Problem {
  (path: readonly Token[], otherPaths?: readonly (readonly Token[])[]): InjectionError;
  /**
   * Identifies the cause together with `about`. Problems with the same cause are reported as one.
   * Undefined if nothing else has the same cause.
   */
  readonly kind?: string;
  readonly about?: unknown;
}

/** Identifies the cause of a problem. */
export function withCause(kind: string, about: unknown, create: Problem): Problem {
  return Object.assign(create, { kind, about });
}

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
   * @param parameter - The index of the dependent's parameter. Undefined for an alias, and when the token was
   *   resolved directly.
   */
  constructor(
    path: readonly Token[],
    token: Token,
    parameter?: number,
    { reason, fix = registrationFix(token), ...details }: UnknownTokenDetails = {},
  ) {
    const dependent = path.at(-2);
    const others = (details.otherPaths ?? []).flatMap((other) => other.at(-2) ?? []);
    const further = others.filter((other) => other !== dependent);
    const notes = [
      ...(dependent === undefined ? [] : [describeDependent(parameter, dependent)]),
      ...(further.length === 0 ? [] : [`also needed by ${describeTokens(further)}`]),
    ];
    const where = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
    const because = reason === undefined ? '' : `: ${reason}`;
    const problem = `Nothing provides ${describeToken(token)}${where}${because}.`;
    super({ problem, fix, path, token, parameter, ...details });
  }
}

function describeDependent(parameter: number | undefined, dependent: Token): string {
  return parameter === undefined
    ? `the alias ${describeToken(dependent)}`
    : describeParameter(parameter, dependent);
}

/** Where a provider names its dependencies. */
export type Listing = 'constructor' | 'static inject' | 'inject' | 'useExisting';

const OR_OPTIONAL: Readonly<Record<Listing, string>> = {
  constructor: ', or mark the parameter with @Optional()',
  'static inject': ', or pass optional(token)',
  inject: ', or pass optional(token)',
  useExisting: '',
};

/**
 * Explains how to provide a token.
 *
 * @param listing - Where the token is named. Undefined if it was resolved directly.
 */
export function registrationFix(token: Token, listing?: Listing): string {
  const name = describeToken(token);
  const orOptional = listing === undefined ? '' : OR_OPTIONAL[listing];
  return typeof token === 'function'
    ? `${serviceFix(token, listing)}. If it is not your class, register how to create it: ` +
        `container.register(${name}, { useFactory: () => … }). If it is abstract, register a ` +
        `subclass: container.register(${name}, { useClass: TheSubclass }).`
    : `register it first: container.register(${writeToken(token)}, ` +
        `{ useValue: … }), or with useClass, useFactory or useExisting${orOptional}.`;
}

/** Explains how a container can build a class without a registration, in the way of the class that needs it. */
export function serviceFix(target: Class, listing: Listing | undefined): string {
  const name = describeToken(target);
  if (listing !== 'static inject') return `add @Service() to ${name}`;
  const list = `\`static inject = [...]\` to ${name}, with the dependency of each parameter`;
  return target.length > 0 ? `add ${list}` : `add \`static inject = []\` to ${name}`;
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
      fix = lazyFix(path),
      location,
    }: { readonly fix?: string; readonly location?: string | undefined } = {},
  ) {
    const problem = `${describeToken(token)} depends on itself: ${describePath(path)}.`;
    super({ problem, fix, path, token, location });
  }
}

/** Explains how to make a class of a cycle lazy, without decorators if one of the classes has none. */
export function lazyFix(cycle: readonly Token[]): string {
  const example = cycle.some(hasInject)
    ? '`static inject = [lazy(() => TheClass)]` for `name: Lazy<TheClass>`'
    : '`@Inject(lazy(() => TheClass)) name: Lazy<TheClass>`';
  return `move what both sides need into a third class, or make one side lazy with ${example} and read \`name.value\` after construction.`;
}

/** A singleton would keep a request-scoped instance after its request. */
export class CapturedScopeError extends InjectionError {
  readonly code = 'DI_CAPTURED_SCOPE';

  /**
   * @param path - Ends with the request-scoped token.
   * @param token - The token of the singleton.
   * @param dependents - The tokens of other singletons that depend on it, and would capture it then.
   * @param isClass - Whether its constructor takes what it captures, so that its methods could.
   */
  constructor(
    path: readonly Token[],
    token: Token,
    location?: string,
    dependents: readonly Token[] = [],
    isClass = !hasInjectNames(token),
  ) {
    const name = describeToken(token);
    const captured = describeToken(path.at(-1) ?? token);
    const problem = `The singleton ${name} would capture ${captured}, which lives for one request.`;
    const orPass = `, or pass ${captured} to its methods instead of its constructor`;
    const others =
      dependents.length === 0
        ? ''
        : `, and that of ${describeTokens(dependents)}, which would then capture it,`;
    const fix = `set the scope of ${name}${others} to 'request' or 'transient'${isClass ? orPass : ''}.`;
    super({ problem, fix, path, token, location });
  }
}

/** A request-scoped token was resolved without a request scope. */
export class OutOfScopeError extends InjectionError {
  readonly code = 'DI_OUT_OF_SCOPE';

  constructor(path: readonly Token[], token: Token, location?: string) {
    const problem = `Cannot resolve ${describeToken(token)} outside a request scope: it is request-scoped.`;
    const fix = 'resolve it from a scope: `await using scope = container.createScope()`.';
    super({ problem, fix, path, token, location });
  }
}

/** `resolve` needed an asynchronous provider that has not settled. */
export class AsyncProviderError extends InjectionError {
  readonly code = 'DI_ASYNC_PROVIDER';

  /**
   * @param path - Ends with the asynchronous provider's token.
   * @param location - Where it is registered.
   * @param isSingleton - Whether `initialize` builds it.
   */
  constructor(path: readonly Token[], location?: string, isSingleton = true) {
    const token = path.at(-1) ?? '';
    const problem = `Cannot resolve ${describeToken(token)} synchronously: its asynchronous factory has not finished.`;
    const fix = isSingleton
      ? 'call `await container.initialize()` once before, or `await container.resolveAsync(...)` instead of `resolve`.'
      : 'call `await resolveAsync(...)` instead of `resolve`, or remove lazy() if that delays it: initialize() builds only singletons.';
    super({ problem, fix, path, token, location });
  }
}

/** A constructor or factory threw or rejected. `cause` is the thrown value. */
export class ConstructionError extends InjectionError {
  readonly code = 'DI_CONSTRUCTION_FAILED';

  /**
   * @param path - Ends with the token whose constructor or factory threw.
   * @param cause - The thrown value.
   * @param location - Where the class is decorated or the factory registered.
   */
  constructor(path: readonly Token[], cause: unknown, location?: string) {
    const token = path.at(-1) ?? '';
    const problem = `Building ${describeToken(token)} failed: ${describeThrown(cause)}`;
    const fix =
      'correct the error that the constructor or factory threw, which is the `cause` of this one.';
    super({ problem, fix, path, token, location, cause });
  }
}

/** Errors of failed connections to several addresses have an empty message. */
function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error)) return describeValue(thrown);
  if (thrown.message !== '') return thrown.message;
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  return errors.length === 0 ? thrown.name : errors.map(describeThrown).join('; ');
}

/** Several providers cannot be built, or have wiring problems. The message numbers the problems. */
export class InitializationError extends InjectionError {
  readonly code = 'DI_INITIALIZATION_FAILED';
  /** All problems, in the order of the message. */
  readonly problems: readonly InjectionError[];

  /** @param problems - At least two. */
  constructor(problems: readonly InjectionError[]) {
    const title = `Cannot initialize the container: ${problems.length} problems.`;
    const messages = problems.map(({ message }) => message);
    const token = problems[0]?.token ?? '';
    super({ problem: numberMessages(title, messages), path: [], token });
    this.problems = Object.freeze([...problems]);
    hideProperties(this, 'problems');
  }
}

/** A container or scope was used after it was disposed. */
export class DisposedError extends InjectionError {
  readonly code = 'DI_DISPOSED';

  constructor(token: Token) {
    const problem = `Cannot resolve or register ${describeToken(token)}: the container or scope is disposed.`;
    const fix = 'use it before you call dispose(), or create a new container or scope.';
    super({ problem, fix, path: [token], token });
  }
}

/** A container or scope that needs asynchronous disposal was disposed synchronously. */
export class AsyncDisposalError extends InjectionError {
  readonly code = 'DI_ASYNC_DISPOSAL';

  constructor(token: Token) {
    const problem = `Cannot dispose ${describeToken(token)} synchronously: it has no Symbol.dispose method, that method returned a promise, or its asynchronous factory has not finished.`;
    const fix =
      'use `await container.dispose()` or `await using` instead of Symbol.dispose or `using`.';
    super({ problem, fix, path: [token], token });
  }
}

/** What is wrong with the arguments of a call, and how to fix it. */
export interface Mistake {
  /** A sentence. */
  readonly problem: string;
  /** An imperative sentence that begins in lower case. Undefined if `problem` contains the fix. */
  readonly fix?: string;
}

/** @param start - Begins the text of each mistake. */
function describeMistakes(mistakes: readonly Mistake[], start = '', location?: string): string {
  const at = location === undefined ? '' : `\n  At: ${location}`;
  const texts = mistakes.map(({ problem, fix }) =>
    fix === undefined ? start + problem + at : `${start}${problem}${at}\n  Fix: ${fix}`,
  );
  return texts.join('\n');
}

/** A provider or its options are invalid. */
export class InvalidProviderError extends InjectionError {
  readonly code = 'DI_INVALID_PROVIDER';

  /**
   * @param mistakes - At least one.
   * @param verb - What the call does with the provider. Default `register`.
   * @param path - Ends with the token.
   */
  constructor(
    token: Token,
    mistakes: readonly Mistake[],
    verb = 'register',
    path: readonly Token[] = [token],
  ) {
    const problem = describeMistakes(mistakes, `Cannot ${verb} ${describeToken(token)}: `);
    super({ problem, path, token });
  }
}

/** A decorator is misplaced, or its arguments are invalid. */
export class InvalidDecoratorError extends InjectionError {
  readonly code = 'INVALID_DECORATOR';

  /**
   * @param decorator - The decorator, such as `@Service()`.
   * @param place - What it decorates, such as `parameter 0 of Users`.
   * @param mistakes - At least one.
   * @param token - The decorated class.
   * @param location - Where the decorator is applied.
   */
  constructor(
    decorator: string,
    place: string,
    mistakes: readonly Mistake[],
    token: Token,
    location?: string,
  ) {
    const problem = describeMistakes(mistakes, `Cannot apply ${decorator} to ${place}: `, location);
    super({ problem, path: [], token, location });
  }
}

/** An argument of a function or of a container's method is invalid. */
export class InvalidArgumentError extends InjectionError {
  readonly code = 'INVALID_OPTION';

  /**
   * @param mistakes - At least one.
   * @param argument - What the caller passed.
   */
  constructor(mistakes: readonly Mistake[], argument?: unknown) {
    const token = isToken(argument) ? argument : '';
    super({ problem: describeMistakes(mistakes), path: [], token });
  }
}
