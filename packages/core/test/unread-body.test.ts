import { once } from 'node:events';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, vi } from 'vitest';
import { requireParsedBody } from '../src/extend.js';
import {
  content,
  createApp,
  createRouter,
  json,
  type Middleware,
  type StandardSchema,
  text,
  urlencoded,
} from '../src/index.js';
import { serve } from './support/serve.js';

/** A schema that produces a text for what it receives. */
const schema: StandardSchema<unknown, string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value: String(JSON.stringify(value)) }),
  },
};
const echo: Middleware = ({ body }) => body;
const post = (body: string | Uint8Array | null, type?: string): RequestInit => ({
  method: 'POST',
  body,
  ...(type !== undefined && { headers: { 'Content-Type': type } }),
});

/** Sends a request by hand, and returns the response. */
async function send(app: ReturnType<typeof createApp>, head: string, body: string) {
  const { port } = await serve(app);
  const { socket, ended } = connectRaw(port);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${head}\r\n\r\n${body}`);
  return ended();
}

describe('a route with a body schema', () => {
  const app = createApp().use(json()).post('/', { body: schema }, echo);

  it('refuses a body that no parser has read', async () => {
    const response = await app.request('/', post('a', 'text/plain'));
    expect([response.status, response.headers.get('Accept')]).toEqual([415, 'application/json']);
    expect(await response.json()).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      error: 'The body has the type text/plain. Send it as application/json.',
    });
  });

  it('refuses a body without a type', async () => {
    const response = await app.request('/', post(new Uint8Array(1)));
    expect([response.status, await response.json()]).toMatchObject([
      415,
      { error: 'The body has no Content-Type. Send it as application/json.' },
    ]);
  });

  it('refuses a chunked body', async () => {
    const head = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked';
    const response = await send(app, head, '1\r\na\r\n0\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 415 /);
    expect(response).toContain('The body has the type text/plain. Send it as application/json.');
  });

  it('validates a body that is absent or empty', async () => {
    const chunked = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked';
    expect(await send(app, chunked, '0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 [\s\S]*undefined/);
    for (const init of [
      post(null),
      post(''),
      post('', 'text/plain'),
      post('', 'application/json'),
    ]) {
      expect((await app.request('/', init)).status).toBe(200);
    }
  });

  it('validates a body that was read, also null', async () => {
    for (const body of ['null', '{"a":1}']) {
      const response = await app.request('/', post(body, 'application/json'));
      expect(await response.json()).toBe(body);
    }
  });

  it('validates synchronously if it can', () => {
    const handler = vi.fn<Middleware>(() => null);
    const sync = createApp()
      .use((ctx, next) => {
        ctx.body = 'set';
        const result = next();
        expect(result).toBeUndefined();
      })
      .post('/', { body: schema }, handler);
    return expect(sync.request('/', post('a', 'text/plain'))).resolves.toMatchObject({
      status: 200,
    });
  });

  it('leaves a body alone that middleware reads by itself', async () => {
    const own: Middleware = async (ctx, next) => {
      let read = '';
      for await (const chunk of ctx.bodyStream()) read += chunk;
      ctx.state.read = read;
      await next();
    };
    const app = createApp().post('/', { body: schema }, own, ({ body, state }) => ({
      body,
      ...state,
    }));
    const response = await app.request('/', post('a,b', 'text/csv'));
    expect(await response.json()).toEqual({ body: 'undefined', read: 'a,b' });
  });

  it('responds with BODY_ABORTED to a client that disconnects before the first byte', async () => {
    const failed = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    const app = createApp().post(
      '/',
      { body: schema },
      async (_ctx, next) => {
        begun.resolve();
        try {
          await next();
        } catch (error) {
          failed.resolve(error);
          throw error;
        }
      },
      echo,
    );
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await Promise.all([begun.promise, once(socket, 'connect')]);
    socket.destroy();
    expect(await failed.promise).toMatchObject({ status: 400, code: 'BODY_ABORTED' });
  });

  it.each(['text/csv', 'text/*'] as const)(
    'reports a body of %s that it takes, but for which the application has no parser',
    async (type) => {
      const onError = vi.fn();
      const body = content({ [type]: schema } as Record<typeof type, typeof schema>);
      const app = createApp({ onError }).post('/', { body }, echo);
      const response = await app.request('/', post('a,b', 'text/csv; charset=utf-8'));
      expect([response.status, await response.json()]).toMatchObject([
        415,
        { code: 'BODY_NOT_READ' },
      ]);
      expect(onError.mock.calls).toMatchObject([
        [{ cause: { message: expect.stringContaining("text({ type: 'text/csv' })") } }, {}],
      ]);
    },
  );
});

describe('Accept lists the media types of the parsers', () => {
  it.each<[string, string, ReturnType<typeof createApp>]>([
    [
      'of the application',
      'application/json, text/plain',
      createApp().use(json(), text(), json()).post('/', { body: schema }, echo),
    ],
    [
      'of the prefix',
      'application/json',
      createApp().use('/', json()).use('/x', text()).post('/', { body: schema }, echo),
    ],
    [
      'of the router',
      'application/x-www-form-urlencoded',
      createApp().route('/', createRouter().use(urlencoded()).post('/', { body: schema }, echo)),
    ],
    [
      'of the route',
      'text/*, a/b, application/json',
      createApp().post('/', { body: schema }, text({ type: ['text/*', 'a/b'] }), json(), echo),
    ],
    [
      'before the route',
      'application/json',
      createApp().use(json()).post('/', { body: schema }, echo).use(text()).post('/x', echo),
    ],
    ['of which there is none', 'application/json', createApp().post('/', { body: schema }, echo)],
  ])('%s', async (_where, accept, app) => {
    const response = await app.request('/', post('<a>', 'application/xml'));
    expect([response.status, response.headers.get('Accept')]).toEqual([415, accept]);
    const list = accept.replace(/, ([^,]*)$/, ' or $1');
    expect(await response.json()).toMatchObject({
      error: `The body has the type application/xml. Send it as ${list}.`,
    });
  });

  it('also for a handler that checks the body by itself', async () => {
    const inputs = [{ source: 'body', required: true }] as const;
    const app = createApp().post('/', { inputs }, text(), async (ctx) => {
      await requireParsedBody(ctx);
      return ctx.body;
    });
    const response = await app.request('/', post('<a>', 'application/xml'));
    expect([response.status, response.headers.get('Accept')]).toEqual([415, 'text/plain']);
    expect(await (await app.request('/', post('a', 'text/plain'))).json()).toBe('a');
  });
});
