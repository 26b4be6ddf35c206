import { describe, expect, it } from 'vitest';
import { createApp, createRouter, type Middleware } from '../src/index.js';
import { sender } from './support/send.js';

/** Middleware that logs before and after downstream middleware. */
function tracer(log: string[], name: string): Middleware {
  return async (_ctx, next) => {
    log.push(`${name} in`);
    await next();
    log.push(`${name} out`);
  };
}

describe('middleware', () => {
  it('runs in the order of registration and unwinds in reverse', async () => {
    const log: string[] = [];
    const router = createRouter()
      .get('/', tracer(log, 'route'), (ctx) => {
        log.push('handler');
        ctx.json(null);
      })
      .use(tracer(log, 'router'));
    const app = createApp()
      .use(tracer(log, 'first'), tracer(log, 'second'))
      .route('/', router)
      .use(tracer(log, 'unreached'));
    const send = await sender(app);
    await send('GET', '/');
    expect(log).toEqual([
      'first in',
      'second in',
      'router in',
      'route in',
      'handler',
      'route out',
      'router out',
      'second out',
      'first out',
    ]);
  });

  it('of a router runs only for a matched route', async () => {
    const log: string[] = [];
    const router = createRouter()
      .use(tracer(log, 'router'))
      .get('/a', (ctx) => ctx.json(null));
    const send = await sender(createApp().route('/', router));
    await send('GET', '/b');
    await send('POST', '/a');
    expect(log).toEqual([]);
    await send('GET', '/a');
    expect(log).toEqual(['router in', 'router out']);
  });

  it('that does not call next stops the pipeline', async () => {
    const log: string[] = [];
    const app = createApp()
      .use((ctx) => ctx.send('here'))
      .use(tracer(log, 'below'));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('here');
    expect(log).toEqual([]);
  });

  it('can call ctx.next() instead of its next argument', async () => {
    const log: string[] = [];
    const byContext: Middleware = async (ctx) => {
      log.push('in');
      await ctx.next();
      log.push('out');
    };
    const app = createApp()
      .use(byContext, tracer(log, 'middle'), byContext)
      .use((ctx) => ctx.json(null));
    const send = await sender(app);
    await send('GET', '/');
    expect(log).toEqual(['in', 'middle in', 'in', 'out', 'middle out', 'out']);
  });

  it('can call ctx.next() after an await', async () => {
    const app = createApp()
      .use(async (ctx) => {
        await Promise.resolve();
        await ctx.next();
      })
      .use((ctx) => ctx.send('below'));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('below');
  });

  it('catches synchronous and asynchronous errors from downstream', async () => {
    const catches: Middleware = async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.send(`caught ${String(error)}`);
      }
    };
    const router = createRouter()
      .get('/sync', () => {
        throw 'at once';
      })
      .get('/async', async () => {
        throw 'later';
      });
    const send = await sender(createApp().use(catches).route('/', router));
    expect((await send('GET', '/sync')).text).toBe('caught at once');
    expect((await send('GET', '/async')).text).toBe('caught later');
  });

  it('cannot respond with what it returns', async () => {
    const app = createApp().use(async (_ctx, next) => {
      await next();
      return 'from the middleware' as never;
    });
    app.get('/', () => 'from the handler');
    expect(await (await app.request('/')).json()).toBe('from the handler');
    expect((await app.request('/unknown')).status).toBe(404);
  });

  it('can return a thenable that is not a Promise', async () => {
    const app = createApp().use((ctx) => ({
      // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
      then(settle: (value: unknown) => void) {
        ctx.send('settled');
        settle(undefined);
      },
    }));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('settled');
  });

  it('does not share state between requests', async () => {
    const app = createApp().use((ctx) => {
      const before = { ...ctx.state };
      ctx.state.seen = true;
      ctx.json(before);
    });
    const send = await sender(app);
    await send('GET', '/');
    expect((await send('GET', '/')).json()).toEqual({});
  });
});
