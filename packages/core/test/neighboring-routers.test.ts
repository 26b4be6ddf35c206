import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Application,
  createApp,
  createRouter,
  type Middleware,
  type RouterOptions,
} from '../src/index.js';

/** A router with one GET route per path. Each passes a request on whose query asks for it. */
function routerOf(name: string, paths: readonly string[], options: RouterOptions) {
  const router = createRouter(options);
  for (const path of paths)
    router.get(path, (ctx, next) =>
      String(ctx.query.pass).includes(name) ? next() : `${name} ${ctx.pattern}`,
    );
  return router;
}

const pass: Middleware = (_ctx, next) => next();

interface Part {
  /** Of a middleware before the router. */
  readonly prefix: string;
  readonly paths: readonly string[];
}

/** Registers neighboring routers, or a middleware around each. */
function appOf(parts: readonly Part[], options: RouterOptions, isApart: boolean): Application {
  const app = createApp(options);
  const note = (name: string): Middleware => {
    return (ctx, next) => {
      ctx.responseHeaders.append('X-Through', name);
      return next();
    };
  };
  for (const [index, { prefix, paths }] of parts.entries()) {
    if (index === 2) app.use(note('middle'));
    if (isApart) app.use(pass);
    app.use(prefix, note(`${index}`));
    if (isApart) app.use(pass);
    app.route('/', routerOf(`${index}`, paths, options));
  }
  return app;
}

const segment = fc.constantFrom('', 'a', 'A', 'ab', 'b', 'cat', 'car', ':x', ':x.json', '%61', '*');

const path = fc.array(segment, { maxLength: 3 }).map((segments) => {
  const [kept = ''] = segments.join('/').split(/(?<=\*)/);
  return `/${kept}`.replaceAll(/\/+/g, '/').replaceAll(':x', (name, at) => `${name}${at}`);
});

/** Paths of equal shape conflict. */
const shapeOf = (text: string) =>
  text.replaceAll(/x\d+/g, '').replaceAll('%61', 'a').toLowerCase().replace(/\/$/, '');

interface Routing {
  readonly parts: readonly Part[];
  readonly targets: readonly string[];
}

/** Routers, and requests to their paths and to others. */
const routing: fc.Arbitrary<Routing> = fc
  .record({
    paths: fc.uniqueArray(path, { selector: shapeOf, minLength: 1, maxLength: 20 }),
    owners: fc.array(fc.nat(3), { minLength: 20, maxLength: 20 }),
    prefixes: fc.array(fc.constantFrom('/a', '/ab', '/a/b', '/:p', '/none'), {
      minLength: 4,
      maxLength: 4,
    }),
    picks: fc.array(
      fc.tuple(
        fc.nat(19),
        fc.constantFrom('7', 'a', 'x.json', 'cat', '%61', 'b/c'),
        fc.constantFrom('', '/', '/a'),
      ),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ paths, owners, prefixes, picks }) => ({
    parts: prefixes.map((prefix, index) => ({
      prefix,
      paths: paths.filter((_, at) => owners[at] === index),
    })),
    targets: picks.map(([at, value, end]) => {
      const [picked = '/'] = paths.slice(at % paths.length);
      return picked.replaceAll(/:x\d+|\*/g, value) + end;
    }),
  }));

it('neighboring routers respond like routers with middleware around each', async () => {
  const statuses = new Map<unknown, number>();
  await fc.assert(
    fc.asyncProperty(
      routing,
      fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean() }),
      fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE'),
      fc.constantFrom('', '?pass=0', '?pass=12'),
      async ({ parts, targets }, options, method, query) => {
        const [together, apart] = [false, true].map((isApart) => appOf(parts, options, isApart));
        for (const target of targets) {
          const [one, other] = await Promise.all(
            [together, apart].map(async (app) => {
              const response = await app?.request(target + query, { method });
              const text = await response?.text();
              const named = ['allow', 'x-through'].map((name) => response?.headers.get(name));
              return [response?.status, text, ...named];
            }),
          );
          expect(one).toEqual(other);
          statuses.set(one?.[0], (statuses.get(one?.[0]) ?? 0) + 1);
        }
      },
    ),
    { numRuns: cases(100) },
  );
  expect([...statuses.keys()].sort()).toEqual([200, 204, 404, 405]);
});

it.each([
  ['/', 'root'],
  ['/a', 'a'],
  ['/a/7', 'a 7'],
  ['/a/next', 'second next'],
  ['/b/next', '404'],
  ['/%61/7', 'a 7'],
  ['/aa', 'aa'],
  ['/zz/z', 'many'],
  ['/none', '404'],
])('of several routers, %s gets the response %s', async (target, expected) => {
  const of = (name: string) =>
    createRouter()
      .get('/', () => name)
      .get('/:id', ({ params }, next) => (params.id === 'next' ? next() : `${name} ${params.id}`));
  const many = createRouter();
  for (const letter of 'cdefghijklmnopqrstuvwxyz') many.get(`/${letter}${letter}/:x`, () => 'many');
  const app = createApp()
    .route('/a', of('a'))
    .route('/empty', createRouter())
    .route('/b', of('b'))
    .get('/a/next', () => 'second next')
    .get('/', () => 'root')
    .route('/', many)
    .get('/aa', () => 'aa');
  const response = await app.request(target);
  const text = await response.text();
  expect(response.status === 200 ? text.replaceAll('"', '') : `${response.status}`).toBe(expected);
});
