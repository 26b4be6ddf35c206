import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  type ApplicationOptions,
  type Context,
  createApp,
  createRouter,
  HttpError,
  listen,
  type Middleware,
} from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { timeout } from '@fairlead/middleware';
import compression from 'compression';
import express from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ConnectMiddleware, connect } from '../src/index.js';
import { hello, serve } from './support/serve.js';

/** A promise of the error that passes through the pipeline. */
function caughtError() {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const catcher: Middleware = async (_ctx, next) => {
    try {
      await next();
    } catch (error) {
      resolve(error);
      throw error;
    }
  };
  return { caught: promise, catcher };
}

describe('middleware that calls next()', () => {
  it('runs the rest of the pipeline inside the call', async () => {
    const order: string[] = [];
    const url = await serve(
      connect((_req, _res, next) => {
        order.push('before');
        next();
        order.push('after');
      }),
      (ctx) => {
        order.push('handler');
        hello(ctx);
      },
    );
    expect((await fetch(url)).status).toBe(200);
    expect(order).toEqual(['before', 'handler', 'after']);
  });

  it('creates no promise when everything is synchronous', () => {
    const results: unknown[] = [];
    const app = createApp().use(
      (_ctx, next) => {
        const result = next();
        results.push(result);
        return result;
      },
      connect((_req, _res, next) => next()),
      hello,
    );
    return app.request('/').then((response) => {
      expect(response.status).toBe(200);
      expect(results).toEqual([undefined]);
    });
  });

  it('may do so later', async () => {
    const url = await serve(
      connect((_req, _res, next) => void setImmediate().then(() => next())),
      hello,
    );
    expect(await (await fetch(url)).json()).toEqual({ hello: 'world' });
  });

  it.each<[string, Middleware]>([
    ['text', (ctx) => ctx.send('ab')],
    ['a stream', (ctx) => ctx.send(Readable.from(['a', 'b']))],
  ])('may do so later, as often as needed before %s, without a warning', async (_, respond) => {
    const emitWarning = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => emitWarning.mockRestore());
    const later = Array.from({ length: 20 }, () =>
      connect(async (_req, _res, next) => {
        await setImmediate();
        next();
      }),
    );
    const url = await serve(...later, respond);
    expect(await (await fetch(url)).text()).toBe('ab');
    expect(emitWarning.mock.calls.map(([warning]) => String(warning))).toEqual([]);
  });

  it('runs the rest of the pipeline once, even if it calls next() twice', async () => {
    let count = 0;
    const url = await serve(
      connect((_req, _res, next) => {
        next();
        next();
      }),
      (ctx) => {
        count += 1;
        hello(ctx);
      },
    );
    expect((await fetch(url)).status).toBe(200);
    expect(count).toBe(1);
  });

  it('does not see errors of the rest of the pipeline', async () => {
    const seen: unknown[] = [];
    const url = await serve(
      connect((_req, _res, next) => {
        try {
          next();
        } catch (error) {
          seen.push(error);
        }
      }),
      () => {
        throw new HttpError(418, 'short and stout');
      },
    );
    expect((await fetch(url)).status).toBe(418);
    expect(seen).toEqual([]);
  });

  it('does not set the status', async () => {
    const url = await serve(
      connect((_req, res, next) => {
        res.statusCode = 418;
        next();
      }),
      hello,
    );
    expect((await fetch(url)).status).toBe(200);
  });

  it('gives its name to the pipeline', () => {
    expect(
      connect(function named(_req, _res, next) {
        next();
      }).name,
    ).toBe('named');
    expect(connect((_req, _res, next) => next()).name).toBe('connect');
  });
});

describe('headers', () => {
  it('set by middleware are on the response, as written', async () => {
    const url = await serve(
      connect((_req, res, next) => {
        res.setHeader('X-One', 1);
        res.setHeader('Set-Cookie', ['a=1', 'b=2']);
        next();
      }),
      (ctx) => {
        ctx.append('Set-Cookie', 'c=3');
        hello(ctx);
      },
    );
    const [response] = await once(request(url).end(), 'response');
    response.resume();
    expect(response.rawHeaders).toEqual(expect.arrayContaining(['X-One', '1']));
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2', 'c=3']);
  });

  it('recorded earlier are visible, and can be changed and removed', async () => {
    const url = await serve(
      (ctx, next) => {
        ctx.set('Vary', 'Origin');
        ctx.set('X-Gone', '1');
        return next();
      },
      connect((_req, res, next) => {
        res.appendHeader('Vary', 'Accept-Encoding');
        res.removeHeader('X-Gone');
        next();
      }),
      connect((_req, res, next) => {
        res.setHeader('X-Vary', String(res.getHeader('Vary')));
        next();
      }),
      hello,
    );
    const { headers } = await fetch(url);
    expect(headers.get('vary')).toBe('Origin, Accept-Encoding');
    expect(headers.get('x-vary')).toBe('Origin, Accept-Encoding');
    expect(headers.has('x-gone')).toBe(false);
    expect(headers.has('x-placeholder')).toBe(false);
  });

  it('can be read when the response is complete', async () => {
    const lengths: unknown[] = [];
    const url = await serve(
      connect((_req, res, next) => {
        res.once('finish', () => lengths.push(res.getHeader('Content-Length')));
        next();
      }),
      hello,
    );
    await fetch(url);
    await expect.poll(() => lengths).toEqual(['17']);
  });

  it('of the connection apply to a response of the middleware', async () => {
    const url = await serve(
      (ctx, next) => {
        ctx.set('Connection', 'close');
        return next();
      },
      connect((_req, res) => res.end()),
    );
    const [response] = await once(request(url).end(), 'response');
    response.resume();
    expect(response.headers.connection).toBe('close');
  });

  it('that describe a body do not leak into an error', async () => {
    const url = await serve(
      connect((_req, res, next) => {
        res.setHeader('Content-Type', 'text/csv');
        res.setHeader('Cache-Control', 'max-age=60');
        res.setHeader('X-Frame-Options', 'DENY');
        next();
      }),
      () => {
        throw new HttpError(400, 'no');
      },
    );
    const { headers } = await fetch(url);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.has('cache-control')).toBe(false);
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('removed with ctx after the middleware stay removed', async () => {
    const url = await serve(
      connect((_req, res, next) => {
        res.setHeader('X-Gone', '1');
        next();
      }),
      (ctx) => {
        ctx.responseHeaders.delete('X-Gone');
        hello(ctx);
      },
    );
    expect((await fetch(url)).headers.has('x-gone')).toBe(false);
  });
});

describe('middleware that responds', () => {
  const ends: ConnectMiddleware = (_req, res) => {
    res.statusCode = 202;
    res.setHeader('X-One', '1');
    res.end('mine');
  };

  it.each<[string, ConnectMiddleware]>([
    ['at once', ends],
    ['later', (req, res, next) => void setImmediate().then(() => ends(req, res, next))],
    [
      'in parts',
      async (_req, res) => {
        res.writeHead(202, { 'X-One': '1' });
        res.write('mi');
        await setImmediate();
        res.end('ne');
      },
    ],
  ])('%s takes the response over, and ends the pipeline', async (_, middleware) => {
    const after: string[] = [];
    const url = await serve(
      async (ctx, next) => {
        ctx.set('X-Recorded', '1');
        await next();
        after.push(`${ctx.answered} ${ctx.res.writableFinished}`);
      },
      connect(middleware),
      hello,
    );
    const response = await fetch(url);
    expect([response.status, response.headers.get('x-one')]).toEqual([202, '1']);
    expect(response.headers.get('x-recorded')).toBe('1');
    expect(await response.text()).toBe('mine');
    await expect.poll(() => after).toEqual(['true true']);
  });

  it('with res.redirect() records a redirect', async () => {
    const redirect = (...args: unknown[]) =>
      connect((_req, res) => {
        Reflect.apply(Reflect.get(res, 'redirect'), res, args);
      });
    const router = createRouter()
      .get('/a', redirect('/x'))
      .get('/b', redirect(303, '/x'))
      .get('/c', redirect('/x', 307));
    const app = createApp().route('/', router);
    const responses = await Promise.all(
      ['/a', '/b', '/c'].map((path) => app.request(path, { redirect: 'manual' })),
    );
    expect(responses.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [302, '/x'],
      [303, '/x'],
      [307, '/x'],
    ]);
  });

  it('lets the pipeline end when the client leaves first', async () => {
    const left = Promise.withResolvers<boolean>();
    const url = await serve(
      async (ctx, next) => {
        await next();
        left.resolve(ctx.res.destroyed && ctx.answered);
      },
      connect(() => sent.destroy()),
    );
    const sent = request(url).on('error', () => undefined);
    sent.end();
    expect(await left.promise).toBe(true);
  });

  it('lets the pipeline end when the client has left before', async () => {
    const left = Promise.withResolvers<boolean>();
    const url = await serve(
      async (ctx, next) => {
        const closed = once(ctx.res, 'close');
        sent.destroy();
        await closed;
        await next();
        left.resolve(ctx.answered);
      },
      connect(() => undefined),
    );
    const sent = request(url).on('error', () => undefined);
    sent.end();
    expect(await left.promise).toBe(true);
  });
});

describe('errors', () => {
  const error = new Error('Broken.');

  it.each<[string, ConnectMiddleware]>([
    ['next(error)', (_req, _res, next) => next(error)],
    ['next(error), later', (_req, _res, next) => void setImmediate().then(() => next(error))],
    [
      'an exception',
      () => {
        throw error;
      },
    ],
    ['a rejected promise', () => Promise.reject(error)],
  ])('pass to the error handler: %s', async (_, middleware) => {
    const { caught, catcher } = caughtError();
    const url = await serve(catcher, connect(middleware), hello);
    expect((await fetch(url)).status).toBe(500);
    expect(await caught).toBe(error);
  });

  it('with a client status keep it, without their message', async () => {
    const unauthorized = Object.assign(new Error('secret'), { status: 401 });
    const url = await serve(
      connect((_req, res, next) => {
        res.setHeader('WWW-Authenticate', 'Basic');
        next(unauthorized);
      }),
    );
    const response = await fetch(url);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Basic']);
    expect(await response.json()).toMatchObject({ detail: 'Unauthorized' });
  });

  it.each([
    ['a server status', Object.assign(new Error('x'), { status: 503 })],
    ['an expose flag', Object.assign(new Error('x'), { status: 409, expose: true })],
    ['an HttpError', new HttpError(410, 'x')],
    ['no error', 'text'],
  ])('stay as they are: %s', async (_, thrown) => {
    const { caught, catcher } = caughtError();
    await fetch(
      await serve(
        catcher,
        connect((_req, _res, next) => next(thrown)),
      ),
    );
    expect(await caught).toBe(thrown);
  });

  it('after next() go to onError', async () => {
    const errors: [unknown, string][] = [];
    const onError = (thrown: unknown, ctx: Context) => void errors.push([thrown, ctx.path]);
    const url = await serve(
      connect(
        async (_req, _res, next) => {
          next();
          next(error);
          throw error;
        },
        { onError },
      ),
      hello,
    );
    expect((await fetch(`${url}/late`)).status).toBe(200);
    expect(errors).toEqual([
      [error, '/late'],
      [error, '/late'],
    ]);
  });

  it('after next() go to onError of the application by default', async () => {
    const onError = vi.fn();
    const late = connect((_req, _res, next) => {
      next();
      next(error);
    });
    expect((await createApp({ onError }).use(late, hello).request('/')).status).toBe(200);
    expect(onError).toHaveBeenCalledExactlyOnceWith(error, expect.anything());
  });
});

describe('the request', () => {
  it('has the parsed body, and passes a replaced body on', async () => {
    const url = await serve(
      connect((req, _res, next) => {
        const body: unknown = Reflect.get(req, 'body');
        Reflect.set(req, 'body', { was: body });
        next();
      }),
      (ctx) => ctx.json(ctx.body),
    );
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await response.json()).toEqual({ was: { a: 1 } });
  });

  it('has the query, which middleware can replace', async () => {
    const seen: unknown[] = [];
    const readQuery = connect((req, _res, next) => {
      seen.push({ ...Reflect.get(req, 'query') });
      Reflect.set(req, 'query', { replaced: '1' });
      next();
    });
    await fetch(`${await serve(readQuery, readQuery, hello)}/?a=1&a=2&b=%C3%BC+3`);
    expect(seen).toEqual([{ a: ['1', '2'], b: 'ü 3' }, { replaced: '1' }]);
  });

  it('shares the named properties with ctx.state in both directions', async () => {
    const url = await serve(
      connect(
        (req, _res, next) => {
          Reflect.set(req, 'user', 'Ada');
          next();
        },
        { state: ['user', 'account'] },
      ),
      (ctx, next) => {
        ctx.state.account = 7;
        return next();
      },
      connect((req, res, next) => {
        res.setHeader('X-Account', String(Reflect.get(req, 'account')));
        next();
      }),
      (ctx) => ctx.json(ctx.state.user),
    );
    const response = await fetch(url);
    expect([await response.json(), response.headers.get('x-account')]).toEqual(['Ada', '7']);
  });
});

describe('connect()', () => {
  it.each<[string, unknown[], string]>([
    ['no function', [{}], 'connect() received an object. Pass a function (req, res, next).'],
    [
      'an error handler',
      [function handle(_error: unknown, _req: unknown, _res: unknown, _next: unknown) {}],
      'connect() cannot run the function handle with 4 parameters, which handles errors. Use the onError option of errorHandler(), or middleware with try/catch.',
    ],
    [
      'a factory of middleware',
      [compression],
      'connect() received the function compression, which is not middleware (req, res, next). If it returns middleware, call it: connect(compression()).',
    ],
    ['no options', [() => {}, null], 'options of connect() must be an object: got null.'],
    [
      'everything that is wrong',
      [compression(), { states: [], state: 'user', onError: 'log' }],
      [
        "connect() has no option 'states'. Did you mean 'state'?",
        "state of connect() must be an array of names: got 'user'.",
        "onError of connect() must be a function: got 'log'.",
      ].join('\n'),
    ],
  ])('refuses %s', (_, args, message) => {
    expect(() => Reflect.apply(connect, undefined, args)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message }),
    );
  });
});

it('names a factory that only its result reveals', async () => {
  function noStore() {
    const middleware: ConnectMiddleware = (_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store');
      next();
    };
    return middleware;
  }
  const { caught, catcher } = caughtError();
  const url = await serve(catcher, connect(noStore));
  expect((await fetch(url)).status).toBe(500);
  expect(await caught).toMatchObject({
    code: 'INVALID_CONNECT_MIDDLEWARE',
    message:
      'connect() received the function noStore, which is not middleware (req, res, next). If it returns middleware, call it: connect(noStore()).',
  });
});

it.each<[string, ConnectMiddleware]>([
  ['a rest parameter', (_req, ...[, next]) => next()],
  ['defaults', (_req, _res = undefined as never, next = () => undefined) => next()],
])('accepts middleware with %s', async (_, middleware) => {
  const url = await serve(connect(middleware), hello);
  expect((await fetch(url)).status).toBe(200);
});

it('connect is a factory, not middleware', () => {
  expect(descriptionOf(connect)?.role).toBe('factory');
});

describe('middleware that a timeout ends', () => {
  it('leaves no headers on the response', async () => {
    const url = await serve(
      timeout(1),
      connect((_req, res) => {
        res.setHeader('Content-Encoding', 'gzip');
      }),
    );
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-encoding')]).toEqual([503, null]);
    expect(await response.json()).toMatchObject({ code: 'TIMED_OUT' });
  });

  it('may call next() and respond later, without effect', async () => {
    const late = Promise.withResolvers<boolean>();
    const passed: string[] = [];
    const url = await serve(
      timeout(1),
      connect((_req, res, next) => {
        // The callback of an event: an error would be uncaught.
        res.once('finish', () => {
          next();
          res.setHeader('X-Late', '1');
          res.appendHeader('X-Late', '2');
          res.removeHeader('X-Late');
          res.writeHead(200).end('late');
          late.resolve(res.hasHeader('X-Late'));
        });
      }),
      () => void passed.push('handler'),
    );
    expect((await fetch(url)).status).toBe(503);
    expect(await late.promise).toBe(false);
    expect(passed).toEqual([]);
  });
});

describe('the request', () => {
  const show: ConnectMiddleware = (req, res) => {
    const [ip, protocol, secure, body] = ['ip', 'protocol', 'secure', 'body'].map((name) =>
      Reflect.get(req, name),
    );
    res.end(JSON.stringify({ ip, protocol, secure, body }));
  };

  it.each<[ApplicationOptions, object]>([
    [{}, { ip: '127.0.0.1', protocol: 'http', secure: false }],
    [{ proxy: 1 }, { ip: '192.0.2.1', protocol: 'https', secure: true }],
  ])('has the address and the protocol of the client: %o', async (options, expected) => {
    const app = createApp(options).use(connect(show));
    const headers = { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' };
    expect(await (await app.request('/', { headers })).json()).toEqual(expected);
  });

  it('keeps an address that middleware sets', async () => {
    const app = createApp().use(
      connect((req, _res, next) => {
        Reflect.set(req, 'ip', '192.0.2.7');
        next();
      }),
      connect(show),
    );
    expect(await (await app.request('/')).json()).toMatchObject({ ip: '192.0.2.7' });
  });

  it('has the address of Express within an Express application', async () => {
    const old = express().set('trust proxy', 1);
    old.get('/', (req, res) => void res.json([req.ip, req.protocol, req.secure]));
    const headers = { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' };
    const response = await fetch(await serve(connect(old)), { headers });
    expect(await response.json()).toEqual(['192.0.2.1', 'https', true]);
  });

  it('has no body in a route while it is unread', async () => {
    const app = createApp().post('/', connect(show));
    const headers = { 'Content-Type': 'text/csv' };
    const response = await app.request('/', { method: 'POST', body: 'a,b', headers });
    expect(response.status).toBe(200);
    expect(await response.json()).not.toHaveProperty('body');
  });
});

describe('what was recorded in Vary', () => {
  const vary: Middleware = (ctx, next) => {
    ctx.append('Vary', 'Origin');
    return next();
  };

  it.each<[string, ConnectMiddleware]>([
    ['sets it', (_req, res, next) => next(void res.setHeader('Vary', 'Accept'))],
    ['sets it and responds', (_req, res) => res.setHeader('Vary', ['Accept']).end('sent')],
    ['passes it to writeHead()', (_req, res) => res.writeHead(200, { VARY: 'Accept' }).end('sent')],
    ['appends to it', (_req, res) => res.appendHeader('Vary', 'Accept').end('sent')],
    [
      'is an Express application',
      express().use((_req, res) => void res.vary('Accept').send('sent')),
    ],
    [
      'is an Express application that sets it',
      express().use((_req, res) => void res.set('Vary', 'Accept').send('sent')),
    ],
  ])('survives middleware that %s', async (_case, middleware) => {
    const url = await serve(vary, connect(middleware), hello);
    expect((await fetch(url)).headers.get('Vary')).toBe('Origin, Accept');
  });

  it('can be removed', async () => {
    const url = await serve(
      vary,
      connect((_req, res, next) => next(void res.removeHeader('Vary'))),
      hello,
    );
    expect((await fetch(url)).headers.get('Vary')).toBe(null);
  });

  it('leaves no wrapper behind', async () => {
    let isWrapped: boolean | undefined;
    const url = await serve(
      vary,
      connect((_req, _res, next) => next()),
      (ctx) => {
        isWrapped = Object.hasOwn(ctx.res, 'setHeader');
        return hello(ctx);
      },
    );
    await fetch(url);
    expect(isWrapped).toBe(false);
  });
});

/** Middleware that starts the response, and calls `next()`. */
const starting =
  (start: (res: ServerResponse) => unknown): ConnectMiddleware =>
  (_req, res, next) => {
    start(res);
    next();
  };

/** Same as {@link starting}, after a while. */
const startingLater =
  (start: (res: ServerResponse) => unknown): ConnectMiddleware =>
  async (_req, res, next) => {
    await setImmediate();
    start(res);
    next();
  };

describe('a response that middleware starts, but does not end', () => {
  /** Serves middleware before a handler. Returns its URL, and the errors of the application. */
  const serveStarted = async (middleware: ConnectMiddleware, handler: Middleware = hello) => {
    const errors: string[] = [];
    const onError = (error: unknown) => void errors.push((error as Error).message);
    const app = createApp({ onError }).use(connect(middleware, { onError }), handler);
    const server = await listen(app, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    return { url: server.url, errors };
  };
  const slowly: Middleware = async (ctx) => {
    await setImmediate();
    ctx.send('late');
  };

  it.each<[string, ConnectMiddleware]>([
    ['writeHead()', starting((res) => res.writeHead(201))],
    ['flushHeaders()', starting((res) => res.flushHeaders())],
    ['write()', starting((res) => res.write('a'))],
    ['write() of async middleware', startingLater((res) => res.write('a'))],
  ])(
    'with %s before next() closes the connection, and its error names the fix',
    async (_, start) => {
      for (const handler of [hello, slowly]) {
        const { url, errors } = await serveStarted(start, handler);
        await expect(fetch(url).then((response) => response.text())).rejects.toThrow(TypeError);
        expect(errors).toEqual([
          expect.stringMatching(
            /^The response to GET \/ cannot be sent, because the middleware \w+ has started it, .* use only res\.setHeader\(\) before next\(\)\.$/,
          ),
        ]);
      }
    },
  );

  it('after next() closes the connection, and its error names the fix', async () => {
    for (const handler of [hello, slowly]) {
      const { url, errors } = await serveStarted((_req, res, next) => {
        next();
        res.writeHead(201);
      }, handler);
      await expect(fetch(url)).rejects.toThrow(TypeError);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(/^The response to GET \/ cannot be sent, because /);
    }
  });

  it.each<[string, ConnectMiddleware, Middleware]>([
    [
      'the handler may end',
      starting((res) => res.writeHead(201)),
      (ctx) => void ctx.takeOver().end('ended'),
    ],
    [
      'the middleware may end after next()',
      (_req, res, next) => {
        res.writeHead(201);
        next();
        res.end('ended');
      },
      () => undefined,
    ],
    [
      'a stream may end',
      starting((res) => Readable.from(['en', 'ded']).pipe(res.writeHead(201))),
      () => undefined,
    ],
  ])('%s', async (_, middleware, handler) => {
    const { url, errors } = await serveStarted(middleware, handler);
    const response = await fetch(url);
    expect([response.status, await response.text(), errors]).toEqual([201, 'ended', []]);
  });
});

it('an invalid status message is an error, like others', async () => {
  const { caught, catcher } = caughtError();
  const url = await serve(
    catcher,
    connect((_req, res) => {
      res.statusMessage = 'Größe 日';
      res.end('x');
    }),
  );
  const response = await fetch(url);
  expect([response.status, response.statusText]).toEqual([500, 'Internal Server Error']);
  expect(await caught).toMatchObject({ code: 'ERR_INVALID_CHAR' });
});

it('an object that middleware assigns to res.locals adds its members to the state', async () => {
  const url = await serve(
    (ctx, next) => {
      ctx.state.kept = 1;
      return next();
    },
    connect((_req, res, next) => {
      Object.assign(res, { locals: { user: 'Ada' } });
      next();
    }),
    connect((_req, res, next) => {
      Object.assign(Reflect.get(res, 'locals'), { more: true });
      next();
    }),
    (ctx) => ctx.json(ctx.state),
  );
  expect(await (await fetch(url)).json()).toEqual({ kept: 1, user: 'Ada', more: true });
});

describe('a request without a body', () => {
  it.each(['GET', 'POST'])('closes its connection with req.destroy(): %s', async (method) => {
    const url = await serve(connect((req, _res) => void req.destroy()));
    const body = method === 'POST' ? 'hi' : null;
    await expect(fetch(url, { method, body })).rejects.toThrow(TypeError);
  });

  it('is open when middleware receives it, and can be read to its end', async () => {
    const events: string[] = [];
    const closed = Promise.withResolvers<void>();
    const url = await serve(
      (ctx, next) => {
        ctx.req.once('close', () => events.push('close, for middleware before'));
        return next();
      },
      connect((req, _res, next) => {
        events.push(`destroyed ${req.destroyed}, ended ${req.readableEnded}`);
        for (const name of ['end', 'aborted']) req.once(name, () => events.push(name));
        req.once('close', () => events.push('close')).once('close', closed.resolve);
        req.once('readable', () => {
          events.push(`readable ${req.read()}`);
          next();
        });
      }),
      hello,
    );
    expect((await fetch(url)).status).toBe(200);
    await closed.promise;
    expect(events).toEqual([
      'destroyed false, ended false',
      'readable null',
      'end',
      'close, for middleware before',
      'close',
    ]);
  });
});
