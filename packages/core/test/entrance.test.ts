import { expect, it } from 'vitest';
import { type Description, describe } from '../src/extend.js';
import { createApp, createRouter, ForbiddenError, type Middleware } from '../src/index.js';

const pass: Middleware = (_ctx, next) => next();

/** Middleware that is described, and what it was told at the start. */
function createEntering(check?: (ctx: { readonly path: string }) => void) {
  const told: unknown[] = [];
  const enter: Description['enter'] = ({ prefix, prefixes, before }) => {
    const segments = prefixes.map((one) => one.segments);
    const matches = prefixes.map((one) => one.matches({ method: 'GET', path: '/a/1/x' }));
    told.push({ prefix, segments, matches, before: before.map((one) => Reflect.get(one, 'name')) });
    return check;
  };
  const middleware: Middleware = (ctx) => ctx.send('entered');
  return { told, middleware: describe(middleware, { enter }) };
}

it('described middleware learns which middleware and prefixes are before it', () => {
  const { told, middleware } = createEntering();
  const first: Middleware = (_ctx, next) => next();
  const second: Middleware = (_ctx, next) => next();
  const app = createApp()
    .use('/a/:id', pass)
    .use('/b%2f/:from-:to', first)
    .use('/own', second, middleware)
    .use(pass);
  app.route(
    '/r',
    createRouter().get('/x', first, middleware, () => 'x'),
  );
  app.seal();
  const segments = [
    [['a'], ['', '']],
    [['b%2F'], ['', '-', '']],
  ];
  expect(told).toEqual([
    { prefix: '/own', segments, matches: [true, false], before: ['pass', 'first', 'second'] },
    {
      prefix: '/',
      segments: [...segments, [['own']]],
      matches: [true, false, false],
      before: ['pass', 'first', 'second', 'middleware', 'pass', 'first'],
    },
  ]);
});

it.each<[string, (entering: Middleware) => ReturnType<typeof createApp>]>([
  ['of the application', (entering) => createApp().use(entering)],
  ['below a prefix', (entering) => createApp().use('/', entering)],
  ['of a route', (entering) => createApp().get('/*path', entering, () => 'route')],
  [
    'of a router',
    (entering) =>
      createApp().route(
        '/',
        createRouter()
          .use(entering)
          .get('/*', () => ''),
      ),
  ],
  ['as notFound', (entering) => createApp({ notFound: entering })],
  [
    'in a wrapper',
    (entering) =>
      createApp().use(
        describe<Middleware>((ctx, next) => entering(ctx, next), { wraps: entering }),
      ),
  ],
])('may check each request before it runs, %s', async (_, create) => {
  const { middleware } = createEntering(({ path }) => {
    if (path === '/no') throw new ForbiddenError('No.');
  });
  const app = create(middleware);
  const responses = await Promise.all([app.request('/yes'), app.request('/no')]);
  expect(responses.map(({ status }) => status === 403)).toEqual([false, true]);
  expect(await responses[0]?.text()).toBe('entered');
});
