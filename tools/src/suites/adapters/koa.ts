/** As much of Koa's application as the tests of its middleware use, on an application of ours. */
import { createServer, type Server } from 'node:http';
import { type Context, createApp, type Middleware } from '@fairlead/core';

/** Our middleware, which gets our context. */
export const ours = new WeakSet<object>();

/** Returns the context of a request as Koa's applications see it. */
export const facadeOf = (ctx: Context): object => ({
  url: ctx.req.url,
  get: (name: string) => ctx.get(name) ?? '',
  set: (name: string, value: string) => ctx.set(name, value),
  set body(value: object) {
    ctx.json(value);
  },
});

export class Koa {
  readonly #app = createApp({ onError: () => undefined });

  use(step: (ctx: never, next: unknown) => unknown): this {
    const adapted: Middleware = (ctx, next) => step(facadeOf(ctx) as never, next);
    this.#app.use(ours.has(step) ? (step as Middleware) : adapted);
    return this;
  }

  listen(): Server {
    return createServer(this.#app.handle).listen();
  }
}

export { Koa as 'module.exports' };
