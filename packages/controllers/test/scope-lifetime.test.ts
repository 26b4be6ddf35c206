import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApp, createRouter, ForbiddenError, type Middleware } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { describe, expect, it } from 'vitest';
import {
  Controller,
  controllersPlugin,
  Get,
  type Interceptor,
  type MiddlewareReference,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { serve } from './support/serve.js';
import { signal } from './support/signal.js';

/** Creates a request-scoped service that notes when it is disposed. */
function createConnection() {
  const steps: string[] = [];
  const disposed = signal();
  @Service({ scope: 'request' })
  class Connection implements Disposable {
    [Symbol.dispose]() {
      steps.push('disposed');
      disposed.give();
    }
  }
  return { Connection, steps, disposed: disposed.given };
}

/** Responds without waiting for the method. */
const giveUp: Middleware = (ctx, next) => {
  void next();
  ctx.abort(new ForbiddenError());
};
const wait: Middleware = (_ctx, next) => next();
/** Responds without waiting for the method. */
const hasty: Interceptor = (_ctx, next) => Promise.race([next(), 'hasty']);
const passing: Interceptor = (_ctx, next) => next();

describe('a request scope outlives', () => {
  it.each<[string, MiddlewareReference, Interceptor, string[]]>([
    ['middleware', giveUp, passing, ['responded', 'method ended', 'middleware ended']],
    ['an interceptor', wait, hasty, ['middleware ended', 'responded', 'method ended']],
  ])('a method that %s does not wait for', async (_, limit, interceptor, steps) => {
    const connection = createConnection();
    const [responded, go] = [signal(), signal()];

    @Controller()
    @Service({ scope: 'request' })
    class SlowController {
      static readonly inject = [connection.Connection] as const;
      constructor(readonly connection: Disposable) {}

      @Get()
      @UseMiddleware(
        (ctx, next) => {
          ctx.res.once('close', responded.give);
          return next();
        },
        limit,
        async (_ctx, next) => {
          await next();
          connection.steps.push('middleware ended');
        },
      )
      @UseInterceptor(interceptor)
      async read() {
        await go.given;
        connection.steps.push('method ended');
      }
    }

    const { fetch } = await serve({ controllers: [SlowController] });
    await (await fetch('/')).text();
    await responded.given;
    await nextTurn();
    connection.steps.push('responded');
    go.give();
    await connection.disposed;
    expect(connection.steps).toEqual([...steps, 'disposed']);
  });

  it.each<[string, (texts: AsyncGenerator<string>) => unknown]>([
    ['a stream of node', (texts) => Readable.from(texts)],
    ['a stream of the web', (texts) => ReadableStream.from(texts)],
  ])('%s whose client has left', async (_, respond) => {
    const { Connection, steps, disposed } = createConnection();

    @Controller()
    @Service({ scope: 'request' })
    class StreamController {
      static readonly inject = [Connection] as const;
      constructor(readonly connection: Disposable) {}

      @Get()
      read() {
        return respond(this.texts());
      }

      async *texts() {
        try {
          for (;;) yield 'text'.repeat(1_000);
        } finally {
          await nextTurn();
          steps.push('generator ended');
        }
      }
    }

    const { url } = await serve({ controllers: [StreamController] });
    const outgoing = request(url).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(incoming, 'data');
    incoming.destroy();
    await disposed;
    expect(steps).toEqual(['generator ended', 'disposed']);
  });
});

it('a request scope ends when a response of app.request() is collected unread', async () => {
  const { Connection, steps } = createConnection();

  @Controller()
  @Service({ scope: 'request' })
  class StreamController {
    static readonly inject = [Connection] as const;
    constructor(readonly connection: Disposable) {}

    @Get()
    read() {
      const stream = new Readable({ read: () => undefined });
      stream.push('begun');
      return stream;
    }
  }

  const router = createRouter();
  const app = createApp();
  const controllers = [StreamController];
  await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
  app.route('/', router);
  await app.request('/');
  const stepsAfterCollection = () => {
    collectGarbage();
    return steps;
  };
  await expect.poll(stepsAfterCollection).toEqual(['disposed']);
});
