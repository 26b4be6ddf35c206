import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  createApp,
  createRouter,
  type Middleware,
  type TracedCall,
  type TracedPart,
} from '../src/index.js';

const PARTS: readonly TracedPart[] = [
  'request',
  'middleware',
  'validation',
  'handler',
  'serialization',
];

/** Subscribes to parts for the rest of the test, and returns what they publish. */
function subscribe(parts: readonly TracedPart[] = PARTS): string[] {
  const events: string[] = [];
  for (const part of parts) {
    const note = (event: string) => (message: unknown) => {
      const { name, ctx, error } = message as TracedCall;
      const failure = error === undefined ? '' : ` ${(error as Error).message}`;
      events.push(`${part} ${event} ${name}${failure} ${ctx?.path}`);
    };
    const subscribers = {
      start: note('start'),
      end: note('end'),
      asyncStart: note('asyncStart'),
      asyncEnd: note('asyncEnd'),
      error: note('error'),
    };
    const channel = tracingChannel(`fairlead:${part}`);
    channel.subscribe(subscribers);
    onTestFinished(() => {
      channel.unsubscribe(subscribers);
    });
  }
  return events;
}

const pass: Middleware = function pass(_ctx, next) {
  return next();
};
const POST = { method: 'POST', body: '{"id":1}', headers: { 'Content-Type': 'application/json' } };
const body = z.object({ id: z.number() });

describe('the tracing channels of a request', () => {
  it('publish its parts in order, synchronously', async () => {
    const events = subscribe();
    const router = createRouter().get('/:id', { params: z.object({ id: z.string() }) }, pass, get);
    function get() {
      return { id: 7 };
    }
    const app = createApp().use(pass).route('/users', router);
    expect(await (await app.request('/users/7')).json()).toEqual({ id: 7 });
    expect(events).toEqual(
      [
        'request start request',
        'middleware start pass',
        'middleware start pass',
        'validation start GET /users/:id',
        'validation end GET /users/:id',
        'handler start get',
        'handler end get',
        'serialization start GET /users/:id',
        'serialization end GET /users/:id',
        'middleware end pass',
        'middleware end pass',
        'request end request',
      ].map((event) => `${event} /users/7`),
    );
  });

  it('publish when an asynchronous part has settled, with its error', async () => {
    const events = subscribe(['handler', 'middleware']);
    const app = createApp({ onError: () => undefined })
      .use('/admin', async (_ctx, next) => {
        await next();
      })
      .get('/admin/late', async () => {
        throw new Error('late');
      })
      .get('/early', () => {
        throw new Error('early');
      });
    expect((await app.request('/admin/late')).status).toBe(500);
    expect(events.splice(0)).toEqual([
      'middleware start middleware#0 /admin/late',
      'handler start handler /admin/late',
      'handler end handler /admin/late',
      'middleware end middleware#0 /admin/late',
      'handler error handler late /admin/late',
      'handler asyncStart handler late /admin/late',
      'handler asyncEnd handler late /admin/late',
      'middleware error middleware#0 late /admin/late',
      'middleware asyncStart middleware#0 late /admin/late',
      'middleware asyncEnd middleware#0 late /admin/late',
    ]);
    expect((await app.request('/early')).status).toBe(500);
    expect(events).toEqual([
      'handler start handler /early',
      'handler error handler early /early',
      'handler end handler early /early',
    ]);
  });

  it('publish the refusal of a malformed target', async () => {
    const events = subscribe(['request']);
    const app = createApp().get('/', () => 1);
    expect((await app.request('/%zz')).status).toBe(400);
    expect(events.map((event) => event.split(' ')[1])).toEqual(['start', 'error', 'end']);
  });

  it('bind stores for the parts within', async () => {
    const spans = new AsyncLocalStorage<string>();
    const channel = tracingChannel<string, TracedCall>('fairlead:request');
    channel.start.bindStore(spans, ({ ctx }) => `span of ${ctx?.path}`);
    onTestFinished(() => {
      channel.start.unbindStore(spans);
    });
    const app = createApp().get('/', async () => {
      await undefined;
      return spans.getStore();
    });
    expect(await (await app.request('/')).json()).toBe('span of /');
    expect(spans.getStore()).toBeUndefined();
  });

  it('leave responses as they are', async () => {
    const create = () =>
      createApp()
        .use(pass)
        .post('/', { body, response: { 201: body } }, (ctx) => ctx.body)
        .get('/text', (ctx) => ctx.send('text'))
        .get('/none', () => undefined);
    const show = async (app: ReturnType<typeof create>) => {
      const responses = [
        await app.request('/', POST),
        await app.request('/', { ...POST, body: '{"id":"a"}' }),
        await app.request('/text'),
        await app.request('/missing'),
      ];
      return Promise.all(responses.map(async (one) => [one.status, await one.text()]));
    };
    const plain = await show(create());
    const events = subscribe();
    expect(await show(create())).toEqual(plain);
    expect(events.length).toBeGreaterThan(0);
  });

  it('publish nothing of an application that was sealed before somebody subscribed', async () => {
    const app = createApp().get('/', () => 1);
    app.seal();
    const events = subscribe();
    await app.request('/');
    expect(events).toEqual([]);
  });

  it('keep the names and places of functions in messages', async () => {
    subscribe();
    const forgets: Middleware = function forgets(_ctx, next) {
      void next();
    };
    const app = createApp({ onError: () => undefined })
      .use(forgets)
      .get('/', async () => 1);
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    await app.request('/');
    const message = "The middleware 'forgets' neither awaited nor returned next()";
    expect(String(emit.mock.calls[0])).toContain(message);
    expect(String(emit.mock.calls[0])).toMatch(/\n {2}At: .*tracing\.test\.ts/);
  });
});
