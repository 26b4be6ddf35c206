/** `compose()` of koa-compose: each composition is an application whose middleware passes on the context it was called with. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  type Context,
  createApp,
  InvalidMiddlewareError,
  type Next,
  NextCalledTwiceError,
} from '@fairlead/core';

type Step = (context: unknown, next: unknown) => unknown;

interface Call {
  readonly context: unknown;
  readonly last: Step | undefined;
  readonly settle: (result: unknown) => void;
}

const calls = new Map<string, Call>();
let last = 0;

const callOf = (ctx: Context): Call => {
  const call = calls.get(ctx.get('Call') ?? '');
  if (call === undefined) throw new Error('The request belongs to no call.');
  return call;
};

function compose(...lists: readonly unknown[][]): Step {
  const [steps] = lists.length === 0 ? [[]] : lists;
  const app = createApp();
  app.use((ctx, next) => {
    const { settle } = callOf(ctx);
    settle((async () => next())().catch(translate));
    ctx.send('');
  });
  const wrap = (step: unknown): never =>
    (typeof step === 'function'
      ? (ctx: Context, next: Next) => step(callOf(ctx).context, next)
      : step) as never;
  for (const step of [...(steps as unknown[])]) app.use(wrap(step));
  app.use((ctx, next) => {
    const { context, last } = callOf(ctx);
    return last === undefined ? next() : last(context, next);
  });
  try {
    app.seal();
  } catch (error) {
    translate(error);
  }
  return (context, next) =>
    new Promise((settle) => {
      last += 1;
      calls.set(String(last), { context, settle, last: next as Step | undefined });
      const req = new IncomingMessage(new Socket());
      Object.assign(req, { method: 'GET', url: '/', headers: { host: 'a', call: String(last) } });
      app.handle(req, new ServerResponse(req));
    });
}

/** Throws an error as koa-compose does. */
function translate(error: unknown): never {
  if (error instanceof InvalidMiddlewareError) throw new TypeError(error.message);
  if (error instanceof NextCalledTwiceError) {
    throw new Error(`next() called multiple times: ${error.message}`);
  }
  throw error;
}

export { compose as 'module.exports' };
