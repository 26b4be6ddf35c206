import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import {
  type Application,
  type ApplicationOptions,
  createApp,
  type ErrorFormatter,
  errorHandler,
  json,
  NotFoundError,
  notFoundHandler,
  ServiceUnavailableError,
} from '../src/index.js';
import { giveUp } from './support/give-up.js';

let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const format: ErrorFormatter = ({ status, code, detail }) => ({ status, code, message: detail });

function addRoutes(app: Application): Application {
  return app
    .use(json())
    .get('/gone', (ctx) => {
      ctx.set('Content-Type', 'text/csv');
      ctx.set('Content-Security-Policy', "default-src 'none'");
      ctx.set('ETag', '"1"');
      ctx.set('Cache-Control', 'max-age=60');
      ctx.set('Repr-Digest', 'sha-256=:x:');
      ctx.set('X-Request-Id', '7');
      throw new NotFoundError('No such thing.');
    })
    .get('/boom', () => {
      throw new Error('secret');
    })
    .post('/body', ({ body }) => body)
    .get('/slow', giveUp(1), () => new Promise(() => undefined));
}

const variants: readonly (readonly [string, (options: ApplicationOptions) => Application])[] = [
  ['createApp()', (options) => addRoutes(createApp(options))],
  ['errorHandler()', (options) => addRoutes(createApp().use(errorHandler(options)))],
  [
    'errorHandler() with notFoundHandler()',
    (options) => addRoutes(createApp().use(errorHandler(options))).use(notFoundHandler()),
  ],
];

describe.each(variants)('format of %s', (_, create) => {
  it.each<[string, RequestInit, number, string, string]>([
    ['/gone', {}, 404, 'NOT_FOUND', 'No such thing.'],
    ['/nowhere', {}, 404, 'NOT_FOUND', 'No route matches /nowhere.'],
    [
      '/gone',
      { method: 'PUT' },
      405,
      'METHOD_NOT_ALLOWED',
      '/gone does not support PUT. Use one of GET, HEAD, OPTIONS.',
    ],
    [
      '/body',
      { method: 'POST', body: 'x' },
      415,
      'BODY_NOT_READ',
      "Cannot read the body of type 'text/plain;charset=UTF-8'. Send a supported media type, such as application/json.",
    ],
    ['/boom', {}, 500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'],
    ['/slow', {}, 503, 'GAVE_UP', 'Service Unavailable'],
    [
      '/%zz',
      {},
      400,
      'MALFORMED_TARGET',
      'The request target is malformed. Send a path with valid percent-encoded UTF-8.',
    ],
  ])('shapes the error of %s %o', async (path, init, status, code, message) => {
    const response = await create({ format }).request(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ status, code, message });
  });

  it('receives the problem, the error and the context', async () => {
    const calls: unknown[][] = [];
    const app = create({ format: (...call) => void calls.push(call) });
    const response = await app.request('/boom');
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(calls).toEqual([
      [await response.json(), new Error('secret'), expect.objectContaining({ path: '/boom' })],
    ]);
  });

  it('may set its own type or respond through ctx', async () => {
    const app = create({
      format: (problem, _error, ctx) => {
        if (problem.status === 404) return ctx.html(`<h1>${problem.title}</h1>`);
        ctx.set('Content-Type', 'application/vnd.api+json');
        return { errors: [{ title: problem.title }] };
      },
    });
    const missing = await app.request('/nowhere');
    expect([missing.status, await missing.text()]).toEqual([404, '<h1>Not Found</h1>']);
    const boom = await app.request('/boom');
    expect(boom.headers.get('Content-Type')).toBe('application/vnd.api+json');
    expect(await boom.json()).toEqual({ errors: [{ title: 'Internal Server Error' }] });
  });

  it.each<[string, ErrorFormatter]>([
    [
      'throws',
      () => {
        throw new Error('format failed');
      },
    ],
    ['returns what JSON cannot represent', () => new Map()],
  ])(
    'falls back to a generic problem when it %s, and both errors are logged',
    async (_, broken) => {
      const onError = vi.fn();
      const response = await create({ format: broken, onError }).request('/boom');
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', status: 500 });
      expect(onError.mock.calls[0]?.[0]).toMatchObject({
        errors: [new Error('secret'), expect.any(Error)],
      });
    },
  );

  it('has no headers of the body that failed', async () => {
    const { headers } = await create({ format }).request('/gone');
    expect([...headers.keys()].sort()).toEqual([
      'connection',
      'content-length',
      'content-security-policy',
      'content-type',
      'date',
      'keep-alive',
      'x-request-id',
    ]);
  });
});

describe('createApp({ onError, includeStack })', () => {
  it('receives hidden errors and those of streams', async () => {
    const onError = vi.fn();
    const app = createApp({ onError })
      .get('/boom', () => {
        throw new ServiceUnavailableError('secret');
      })
      .get('/stream', async function* () {
        yield 'one';
        throw new Error('stream');
      });
    expect((await app.request('/boom')).status).toBe(503);
    await expect((await app.request('/stream')).text()).rejects.toThrow();
    expect(onError.mock.calls.map(([error, ctx]) => [error.message, ctx.path])).toEqual([
      ['secret', '/boom'],
      ['stream', '/stream'],
    ]);
    expect(stderr).not.toHaveBeenCalled();
  });

  it('applies to errors outside of errorHandler(), which inherits omitted options', async () => {
    const onError = vi.fn();
    const app = createApp({ onError, format })
      .use('/outside', () => {
        throw new Error('outside');
      })
      .use(errorHandler())
      .use('/inside', () => {
        throw new Error('inside');
      });
    expect(await (await app.request('/outside')).json()).toMatchObject({ status: 500 });
    expect(await (await app.request('/inside')).json()).toEqual({
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Internal Server Error',
    });
    expect(onError).toHaveBeenCalledTimes(2);
  });

  it('adds stacks only if includeStack is true', async () => {
    const boom = () => {
      throw new Error('secret');
    };
    const body = async (options: ApplicationOptions) =>
      (await createApp(options).get('/', boom).request('/')).json();
    expect(await body({ includeStack: true })).toMatchObject({
      stack: expect.stringContaining('Error: secret'),
    });
    expect(await body({})).not.toHaveProperty('stack');
  });
});

describe('createApp({ notFound })', () => {
  it('responds to unknown paths with status 404', async () => {
    const app = createApp({ notFound: ({ path }) => ({ missing: path }) }).get('/a', () => 1);
    const response = await app.request('/b');
    expect([response.status, await response.json()]).toEqual([404, { missing: '/b' }]);
  });

  it('may set another status and respond through ctx, also asynchronously', async () => {
    const app = createApp({
      notFound: async (ctx) => {
        ctx.status = 200;
        ctx.html('<h1>App</h1>');
      },
    });
    const response = await app.request('/any');
    expect([response.status, await response.text()]).toEqual([200, '<h1>App</h1>']);
  });

  it('leaves 405, OPTIONS and malformed paths to the application', async () => {
    const notFound = vi.fn();
    const app = createApp({ notFound }).get('/a', () => 1);
    expect((await app.request('/a', { method: 'PUT' })).status).toBe(405);
    expect((await app.request('/a', { method: 'OPTIONS' })).status).toBe(204);
    expect((await app.request('/%zz')).status).toBe(400);
    expect(notFound).not.toHaveBeenCalled();
  });

  it('sends the default body if it sends none', async () => {
    const app = createApp({ notFound: () => undefined });
    expect(await (await app.request('/b')).json()).toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('notFoundHandler({ format }) shapes its own errors', async () => {
  const app = createApp().use(notFoundHandler({ format }));
  expect(await (await app.request('/b')).json()).toEqual({
    status: 404,
    code: 'NOT_FOUND',
    message: 'No route matches /b.',
  });
});
