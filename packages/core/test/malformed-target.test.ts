import { describe, expect, it } from 'vitest';
import {
  type Application,
  cors,
  createApp,
  createRouter,
  errorHandler,
  HttpError,
  type Middleware,
  notFoundHandler,
  requestLogger,
} from '../src/index.js';
import { sender } from './support/send.js';

const answer: Middleware = (ctx) => ctx.json('answered');
const answerWith =
  (status: number): Middleware =>
  (ctx) => {
    ctx.status = status;
  };
const answerLater: Middleware = async (ctx) => {
  await null;
  ctx.json('answered');
};

/** Answers what is thrown in a format of its own. */
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
    '%s is a 400 where middleware alone answers',
    async (target) => {
      const reply = await ask(create().use(answer), target);
      expect(reply.status).toBe(400);
      expect(reply.headers['content-type']).toBe('application/problem+json');
      expect(reply.json()).toMatchObject({ code: 'MALFORMED_TARGET', instance: target });
    },
  );

  it.each<[string, Middleware]>([
    ['later', answerLater],
    ['with a status alone', answerWith(204)],
    ['with an error status', answerWith(404)],
    ['by ctx.next()', (ctx) => ctx.next()],
    ['not', () => undefined],
  ])('is a 400 where middleware answers %s', async (_when, middleware) => {
    expect((await ask(create().use(middleware), '/%zz')).status).toBe(400);
  });

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS'])('is a 400 for %s', async (method) => {
    expect((await ask(create().use(answer), '/%zz', method)).status).toBe(400);
  });

  it('is a 400 for a preflight, which keeps the headers of CORS', async () => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' };
    const reply = await ask(create().use(cors()), '/%zz', 'OPTIONS', headers);
    expect(reply.status).toBe(400);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
  });

  it('reaches no route', async () => {
    const reached: string[] = [];
    const router = createRouter().all('/*', (ctx) => void reached.push(ctx.path));
    const app = create().route('/', router).use(answer);
    expect((await ask(app, '/%zz')).status).toBe(400);
    expect(reached).toEqual([]);
  });
});

it.each<[string, Middleware[]]>([
  ['an application of middleware', [answer]],
  ['an application that ends in notFoundHandler()', [notFoundHandler()]],
])('a logger sees the 400 of a malformed target in %s', async (_, stack) => {
  const lines: string[] = [];
  const logger = requestLogger({ log: (line) => lines.push(line), now: () => 0 });
  await ask(createApp().use(logger, errorHandler(), logger, ...stack), '/a%00b');
  expect(lines).toEqual(['GET /a%00b 400 0.0 ms', 'GET /a%00b 400 0.0 ms']);
});

it('middleware that handles errors answers a malformed target in its own format', async () => {
  const reply = await ask(createApp().use(ownErrors, answer), '/%zz');
  expect([reply.status, reply.json()]).toEqual([400, { own: 'MALFORMED_TARGET' }]);
});

it('errorHandler({ includeStack: true }) shows the stack of a malformed target', async () => {
  const reply = await ask(
    createApp().use(errorHandler({ includeStack: true }), answer, answer),
    '/%zz',
  );
  expect(reply.json()).toMatchObject({ status: 400, stack: expect.any(String) });
});

it('another error of a request with a malformed target stays as it is', async () => {
  const app = createApp().use(errorHandler(), () => {
    throw new HttpError(429);
  });
  expect((await ask(app, '/%zz')).status).toBe(429);
});

it('a response that middleware took over is left alone', async () => {
  const app = createApp().use(errorHandler(), (ctx) => void ctx.takeOver().end('raw'));
  expect(await ask(app, '/%zz')).toMatchObject({ status: 200, text: 'raw' });
});
