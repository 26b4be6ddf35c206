import { finished, Readable } from 'node:stream';
import type { Context, Middleware } from '@fairlead/core';
import type { ContainerInterface, RequestScope } from '@fairlead/di';
import { RequestContext } from '../invocation/request-context.js';
import { isPromiseLike } from '../promise.js';

/** A function that runs for a request: a middleware, an interceptor, the call of a method. */
type Run<Input> = (ctx: Context, input: Input) => unknown;

/** Wraps a function so that the request's scope stays open until what it returns has settled. */
export type Hold = <Input>(run: Run<Input>) => Run<Input>;

/** The request scopes of the requests that are being answered: one for each. */
export class RequestScopes {
  readonly #scopes = new WeakMap<Context, HeldScope>();
  readonly #container: ContainerInterface;
  readonly #hasContext: boolean;
  readonly #warn: (message: string) => void;

  /**
   * @param container - Opens the scopes, or is itself asked when it offers none.
   * @param warn - Is told of a scope that could not be disposed.
   */
  constructor(container: ContainerInterface, warn: (message: string) => void) {
    this.#container = container;
    // That of @fairlead/di has it unasked; another one may not know it.
    this.#hasContext = container.has?.(RequestContext) ?? false;
    this.#warn = warn;
  }

  /** What resolves the tokens of one request. */
  of(ctx: Context): Pick<RequestScope, 'resolve'> & Partial<RequestScope> {
    return this.#scopes.get(ctx)?.scope ?? this.#container;
  }

  /**
   * Opens a request's scope, with the request's context in it. Disposes it once the pipeline and every
   * function under {@link hold} have settled, the response was sent or its client left, and the
   * response's stream has closed.
   */
  readonly middleware: Middleware = (ctx, next) => {
    const scope = this.#container.createScope?.();
    if (scope === undefined) return next();
    const held = new HeldScope(scope, (error) => {
      this.#warn(`the request scope of ${ctx.method} ${ctx.path} failed to dispose: ${error}`);
    });
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
  };

  /**
   * Wraps a function so that the request's scope stays open until what it returns has settled. The
   * pipeline may end earlier: `timeout()` answers while the method still runs.
   */
  readonly hold: Hold = (run) => {
    const wrapped: typeof run = (ctx, input) => {
      const result = run(ctx, input);
      const held = this.#scopes.get(ctx);
      // A thenable may start its work anew whenever it is awaited.
      return held && isPromiseLike(result) ? Promise.resolve(result).finally(held.take()) : result;
    };
    return Object.defineProperty(wrapped, 'name', { value: run.name });
  };
}

/** A request's scope, disposed when the last of its holders has released it. */
class HeldScope {
  readonly scope: RequestScope;
  readonly #fail: (error: unknown) => void;
  #holders = 0;

  /** @param fail - Called with the error when disposing the scope fails. */
  constructor(scope: RequestScope, fail: (error: unknown) => void) {
    this.scope = scope;
    this.#fail = fail;
  }

  /** Adds a holder, which calls the returned function once to release the scope. */
  take(): () => void {
    this.#holders += 1;
    return this.#release;
  }

  readonly #release = (): void => {
    this.#holders -= 1;
    if (this.#holders === 0) this.scope[Symbol.asyncDispose]().then(undefined, this.#fail);
  };
}
