import {
  type Application,
  type Context,
  createApp,
  createRouter,
  type Middleware,
} from '@fairlead/core';
import { expect, it } from 'vitest';
import { connect } from '../src/index.js';

/** Express middleware, which may read a path more loosely than the router. */
const foreign = (): Middleware => connect((_req, res) => void res.end('foreign'));
const guard: Middleware = (ctx, _next) => ctx.send('guard');

/** Sends a target unchanged. Returns the text of the response, or the code of an error. */
async function reply(app: Application, target: string): Promise<string> {
  const text = await (await app.fetch(new Request('http://a/'), { target })).text();
  return text.startsWith('{') ? JSON.parse(text).code : text;
}

it.each([
  ['/admin', 'guard'],
  ['/admin/users', 'guard'],
  ['/ADMIN', 'guard'],
  ['/%61dmin', 'guard'],
  // An empty segment, a dot segment, and segments that lead upwards.
  ['//admin', 'AMBIGUOUS_PATH'],
  ['/./admin', 'AMBIGUOUS_PATH'],
  ['/public/../admin', 'AMBIGUOUS_PATH'],
  ['/public/..', 'AMBIGUOUS_PATH'],
  ['/public/..%20./other', 'AMBIGUOUS_PATH'],
  // Slashes and backslashes.
  ['/admin%2Fusers', 'AMBIGUOUS_PATH'],
  ['/%5Cadmin', 'AMBIGUOUS_PATH'],
  ['/admin%5Cusers', 'AMBIGUOUS_PATH'],
  // What file systems ignore: the end of a name, and invisible characters.
  ['/admin.', 'AMBIGUOUS_PATH'],
  ['/admin%20', 'AMBIGUOUS_PATH'],
  ['/admin::$DATA', 'AMBIGUOUS_PATH'],
  ['/ad%C2%ADmin', 'AMBIGUOUS_PATH'],
  // More marks in a row than are worth normalizing, and fewer.
  [`/a${'%CC%95'.repeat(31)}`, 'AMBIGUOUS_PATH'],
  [`/a${'%CC%95'.repeat(30)}`, 'foreign'],
  [`/a${':$'.repeat(2_000)}%0A`, 'foreign'],
  // Letters whose upper case is that of another letter.
  ['/adm%C4%B1n', 'AMBIGUOUS_PATH'],
  ['/', 'foreign'],
  ['/other', 'foreign'],
  ['/other.txt', 'foreign'],
  ['/other//x', 'foreign'],
  ['/other%20name', 'foreign'],
  ['/administrators.', 'foreign'],
  ['/...', 'foreign'],
])('Express middleware cannot pass a prefix: %s gets %s', async (target, expected) => {
  const app = createApp().use('/admin', guard).use(foreign());
  expect(await reply(app, target)).toBe(expected);
});

it.each<[string, () => Application]>([
  [
    'in a router',
    () => createApp().use('/admin', guard).route('/', createRouter().get('/*path', foreign())),
  ],
  ['as notFound', () => createApp({ notFound: foreign() }).use('/admin', guard)],
  [
    'after a router',
    () =>
      createApp().use('/admin', guard).route('/api', createRouter().get('/', guard)).use(foreign()),
  ],
])('Express middleware %s cannot pass a prefix either', async (_, create) => {
  const app = create();
  const targets = ['/admin', '/admin.', '/other.'];
  expect(await Promise.all(targets.map((target) => reply(app, target)))).toEqual([
    'guard',
    'AMBIGUOUS_PATH',
    'foreign',
  ]);
});

it('other middleware, and foreign middleware without a prefix before it, gets every path', async () => {
  const first = createApp()
    .use((_ctx, next) => next())
    .use(foreign())
    .use('/admin', guard);
  const own = createApp()
    .use('/admin', guard)
    .use((ctx) => ctx.send('own'));
  const targets = ['//admin', '/a/../admin'];
  const replies = [first, own].flatMap((app) => targets.map((target) => reply(app, target)));
  expect(await Promise.all(replies)).toEqual(['foreign', 'foreign', 'own', 'own']);
});

it('foreign middleware before a prefix leaves the case of that prefix', async () => {
  const passing = connect((_req, _res, next) => next());
  const app = createApp()
    .use(passing)
    .use('/admin', guard)
    .use((ctx) => ctx.send('own'));
  expect([await reply(app, '/admin'), await reply(app, '/ADMIN')]).toEqual(['guard', 'own']);
});

it.each([
  ['/acme/admin', 'guard'],
  ['/acme/admin.', 'AMBIGUOUS_PATH'],
  ['//acme/admin', 'AMBIGUOUS_PATH'],
  ['/acme/admin%2Fx', 'AMBIGUOUS_PATH'],
  ['/acme/other.', 'foreign'],
])(
  'Express middleware cannot pass a prefix with a parameter: %s gets %s',
  async (target, expected) => {
    const app = createApp().use('/:tenant/admin', guard).use(foreign());
    expect(await reply(app, target)).toBe(expected);
  },
);

it.each([
  ['/caf%C3%A9', 'guard'],
  ['/cafe%CC%81', 'AMBIGUOUS_PATH'],
  ['/CAF%C3%89', 'AMBIGUOUS_PATH'],
])(
  'Express middleware cannot pass a prefix with an accent: %s gets %s',
  async (target, expected) => {
    const app = createApp().use('/café', guard).use(foreign());
    expect(await reply(app, target)).toBe(expected);
  },
);

it('Express middleware cannot get the path of a prefix from middleware that changes the URL', async () => {
  const rewrite =
    (url: string): Middleware =>
    (ctx: Context, next) => {
      ctx.req.url = url;
      return next();
    };
  const app = createApp()
    .use('/admin', guard)
    .use('/public', rewrite('/admin/users'))
    .use('/broken', rewrite('/%zz'))
    .use('/harmless', rewrite('/other'))
    .use(foreign());
  const targets = ['/admin/users', '/public', '/broken', '/harmless', '/other'];
  expect(await Promise.all(targets.map((target) => reply(app, target)))).toEqual([
    'guard',
    'AMBIGUOUS_PATH',
    'AMBIGUOUS_PATH',
    'foreign',
    'foreign',
  ]);
});
