import type { Context, Middleware } from '@fairlead/core';
import type { ContainerInterface, RequestScope } from '@fairlead/di';
import { RequestContext } from '../invocation/request-context.js';
import { isPromiseLike } from '../promise.js';

/** The request scopes of the requests that are being answered: one for each. */
export class RequestScopes {
  readonly #scopes = new WeakMap<Context, RequestScope>();
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
    return this.#scopes.get(ctx) ?? this.#container;
  }

  /**
   * Opens a request's scope, with the request's context in it, and disposes it once both the pipeline
   * and the response have ended: the response when it was sent, or when the client went away.
   */
  readonly middleware: Middleware = (ctx, next) => {
    const scope = this.#container.createScope?.();
    if (scope === undefined) return next();
    this.#scopes.set(ctx, scope);
    if (this.#hasContext) scope.register(RequestContext, { useValue: ctx });
    const dispose = (): void => {
      scope[Symbol.asyncDispose]().then(undefined, (error: unknown) => {
        this.#warn(`the request scope of ${ctx.method} ${ctx.path} failed to dispose: ${error}`);
      });
    };
    const end = (): void => {
      if (ctx.res.closed) dispose();
      else ctx.res.once('close', dispose);
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
}
