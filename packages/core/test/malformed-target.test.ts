import { describe, expect, it } from 'vitest';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  HttpError,
  type Middleware,
  notFoundHandler,
} from '../src/index.js';
import { sender } from './support/send.js';

const respond: Middleware = (ctx) => ctx.json('answered');
const respondWith =
  (status: number): Middleware =>
  (ctx) => {
    ctx.status = status;
  };
const respondLater: Middleware = async (ctx) => {
  await null;
  ctx.json('answered');
};

/** Responds to errors in a custom format. */
const ownErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.status = (error as HttpError).status;
    ctx.json({ own: (error as HttpError).code });
  }
};

async function ask(app: Application, target: string, method = 'GET', headers = {}) {
  const send = await sender(app);
  return send(method, target, { headers });
}

describe.each<[string, () => Application]>([
  ['without errorHandler()', () => createApp()],
  ['below errorHandler()', () => createApp().use(errorHandler())],
])('a malformed target, %s', (_, create) => {
  it.each(['/a%00b', '/%zz', '/%ff', 'ftp://a/b'])(
    '%s gets 400 when only middleware responds',
    async (target) => {
      const reply = await ask(create().use(respond), target);
      expect(reply.status).toBe(400);
      expect(reply.headers['content-type']).toBe('application/problem+json');
      expect(reply.json()).toMatchObject({ code: 'MALFORMED_TARGET', instance: target });
    },
  );

  it.each<[string, Middleware]>([
    ['later', respondLater],
    ['with a status alone', respondWith(204)],
    ['with an error status', respondWith(404)],
    ['by ctx.next()', (ctx) => ctx.next()],
    ['not', () => undefined],
  ])('gets 400 when middleware responds %s', async (_when, middleware) => {
    expect((await ask(create().use(middleware), '/%zz')).status).toBe(400);
  });

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS'])('gets 400 for %s', async (method) => {
    expect((await ask(create().use(respond), '/%zz', method)).status).toBe(400);
  });

  it('gets 400 for a preflight, with the headers of middleware that responds to it', async () => {
    const cors: Middleware = (ctx) => {
      ctx.set('Access-Control-Allow-Origin', '*');
      ctx.status = 204;
    };
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' };
    const reply = await ask(create().use(cors), '/%zz', 'OPTIONS', headers);
    expect(reply.status).toBe(400);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
  });

  it('reaches no route', async () => {
    const reached: string[] = [];
    const router = createRouter().all('/*', (ctx) => void reached.push(ctx.path));
    const app = create().route('/', router).use(respond);
    expect((await ask(app, '/%zz')).status).toBe(400);
    expect(reached).toEqual([]);
  });
});

it.each<[string, Middleware[]]>([
  ['an application of middleware', [respond]],
  ['an application that ends in notFoundHandler()', [notFoundHandler()]],
])('a logger sees the 400 of a malformed target in %s', async (_, stack) => {
  const lines: string[] = [];
  const logger: Middleware = (ctx, next) => {
    ctx.onFinish(({ status }) => lines.push(`${ctx.method} ${ctx.path} ${status}`));
    return next();
  };
  await ask(createApp().use(logger, errorHandler(), logger, ...stack), '/a%00b');
  expect(lines).toEqual(['GET /a%00b 400', 'GET /a%00b 400']);
});

it('middleware that handles errors responds to a malformed target in a custom format', async () => {
  const reply = await ask(createApp().use(ownErrors, respond), '/%zz');
  expect([reply.status, reply.json()]).toEqual([400, { own: 'MALFORMED_TARGET' }]);
});

it('errorHandler({ includeStack: true }) shows the stack of a malformed target', async () => {
  const reply = await ask(
    createApp().use(errorHandler({ includeStack: true }), respond, respond),
    '/%zz',
  );
  expect(reply.json()).toMatchObject({ status: 400, stack: expect.any(String) });
});

it('another error of a request with a malformed target is kept', async () => {
  const app = createApp().use(errorHandler(), () => {
    throw new HttpError(429);
  });
  expect((await ask(app, '/%zz')).status).toBe(429);
});

it('a response that middleware took over is kept', async () => {
  const app = createApp().use(errorHandler(), (ctx) => void ctx.takeOver().end('raw'));
  expect(await ask(app, '/%zz')).toMatchObject({ status: 200, text: 'raw' });
});
