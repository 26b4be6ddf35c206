import { finished, Readable } from 'node:stream';
import { inspect } from 'node:util';
import { Context, type Middleware } from '@fairlead/core';
import { describe, isPromiseLike } from '@fairlead/core/extend';
import { type ContainerInterface, type ScopeInterface, Service } from '@fairlead/di';
import { describeFile, explainOneCopy, printable, reporterOf } from '@fairlead/options';
import { ControllerError } from '../errors.js';

/**
 * Injects the request's context into request-scoped and transient services. It needs no registration.
 *
 * @throws {ControllerError} 500 `NO_REQUEST`, when it is resolved outside of a route's scope.
 */
@Service({ scope: 'request' })
export class RequestContext extends Context {
  // The package is built without decorator metadata.
  static readonly inject = [] as const;

  constructor() {
    super(...refuse());
  }
}

// A global symbol, so that copies of this package recognize each other's class.
const COPY = Symbol.for('@fairlead/controllers:copy');

// Undefined if a bundler has made a script of this module.
const url = import.meta.url as string | undefined;
Object.defineProperty(RequestContext, COPY, { value: { url } });

/** Explains that a class is the {@link RequestContext} of another copy of this package, in whose scopes routes do not run. */
export function explainForeignContext(target: object): string | undefined {
  if (target === RequestContext || !Object.hasOwn(target, COPY)) return undefined;
  const copy = Reflect.get(target, COPY) as { readonly url: string | undefined };
  const [own, other] = [url, copy.url].map((one) =>
    one === undefined ? 'a bundle' : describeFile(one),
  );
  return `it depends on the RequestContext of another copy of @fairlead/controllers. The copies are ${own} and ${other}.\n  Fix: ${explainOneCopy('@fairlead/controllers')}`;
}

/** Throws before the base constructor runs, so no context is created. */
function refuse(): ConstructorParameters<typeof Context> {
  throw new ControllerError(
    "RequestContext is only available in the scope that a controller's route opens. In another scope, provide it: scope.register(RequestContext, { useValue: ctx }).",
    { code: 'NO_REQUEST' },
  );
}

/** Wraps a function that runs for a request so that the request's scope stays open until its result has settled. */
export type Hold = <Input>(
  run: (ctx: Context, input: Input) => unknown,
) => (ctx: Context, input: Input) => unknown;

/** Opens and disposes one container scope per request. */
export class RequestScopes {
  readonly #scopes = new WeakMap<Context, HeldScope>();
  readonly #container: ContainerInterface;
  readonly #hasContext: boolean;
  readonly #warn: (message: string) => unknown;

  /** @param container - Without scopes, it resolves tokens itself. */
  constructor(container: ContainerInterface, warn: (message: string) => void) {
    this.#container = container;
    // A container of @fairlead/di knows the class by its decorator. Others may not.
    // A test may override it with a value, which no scope can replace.
    this.#hasContext =
      container.has?.(RequestContext) === true && container.isShared?.(RequestContext) !== true;
    this.#warn = warn;
  }

  /** Returns the resolver of a request's tokens. */
  of(ctx: Context): Pick<ScopeInterface, 'resolve'> & Partial<ScopeInterface> {
    return this.#scopes.get(ctx)?.scope ?? this.#container;
  }

  /**
   * Opens a request's scope and registers its context there. Disposes the scope after the pipeline and
   * all functions under {@link hold} have settled, the response was sent or the client disconnected,
   * and the response's stream has closed.
   */
  readonly middleware: Middleware = describe<Middleware>(
    (ctx, next) => {
      const scope = this.#container.createScope?.();
      if (scope === undefined) return next();
      const report = (error: unknown): unknown => {
        const text = `disposing the request scope of ${ctx.method} ${ctx.path} failed`;
        return this.#warn(`${text}: ${inspect(printable(error))}`);
      };
      const held = new HeldScope(scope, reporterOf('logger.warn() of controllersPlugin()', report));
      this.#scopes.set(ctx, held);
      if (this.#hasContext) scope.register(RequestContext, { useValue: ctx });
      const release = held.take();
      const end = (): void => {
        const { res, responseBody } = ctx;
        if (responseBody instanceof Readable) finished(responseBody, held.take());
        if (!res.closed) res.once('close', held.take());
        release();
      };
      let result: unknown;
      try {
        result = next();
      } catch (error) {
        end();
        throw error;
      }
      if (isPromiseLike(result)) return Promise.resolve(result).finally(end);
      end();
      return result;
    },
    { role: 'middleware' },
  );

  // The pipeline may end before the method: `timeout()` responds while it is still running.
  readonly hold: Hold = (run) => {
    const wrapped: typeof run = (ctx, input) => {
      const result = run(ctx, input);
      const held = this.#scopes.get(ctx);
      // Promise.resolve awaits a thenable once. Some restart their work each time they are awaited.
      return held && isPromiseLike(result) ? Promise.resolve(result).finally(held.take()) : result;
    };
    Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(run));
    return describe(wrapped, { wraps: run });
  };
}

/** Rejects also if the container of another library throws. */
async function dispose(scope: ScopeInterface): Promise<void> {
  await scope[Symbol.asyncDispose]();
}

/** A request's scope, disposed when everything that has taken it has released it. */
class HeldScope {
  readonly scope: ScopeInterface;
  readonly #release: () => void;
  #holders = 0;

  /** @param onError - Called when disposing the scope fails. */
  constructor(scope: ScopeInterface, onError: (error: unknown) => void) {
    this.scope = scope;
    this.#release = () => {
      this.#holders -= 1;
      if (this.#holders === 0) void dispose(scope).catch(onError);
    };
  }

  /** The caller must call the returned function once. */
  take(): () => void {
    this.#holders += 1;
    return this.#release;
  }
}
