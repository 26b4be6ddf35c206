/**
 * Middleware of Express, which runs in an application through `connect()` and then passes on the request as without the
 * application.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type ConnectMiddleware, connect } from '@fairlead/connect';
import { createApp } from '@fairlead/core';

type Factory = (...args: unknown[]) => ConnectMiddleware;

const factory: Factory = createRequire(import.meta.url)(process.env.SUITE_ROOT ?? '');

function create(...args: unknown[]): ConnectMiddleware {
  const callers = new WeakMap<IncomingMessage, (error?: unknown) => void>();
  const pass = (req: IncomingMessage, error?: unknown): void => callers.get(req)?.(error);
  const app = createApp({ onError: () => undefined })
    .use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        await connect((req: IncomingMessage, _res: ServerResponse) => pass(req, error))(ctx, next);
      }
    })
    .use(connect(factory(...args), { onError: (error, ctx) => pass(ctx.req, error) }))
    .use(connect((req: IncomingMessage, _res: ServerResponse) => pass(req)));
  return (req, res, next) => {
    callers.set(req, next);
    app.handle(req, res);
  };
}

const adapted = Object.assign(create, factory);

export { adapted as 'module.exports' };
