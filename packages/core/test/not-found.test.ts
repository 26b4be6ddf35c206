import { describe, expect, it } from 'vitest';
import { type Application, createApp, createRouter, notFoundHandler } from '../src/index.js';
import { sender } from './support/send.js';

const answers = () =>
  createRouter()
    .get('/users', (ctx) => ctx.json([]))
    .post('/users', (ctx) => ctx.json({}))
    .put('/users/:id', (ctx) => ctx.json({}))
    .delete('/users/me', (ctx) => ctx.json({}))
    .all('/any', (ctx) => ctx.send(ctx.method))
    .options('/own', (ctx) => ctx.send('own'));
const passes = () =>
  createRouter()
    .get('/passed', (_ctx, next) => next())
    .all('/passed-by-all', (_ctx, next) => next());

const mounted = () => createApp().route('/', answers()).route('/', passes());
const variants: readonly (readonly [string, () => Application])[] = [
  ['with notFoundHandler()', () => mounted().use(notFoundHandler())],
  ['without', mounted],
];

describe.each(variants)('an unanswered request, %s', (_, createVariant) => {
  it.each(['GET', 'POST', 'OPTIONS', 'DELETE'])(
    'by %s to an unknown path gets 404',
    async (method) => {
      const send = await sender(createVariant());
      const reply = await send(method, '/nowhere?a=1');
      expect(reply.status).toBe(404);
      expect(reply.headers['content-type']).toBe('application/problem+json');
      expect(reply.headers.allow).toBeUndefined();
      expect(reply.json()).toEqual({
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'No route matches /nowhere.',
        instance: '/nowhere',
        code: 'NOT_FOUND',
        error: 'No route matches /nowhere.',
      });
    },
  );

  it.each([
    ['DELETE', '/users', 'GET, HEAD, OPTIONS, POST'],
    ['HEAD', '/users/7', 'OPTIONS, PUT'],
    ['GET', '/users/me', 'DELETE, OPTIONS, PUT'],
    ['GET', '/own', 'OPTIONS'],
  ])(
    'by %s to %s, which has other methods, gets 405 with Allow: %s',
    async (method, path, allow) => {
      const send = await sender(createVariant());
      const reply = await send(method, path);
      expect(reply.status).toBe(405);
      expect(reply.headers.allow).toBe(allow);
    },
  );

  it('by another method gets the supported methods', async () => {
    const send = await sender(createVariant());
    const reply = await send('PATCH', '/users/7');
    expect(reply.json()).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      detail: '/users/7 does not support PATCH. Use one of OPTIONS, PUT.',
    });
  });

  it.each([
    ['/users', 'GET, HEAD, OPTIONS, POST'],
    ['/users/7', 'OPTIONS, PUT'],
    ['*', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY'],
  ])('by OPTIONS to %s gets 204 with Allow: %s', async (path, allow) => {
    const send = await sender(createVariant());
    const reply = await send('OPTIONS', path);
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(reply.headers.allow).toBe(allow);
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(reply.headers).not.toHaveProperty('content-type');
  });

  it.each([
    ['OPTIONS', '/own', 'own'],
    ['OPTIONS', '/any', 'OPTIONS'],
    ['PATCH', '/any', 'PATCH'],
    ['REPORT', '/any', 'REPORT'],
  ])('by %s to %s reaches its route', async (method, path, text) => {
    const send = await sender(createVariant());
    expect(await send(method, path)).toMatchObject({ status: 200, text });
  });

  it.each(['/passed', '/passed-by-all'])(
    'gets 404 when the route %s matches but passes it on',
    async (path) => {
      const send = await sender(createVariant());
      const reply = await send('GET', path);
      expect(reply.status).toBe(404);
      expect(reply.headers).not.toHaveProperty('allow');
    },
  );

  it.each(['/%zz', '/%ff', '/%00', '/a#b'])(
    'is a 400 for the malformed target %s',
    async (path) => {
      const send = await sender(createVariant());
      const reply = await send('GET', path);
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject({ code: 'MALFORMED_TARGET' });
    },
  );
});

const routerless: readonly (readonly [string, () => Application])[] = [
  ['with notFoundHandler()', () => createApp().use(notFoundHandler())],
  ['without', () => createApp()],
];

describe.each(routerless)('an application without routers, %s', (_, createVariant) => {
  it.each([
    ['GET', '/%zz', 400],
    ['GET', '/a', 404],
    ['OPTIONS', '/a', 404],
    ['OPTIONS', '*', 204],
  ])('responds to %s %s with %i', async (method, path, status) => {
    const send = await sender(createVariant());
    expect((await send(method, path)).status).toBe(status);
  });
});

describe('a context with a recorded response', () => {
  it('stays unchanged, even if only its status is set', async () => {
    const app = createApp()
      .use((ctx, next) => {
        ctx.status = 202;
        return next();
      })
      .route('/', createRouter())
      .use(notFoundHandler());
    const send = await sender(app);
    expect(await send('GET', '/')).toMatchObject({ status: 202, text: '' });
  });

  it('keeps its status when no route matches', async () => {
    const statuses: number[] = [];
    const app = createApp()
      .route('/a', createRouter())
      .use((ctx) => {
        statuses.push(ctx.status);
        ctx.send('below');
      });
    const send = await sender(app);
    expect((await send('GET', '/')).status).toBe(200);
    expect(statuses).toEqual([200]);
  });
});

it('a route that passes a request on gets an explanatory 404', async () => {
  const app = createApp().get('/todos/:id', (_ctx, next) => next());
  const answer = await app.request('/todos/7');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    detail: 'The route /todos/:id matches /todos/7, but nothing sent a response.',
  });
});
