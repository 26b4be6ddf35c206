import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import {
  type Application,
  BadRequestError,
  type Context,
  createApp,
  type ErrorHandlerOptions,
  errorHandler,
  HttpError,
  type Middleware,
  NotFoundError,
} from '../src/index.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

/** Keeps the framework's stderr output out of the test output. */
let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const thrower =
  (error: unknown): Middleware =>
  () => {
    throw error;
  };

function failing(error: unknown, options?: ErrorHandlerOptions): Application {
  return createApp().use(errorHandler(options), thrower(error));
}

async function get(app: Application, path = '/', method = 'GET') {
  const send = await sender(app);
  return send(method, path);
}

describe('errorHandler', () => {
  it('prints no properties of an error that may have user data, but those of an HttpError', async () => {
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'ada' });
    await get(failing(cause));
    await get(failing(new HttpError(500, 'No order.', { cause, details: { order: 7 } })));
    const printed = stderr.mock.calls.map(([error]) => inspect(error));
    expect(printed).toEqual([
      expect.stringContaining("code: '23505'"),
      expect.stringContaining('order: 7'),
    ]);
    expect(printed.join()).not.toContain('ada');
  });

  it('responds with the error as application/problem+json', async () => {
    const error = new NotFoundError('No user has the id 7.', { details: { id: '7' } });
    const reply = await get(failing(error), '/users/7?page=1');
    expect(reply.status).toBe(404);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(reply.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No user has the id 7.',
      instance: '/users/7',
      code: 'NOT_FOUND',
      error: 'No user has the id 7.',
      id: '7',
    });
  });

  it('handles an error after an await in the same way', async () => {
    const app = createApp().use(errorHandler(), async () => {
      await Promise.resolve();
      throw new BadRequestError('Later.');
    });
    expect((await get(app)).json()).toMatchObject({ status: 400, detail: 'Later.' });
  });

  it("sends the error's headers", async () => {
    const error = new HttpError(429, 'Slow down.', { headers: { 'Retry-After': '3' } });
    expect((await get(failing(error))).headers['retry-after']).toBe('3');
  });

  it.each([true, false])('shows the stack: %s', async (includeStack) => {
    const reply = await get(failing(new BadRequestError('Why.'), { includeStack }));
    expect('stack' in (reply.json() as object)).toBe(includeStack);
  });

  it.each([undefined, {}, { includeStack: undefined }])(
    'shows no stack with the options %j',
    async (options) => {
      for (const error of [new Error('secret'), new BadRequestError()]) {
        const reply = await get(failing(error, options as ErrorHandlerOptions));
        expect(reply.json()).not.toHaveProperty('stack');
      }
    },
  );

  it.each([[new Error('secret')], ['secret'], [null], [undefined], [new HttpError(503, 'secret')]])(
    'passes %j to onError, not to the client',
    async (thrown) => {
      const reported: unknown[] = [];
      const onError = (error: unknown, ctx: Context) => reported.push([error, ctx.path]);
      const reply = await get(failing(thrown, { onError }), '/here');
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(reply.text).not.toContain('secret');
      expect(reported).toEqual([[thrown, '/here']]);
      expect(stderr).not.toHaveBeenCalled();
    },
  );

  it('does not call onError for an exposed error', async () => {
    const reported: unknown[] = [];
    await get(failing(new NotFoundError(), { onError: (error) => reported.push(error) }));
    expect(reported).toEqual([]);
  });

  it('passes an exposed error with `report: true` to onError and to the client', async () => {
    const reported: unknown[] = [];
    const error = new HttpError(400, 'Send a number.', { report: true });
    const onError = (value: unknown) => reported.push(value);
    const reply = await get(failing(error, { onError }));
    expect(reported).toEqual([error]);
    expect(await reply.json()).toMatchObject({ status: 400, error: 'Send a number.' });
  });

  it('logs to stderr without onError', async () => {
    const error = new Error('secret');
    await get(failing(error));
    expect(stderr.mock.calls).toEqual([[error]]);
  });

  it('responds with 500 when onError throws', async () => {
    const broken = new Error('The log is full.');
    const onError = () => {
      throw broken;
    };
    expect((await get(failing(new Error('secret'), { onError }))).status).toBe(500);
    const both = new AggregateError(
      [new Error('secret'), broken],
      'onError failed to report an error.',
    );
    expect(stderr.mock.calls).toEqual([[both]]);
  });

  it('logs both errors when the promise of onError rejects', async () => {
    const onError = async () => {
      throw new Error('The log is full.');
    };
    expect((await get(failing(new Error('secret'), { onError }))).status).toBe(500);
    await expect.poll(() => stderr.mock.calls).toMatchObject([[{ errors: [{}, {}] }]]);
  });

  it('replaces a recorded response and the headers that describe its body', async () => {
    const app = createApp().use(errorHandler(), (ctx) => {
      ctx.status = 201;
      ctx.set('ETag', '"1"');
      ctx.set('Content-Language', 'en');
      ctx.set('Cache-Control', 'max-age=60');
      ctx.set('Location', '/elsewhere');
      ctx.set('Access-Control-Allow-Origin', '*');
      ctx.html('<p>half</p>');
      throw new BadRequestError('After all.');
    });
    const { status, headers, text } = await get(app);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ detail: 'After all.' });
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'access-control-allow-origin': '*',
    });
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/etag|language|cache|location/)]),
    );
  });

  it('keeps cookies, and keeps shared caches from storing them', async () => {
    const app = createApp().use(errorHandler(), (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=60');
      ctx.set('Set-Cookie', 'theme=dark');
      throw new NotFoundError();
    });
    const { status, headers } = await get(app);
    expect(status).toBe(404);
    expect(headers).toMatchObject({ 'set-cookie': ['theme=dark'], 'cache-control': 'no-store' });
  });

  it('replaces a response that was taken over but not written', async () => {
    const app = createApp().use(errorHandler(), (ctx) => {
      ctx.takeOver();
      throw new BadRequestError('After all.');
    });
    expect((await get(app)).status).toBe(400);
  });

  it('lets upstream middleware change the response', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        ctx.set('X-Status', ctx.status);
      })
      .use(errorHandler(), thrower(new NotFoundError()));
    expect((await get(app)).headers['x-status']).toBe('404');
  });

  it('responds to HEAD with headers only', async () => {
    const whole = await get(failing(new NotFoundError()));
    const head = await get(failing(new NotFoundError()), '/', 'HEAD');
    expect(head).toMatchObject({ status: 404, text: '' });
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
  });

  it('closes the connection when the response has started', async () => {
    const reported: unknown[] = [];
    const late = new Error('Too late.');
    const app = createApp().use(
      errorHandler({ onError: (error) => reported.push(error) }),
      (ctx) => {
        ctx.takeOver().writeHead(200, { 'Content-Length': '10' }).write('half');
        throw late;
      },
    );
    const { port } = await serve(app);
    const { socket, ended } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await ended()).not.toContain('Too late.');
    expect(reported).toEqual([late]);
  });
});

describe("the diagnostics channel 'fairlead:error'", () => {
  /** Collects the messages of the channel until the test ends. */
  function messages(): unknown[] {
    const received: unknown[] = [];
    const listener = (message: unknown) => received.push(message);
    subscribe('fairlead:error', listener);
    onTestFinished(() => void unsubscribe('fairlead:error', listener));
    return received;
  }

  const sent = (error: unknown, path = '/here') => ({
    error,
    ctx: expect.objectContaining({ path }),
  });

  it('receives each error that goes to onError, with its context', async () => {
    const received = messages();
    const error = new Error('secret');
    await get(failing(error, { onError: () => undefined }), '/here');
    await get(failing(error), '/there');
    expect(received).toEqual([sent(error), sent(error, '/there')]);
  });

  it('receives an error that no errorHandler has handled', async () => {
    const received = messages();
    const error = new Error('secret');
    await get(createApp().use(thrower(error)), '/here');
    expect(received).toEqual([sent(error)]);
  });

  it('receives the error of a stream that fails while it is sent', async () => {
    const received = messages();
    const error = new Error('cut');
    const app = createApp().use(errorHandler(), (ctx) => ctx.send(Readable.from(half(error))));
    const { url } = await serve(app);
    await expect((await fetch(`${url}/here`)).text()).rejects.toThrow();
    await expect.poll(() => received).toEqual([sent(error)]);
  });

  it('receives no error that clients see', async () => {
    const received = messages();
    await get(failing(new NotFoundError()));
    expect(received).toEqual([]);
  });
});

describe('a stream that fails while it is sent', () => {
  it.each<[string, Middleware]>([
    ['at once', (_ctx, next) => next()],
    ['later', async (_ctx, next) => next()],
  ])(
    'is passed to onError with its request, when the handler has responded %s',
    async (_, step) => {
      const reported: unknown[] = [];
      const broken = new Error('Broken.');
      const app = createApp().use(
        errorHandler({ onError: (error, ctx) => reported.push([error, ctx.path]) }),
        step,
        (ctx) => ctx.send(Readable.from(half(broken))),
      );
      const { url } = await serve(app);
      const response = await fetch(`${url}/list`);
      await expect(response.text()).rejects.toThrow();
      await expect.poll(() => reported).toEqual([[broken, '/list']]);
    },
  );
});

async function* half(error: Error) {
  yield 'half';
  throw error;
}

const handlers: readonly (readonly [string, (error: unknown) => Application])[] = [
  ['with errorHandler()', (error) => failing(error)],
  ['without', (error) => createApp().use(thrower(error))],
];

describe.each(handlers)('an error, %s', (_, createFailing) => {
  it('becomes a problem body', async () => {
    const reply = await get(createFailing(new BadRequestError('Why.')));
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(reply.json()).toMatchObject({ status: 400, detail: 'Why.' });
  });

  it('becomes a generic body when it is not exposed, and is logged', async () => {
    const error = new Error('secret');
    const reply = await get(createFailing(error));
    expect(reply.json()).toMatchObject({ status: 500, detail: 'Internal Server Error' });
    expect(stderr.mock.calls).toEqual([[error]]);
  });

  it.each([
    ['details', { details: { count: 1n } }],
    ['headers', { headers: { 'X-One': 'a\r\nSet-Cookie: b=1' } }],
  ])(
    'that cannot be sent because of its %s becomes a generic 500, and is logged',
    async (_part, options) => {
      const error = new BadRequestError('Why.', options);
      const reply = await get(createFailing(error));
      expect(reply.status).toBe(500);
      expect(reply.headers).not.toHaveProperty('set-cookie');
      expect(stderr.mock.calls).toMatchObject([[{ errors: [error, expect.any(TypeError)] }]]);
    },
  );
});

describe.each(handlers)(
  'an error of a library that follows http-errors, %s',
  (_, createFailing) => {
    /** Creates an error as http-errors does. */
    const foreign = (members: object, message = 'Why.') =>
      Object.assign(new Error(message), members);

    it.each([
      ['status', { status: 413, expose: true }],
      ['statusCode', { statusCode: 413, expose: true }],
      ['status and statusCode', { status: 413, statusCode: 413, expose: true }],
      [
        'statusCode beside a status of another kind',
        { status: 'fail', statusCode: 413, expose: true },
      ],
    ])('keeps its %s and its message', async (_members, members) => {
      const reply = await get(createFailing(foreign(members)));
      expect(reply.status).toBe(413);
      expect(reply.json()).toEqual({
        type: 'about:blank',
        title: 'Payload Too Large',
        status: 413,
        detail: 'Why.',
        instance: '/',
        code: 'PAYLOAD_TOO_LARGE',
        error: 'Why.',
      });
      expect(stderr).not.toHaveBeenCalled();
    });

    it.each([400, 499])('keeps the status %d', async (status) => {
      const reply = await get(createFailing(foreign({ status, expose: true })));
      expect(reply.status).toBe(status);
    });

    it('has the title of its status without a message', async () => {
      const reply = await get(createFailing(foreign({ status: 404, expose: true }, '')));
      expect(reply.json()).toMatchObject({ detail: 'Not Found' });
    });

    it('keeps its headers', async () => {
      const headers = { 'Retry-After': '3', Allow: 'GET' };
      const reply = await get(createFailing(foreign({ status: 429, expose: true, headers })));
      expect(reply.headers).toMatchObject({ 'retry-after': '3', allow: 'GET' });
    });

    it.each([
      [{ 'Retry-After': 3 }],
      [['Retry-After', '3']],
      ['Retry-After: 3'],
      [null],
      [new Headers({ 'Retry-After': '3' })],
    ])('keeps its status without the headers %j', async (headers) => {
      const reply = await get(createFailing(foreign({ status: 429, expose: true, headers })));
      expect(reply).toMatchObject({ status: 429 });
      expect(reply.headers).not.toHaveProperty('retry-after');
    });

    it('keeps its status, and hides and logs its message, with expose: false', async () => {
      const error = foreign({ status: 404, expose: false });
      const reply = await get(createFailing(error));
      expect(reply.json()).toMatchObject({ status: 404, detail: 'Not Found', error: 'Not Found' });
      expect(stderr.mock.calls).toEqual([[error]]);
    });

    it.each([
      [{ status: 404 }],
      [{ status: 404, expose: 1 }],
      [{ status: '404', expose: true }],
      [{ status: 404.5, expose: true }],
      [{ status: 399, expose: true }],
      [{ status: 500, expose: true }],
      [{ statusCode: 503, expose: true }],
      [{ expose: true }],
    ])('becomes a generic 500, and is logged, with %j', async (members) => {
      const error = foreign(members);
      const reply = await get(createFailing(error));
      expect(reply.json()).toMatchObject({ status: 500, detail: 'Internal Server Error' });
      expect(stderr.mock.calls).toEqual([[error]]);
    });
  },
);

it('errorHandler({ includeStack: true }) shows the stack of an error of another library', async () => {
  const error = Object.assign(new Error('Why.'), { status: 404, expose: true });
  const reply = await get(failing(error, { includeStack: true }));
  expect(reply.json()).toMatchObject({ status: 404, stack: error.stack });
});

it('the connection closes when node refuses to send even the error response', async () => {
  const onError = (_error: unknown, ctx: Context) => ctx.set('Trailer', 'X-Sum');
  const { port } = await serve(createApp({ onError }).use(thrower(new Error('secret'))));
  const { socket, ended } = connectRaw(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await ended()).toBe('');
  const refusal = expect.objectContaining({ code: 'ERR_HTTP_TRAILER_INVALID' });
  expect(stderr.mock.calls).toEqual([[refusal]]);
});
