import { expect, it, describe as suite } from 'vitest';
import { describe, registrationsOf, securityOf } from '../src/extend.js';
import { createApp, createRouter, type Middleware, type RouteOptions } from '../src/index.js';

const BEARER = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
const secured = (): Middleware =>
  describe<Middleware>((_ctx, next) => next(), {
    name: 'signedIn()',
    role: 'middleware',
    security: BEARER,
  });
const optional = (): Middleware =>
  describe<Middleware>((_ctx, next) => next(), {
    name: 'maybeSignedIn()',
    role: 'middleware',
    security: { anyOf: [BEARER, []] },
  });
const pass: Middleware = (_ctx, next) => next();
const declared = () => createApp({ access: 'declared' });
const open: RouteOptions = { public: 'Everyone may read it.' };

/** Returns the texts of the problems of a start. */
function problemsOf(app: ReturnType<typeof createApp>): readonly string[] {
  try {
    app.seal();
    return [];
  } catch (error) {
    const { problems = [error] }: { readonly problems?: readonly unknown[] } = Object(error);
    return problems.map((one) => `${Reflect.get(Object(one), 'code')}: ${String(one)}`);
  }
}

suite('with access declared', () => {
  it('reports each route that nothing decides, with its place and what decides it', () => {
    const app = declared()
      .get('/a', () => 1)
      .post('/b', pass, () => 1);
    const [first, second, ...others] = problemsOf(app);
    expect(others).toEqual([]);
    expect(first).toMatch(/^ACCESS_UNDECIDED: .*who may call GET \/a: .*At: .*access\.test\.ts/s);
    expect(first).toMatch(
      /is your own, describe it with secured\(\).*public: 'a reason' to the route/s,
    );
    expect(second).toMatch(/who may call POST \/b: .*If 'pass' does, describe it/s);
  });

  it.each<[string, (app: ReturnType<typeof createApp>) => unknown]>([
    ['middleware of the application', (app) => app.use(secured()).get('/', () => 1)],
    ['middleware below a prefix', (app) => app.use('/a', secured()).get('/a/b', () => 1)],
    [
      'middleware below a prefix with text around a parameter',
      (app) => app.use('/v:version', secured()).get('/v1/users', () => 1),
    ],
    [
      'middleware of a router',
      (app) =>
        app.route(
          '/',
          createRouter()
            .use(secured())
            .get('/', () => 1),
        ),
    ],
    ['middleware of the route', (app) => app.get('/', secured(), () => 1)],
    [
      'middleware of a mount',
      (app) => app.mount('/a', () => new Response(), { middleware: [secured()] }),
    ],
    [
      'what a handler runs',
      (app) =>
        app.get(
          '/',
          describe(() => 1, { runs: [secured()] }),
        ),
    ],
    ['a reason', (app) => app.get('/', open, () => 1)],
    ['the reason of a mount', (app) => app.mount('/a', () => new Response(), open)],
    [
      'the reason of a handler',
      (app) =>
        app.get(
          '/',
          describe(() => 1, open),
        ),
    ],
    [
      'the reason of a WebSocket route',
      (app) =>
        app.get(
          '/',
          open,
          describe(() => 1, { role: 'websocket' }),
        ),
    ],
    ['a reason behind optional authentication', (app) => app.get('/', open, optional(), () => 1)],
    [
      'a handler with a reason behind authentication',
      (app) =>
        app.get(
          '/',
          secured(),
          describe(() => 1, open),
        ),
    ],
  ])('accepts %s', (_name, register) => {
    const app = declared();
    register(app);
    expect(problemsOf(app)).toEqual([]);
  });

  it.each<[string, (app: ReturnType<typeof createApp>) => unknown]>([
    [
      'middleware after it',
      (app) =>
        app
          .get('/', () => 1)
          .use(secured())
          .get('/b', () => 1),
    ],
    [
      'middleware below another prefix',
      (app) =>
        app
          .use('/b', secured())
          .get('/a', () => 1)
          .get('/b', () => 1),
    ],
    [
      'middleware below a prefix that covers some paths of the route',
      (app) => app.use('/v:version', secured()).get('/:version/users', () => 1),
    ],
    ['middleware without security', (app) => app.use(pass).get('/', () => 1)],
    ['optional authentication', (app) => app.get('/', optional(), () => 1)],
    [
      'the option security, which checks nothing',
      (app) => app.get('/', { security: [BEARER] }, () => 1),
    ],
    ['a mount without either', (app) => app.mount('/', () => new Response())],
  ])('does not accept %s', (_name, register) => {
    const app = declared();
    register(app);
    expect(problemsOf(app)).toEqual([expect.stringContaining('ACCESS_UNDECIDED')]);
  });

  it('does not accept a reason for a route that demands credentials', () => {
    const app = declared()
      .get('/a', open, secured(), () => 1)
      .get('/b', { ...open, security: [BEARER] }, () => 1);
    const [first, second, ...others] = problemsOf(app);
    expect(others).toEqual([]);
    expect(first).toMatch(
      /^ACCESS_CONTRADICTORY: .*everyone may call GET \/a, but signedIn\(\) demands credentials/,
    );
    expect(second).toMatch(/everyone may call GET \/b, but its option security demands/);
  });

  it('asks responders, which have no route', () => {
    const files = (options: object = {}) =>
      describe<Middleware>((_ctx, next) => next(), {
        name: 'files()',
        role: 'responder',
        ...options,
      });
    expect(problemsOf(declared().use('/assets', files()))).toEqual([
      expect.stringMatching(/who may get what files\(\) serves below '\/assets'.*to files\(\)/s),
    ]);
    expect(problemsOf(declared().use(files(open)))).toEqual([]);
    expect(problemsOf(declared().use(secured(), files()))).toEqual([]);
    expect(problemsOf(declared().use('/assets', secured()).use(files()))).toHaveLength(1);
    expect(problemsOf(declared().use(secured(), files(open)))).toEqual([
      expect.stringContaining('signedIn() demands credentials'),
    ]);
  });

  it('reports it together with other problems', () => {
    const app = declared();
    app.get('/:a', () => 1).get('/:b', () => 1);
    expect(problemsOf(app).map((text) => text.split(':')[0])).toEqual(
      expect.arrayContaining(['ROUTE_CONFLICT', 'ACCESS_UNDECIDED']),
    );
  });
});

it('changes nothing without the option', () => {
  const app = createApp()
    .get('/a', () => 1)
    .get('/b', open, secured(), () => 1);
  expect(problemsOf(app)).toEqual([]);
});

it.each(['', '  ', true, 7])('does not accept %j as a reason', (reason) => {
  const app = createApp();
  app.get('/', { public: reason as string }, () => 1);
  expect(problemsOf(app)).toEqual([expect.stringContaining('INVALID_OPTION')]);
});

it('lists how requests authenticate, and the responders, for tools', async () => {
  const files = describe<Middleware>((_ctx, next) => next(), { role: 'responder' });
  const middleware = secured();
  const app = createApp()
    .use('/a', middleware, files)
    .get('/a', () => 1);
  const [route] = app.routes();
  expect(securityOf([...(route?.upstream ?? []), ...(route?.handlers ?? [])])).toEqual([BEARER]);
  expect(registrationsOf(app).responders).toEqual([
    { prefix: '/a', functions: [middleware, files] },
  ]);
});
