import { cases } from '@fairlead/test-support/properties';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describe as describeFunction } from '../src/extend.js';
import { createApp, createRouter, intended, type Middleware } from '../src/index.js';
import { createVersions, type VersionOptions } from '../src/versions.js';

const HEADER: VersionOptions = { header: 'X-Api-Version', default: '1' };

/** Creates an application with the routes of two versions, and one of all versions. */
function createNotesApp(versions: VersionOptions = HEADER) {
  const notes = createRouter()
    .get('/', { version: '1' }, () => 'list 1')
    .get('/', { version: '2' }, () => 'list 2')
    .post('/', { version: '2' }, () => 'add 2')
    .get('/:id', ({ params }) => `find ${params.id}`)
    .get('/latest', { version: '2' }, () => 'latest 2');
  return createApp({ versions: createVersions(versions) })
    .route('/notes', notes)
    .get('/health', () => 'ok');
}

/** Requests a path with a version. Returns what tells who responded. */
async function requestWith(
  app: ReturnType<typeof createNotesApp>,
  version: string | undefined,
  path = '/notes',
  method = 'GET',
) {
  const headers = { ...(version !== undefined && { 'X-Api-Version': version }) };
  const response = await app.request(path, { method, headers });
  const text = await response.text();
  const body: unknown = text && JSON.parse(text);
  return { status: response.status, body, headers: response.headers };
}

describe('versions in a header', () => {
  it('selects the route of the version, or of the default', async () => {
    const app = createNotesApp();
    expect((await requestWith(app, '2')).body).toBe('list 2');
    expect((await requestWith(app, '1')).body).toBe('list 1');
    expect((await requestWith(app, undefined)).body).toBe('list 1');
    expect((await requestWith(app, ' ')).body).toBe('list 1');
  });

  it('responds to requests of every version with a route without one', async () => {
    const app = createNotesApp();
    for (const version of ['1', '2', '9', undefined]) {
      const { body, headers } = await requestWith(app, version, '/notes/7');
      expect([body, headers.get('Vary')]).toEqual(['find 7', null]);
    }
  });

  it('prefers the most specific pattern among the routes of the version', async () => {
    const app = createNotesApp();
    expect((await requestWith(app, '2', '/notes/latest')).body).toBe('latest 2');
    const { body, headers } = await requestWith(app, '1', '/notes/latest');
    expect([body, headers.get('Vary')]).toEqual(['find latest', 'X-Api-Version']);
  });

  it('tells caches that responses, also to HEAD, and errors depend on the header', async () => {
    const app = createNotesApp();
    expect((await requestWith(app, '2')).headers.get('Vary')).toBe('X-Api-Version');
    expect((await requestWith(app, '2', '/notes', 'HEAD')).headers.get('Vary')).toBe(
      'X-Api-Version',
    );
    expect((await requestWith(app, '1', '/notes', 'POST')).headers.get('Vary')).toBe(
      'X-Api-Version',
    );
    expect((await requestWith(app, '9')).headers.get('Vary')).toBe('X-Api-Version');
    expect((await requestWith(app, '2', '/health')).headers.get('Vary')).toBeNull();
  });

  it.each(['12', '21'])(
    'responds to preflights with the cors() of a version, of %s',
    async (order) => {
      const cors = describeFunction<Middleware>(
        (ctx, next) => {
          if (ctx.method !== 'OPTIONS') return next();
          ctx.set('X-By', 'cors');
          ctx.status = 204;
        },
        { role: 'cors' },
      );
      const app = createApp({ versions: createVersions({ header: 'X-Api-Version' }) });
      const registrations: Record<string, () => unknown> = {
        1: () => app.put('/notes', { version: '1' }, cors, () => 1),
        2: () => app.put('/notes', { version: '2' }, () => 2),
      };
      for (const version of order) registrations[version]?.();
      const headers = { 'Access-Control-Request-Method': 'PUT' };
      const response = await app.request('/notes', { method: 'OPTIONS', headers });
      expect([response.status, response.headers.get('X-By')]).toEqual([204, 'cors']);
    },
  );

  it('responds with 400 and the versions of the path if it has no such version', async () => {
    const app = createNotesApp({ header: 'X-Api-Version' });
    expect(await requestWith(app, '9')).toMatchObject({
      status: 400,
      body: {
        code: 'UNSUPPORTED_VERSION',
        detail: '/notes has no version 9. Send one of 1, 2 in X-Api-Version.',
        versions: ['1', '2'],
      },
    });
    expect(await requestWith(app, undefined)).toMatchObject({
      status: 400,
      body: {
        code: 'UNSUPPORTED_VERSION',
        detail: 'The request to /notes names no version. Send one of 1, 2 in X-Api-Version.',
      },
    });
    expect((await requestWith(app, '9', '/unknown')).status).toBe(404);
  });

  it('lists the methods of the version in Allow', async () => {
    const app = createNotesApp();
    const other = await requestWith(app, '1', '/notes', 'POST');
    expect([other.status, other.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const first = await requestWith(app, '1', '/notes', 'OPTIONS');
    expect([first.status, first.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const second = await requestWith(app, '2', '/notes', 'OPTIONS');
    expect(second.headers.get('Allow')).toBe('GET, HEAD, OPTIONS, POST');
    const none = createNotesApp({ header: 'X-Api-Version' });
    const all = await requestWith(none, undefined, '/notes', 'OPTIONS');
    expect([all.status, all.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
  });

  it('finds the versions of a path in several routers', async () => {
    const app = createApp({ versions: createVersions(HEADER) })
      .route(
        '/notes',
        createRouter().get('/', { version: '1' }, () => 1),
      )
      .route(
        '/notes',
        createRouter().get('/', { version: '2' }, () => 2),
      );
    expect(warningsOf(app)).toEqual([]);
    const statuses = ['1', '2', '3'].map((version) => requestWith(app, version));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it('leaves the decision to a version-independent fallback that is registered later', async () => {
    const app = createApp({ versions: createVersions(HEADER) })
      .get('/notes', { version: '2' }, () => 2)
      .use((ctx) => ctx.json('page'))
      .get('/', () => 1);
    expect((await requestWith(app, '1')).body).toBe('page');
  });
});

/** Returns the body of the response to a request with an `Accept` header. */
async function accepting(app: ReturnType<typeof createNotesApp>, accept: string | undefined) {
  const response = await app.request('/notes', { headers: accept ? { Accept: accept } : {} });
  return response.ok ? response.json() : response.status;
}

describe('versions in media types', () => {
  const PARAMETER: VersionOptions = { parameter: 'version', default: '1' };

  it.each([
    [undefined, 'list 1'],
    ['*/*', 'list 1'],
    ['application/json', 'list 1'],
    ['application/json;version=2', 'list 2'],
    ['application/json; charset=utf-8 ; Version="2"', 'list 2'],
    ['text/html, application/json;version=2;q=0.9', 'list 1'],
    ['text/html;q=0.1, application/json;version=2;q=0.9', 'list 2'],
    ['*/*;version=9, */*;version=2;q=0.5, */*;q=0.1', 'list 2'],
    ['*/*;version=9, */*;q=0.1', 'list 1'],
    ['*/*;version=1;q=0, */*;version=2;q=0.1', 'list 2'],
    ['*/*;version=9', 406],
    ['*/*;version=2;q=x', 406],
  ])('selects the route for Accept: %s', async (accept, expected) => {
    expect(await accepting(createNotesApp(PARAMETER), accept)).toBe(expected);
  });

  it('responds with 406 to requests without a version, if there is no default', async () => {
    const app = createNotesApp({ parameter: 'v' });
    expect(await accepting(app, undefined)).toBe(406);
    expect(await accepting(app, 'application/json')).toBe(406);
    expect(await accepting(app, 'application/json;v=2')).toBe('list 2');
    const response = await app.request('/notes', { headers: { Accept: '*/*;v=3' } });
    expect(response.headers.get('Vary')).toBe('Accept');
    expect(await response.json()).toMatchObject({
      code: 'UNSUPPORTED_VERSION',
      detail: "/notes has no version 3. Send one of 1, 2 in Accept, as in 'Accept: */*;v=1'.",
    });
  });
});

it.each([
  [{}, 'createVersions() without one of header and parameter.'],
  [{ header: 'X', parameter: 'v' }, 'createVersions() without one of header and parameter.'],
  [{ header: 'X Y' }, '"X Y" as a name in createVersions()'],
  [{ parameter: 'q' }, '"q" as a name in createVersions()'],
  [{ header: 'X', default: '' }, '"" as default of createVersions()'],
  [{ header: 'X', default: 1 }, '1 as default of createVersions()'],
  [{ header: 'X', prefix: '1' }, "'prefix' as an option of createVersions()"],
])('refuses %j', (options, message) => {
  const create = () => createApp({ versions: createVersions(options as never) });
  expect(create).toThrow(`createApp() cannot use ${message}`);
});

it('refuses what createVersions() has not created', () => {
  expect(() => createApp({ versions: { header: 'X' } as never })).toThrow(
    'versions of createApp() must be the result of createVersions()',
  );
});

describe('the start', () => {
  it('reports two routes of one version, and one beside a route of all versions', () => {
    const conflicts = (first: object, second: object) =>
      createApp({ versions: createVersions(HEADER) })
        .get('/a/:x', first, () => 1)
        .route(
          '/',
          createRouter().get('/a/:y', second, () => 2),
        );
    const text = 'GET /a/:y matches the same paths as GET /a/:x';
    expect(() => conflicts({ version: '1' }, { version: '1' }).seal()).toThrow(text);
    const reason = `${text}, which is already registered. Remove one of them or change its path. A route without a version is for all versions.`;
    expect(() => conflicts({ version: '1' }, {}).seal()).toThrow(reason);
    expect(() => conflicts({}, { version: '1' }).seal()).toThrow(reason);
    expect(() => conflicts({ version: '2' }, { version: '1' }).seal()).not.toThrow();
    const router = createRouter().get('/a', { version: '1' }, () => 1);
    const twice = createApp({ versions: createVersions(HEADER) }).route('/', router);
    router.get('/a', { version: '2' }, () => 2).get('/a', { version: '1' }, () => 3);
    expect(() => twice.seal()).toThrow('GET /a matches the same paths as GET /a');
  });

  it('fails if a route has a version, but requests cannot name one', () => {
    const app = createApp()
      .get('/a', { version: '1' }, () => 1)
      .get('/b', () => 1);
    expect(() => app.seal()).toThrow(
      'A route has a version, but the application does not tell where requests name one: GET /a. Pass the result of createVersions()',
    );
  });

  it('refuses a version that no header can have', () => {
    const app = createApp({ versions: createVersions(HEADER) }).get(
      '/a',
      { version: 'v 1' },
      () => 1,
    );
    expect(() => app.seal()).toThrow("version of app.get('/a') must be letters, digits");
  });

  it('warns if no route has the default version', () => {
    const start = (versions: VersionOptions) =>
      warningsOf(
        createApp({ versions: createVersions(versions) }).get('/a', { version: '2' }, () => 1),
      );
    expect(start(HEADER)).toEqual([
      expect.stringContaining("is '1', a version that no route has. Use '2', or pass"),
    ]);
    expect(start({ header: 'X-Api-Version', default: '2' })).toEqual([]);
    const versions = intended(createVersions(HEADER));
    expect(warningsOf(createApp({ versions }).get('/a', { version: '2' }, () => 1))).toEqual([]);
  });
});

const ROUTE = fc.record({
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'ALL'),
  pattern: fc.constantFrom('/', '/a', '/:x', '/a/b', '/a/:y', '/*rest'),
  version: fc.constantFrom('1', '2', undefined),
});

it('responds to a version like an application without the routes of others', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(ROUTE, { selector: (one) => Object.values(one).join(), maxLength: 9 }),
      fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE', 'OPTIONS'),
      fc.constantFrom('/', '/a', '/b', '/a/b', '/a/c', '/a/b/c'),
      fc.constantFrom('1', '2', '3'),
      async (routes, method, path, version) => {
        // A route of all versions cannot have the pattern of another one.
        const isPlain = new Set(routes.map((one) => !one.version && one.method + one.pattern));
        const valid = routes.filter(
          (one) => !one.version || !isPlain.has(one.method + one.pattern),
        );
        const createWith = (some: typeof routes) => {
          const router = createRouter();
          for (const one of some) {
            const options = { ...(one.version && { version: one.version }) };
            router.on(one.method, one.pattern, options, (ctx) => {
              ctx.set('X-Route', Object.values(one).join(' '));
              return null;
            });
          }
          return createApp({ versions: createVersions({ header: 'X-Api-Version' }) }).route(
            '/',
            router,
          );
        };
        const own = valid.filter((one) => one.version === undefined || one.version === version);
        const answers = [valid, own].map(async (some) => {
          const init = { method, headers: { 'X-Api-Version': version } };
          const { status, headers } = await createWith(some).request(path, init);
          return [status, headers.get('X-Route'), headers.get('Allow')] as const;
        });
        const [all, alone] = await Promise.all(answers);
        // Without the others, nobody knows that the path has other versions.
        const isRefused = all?.[0] === 400;
        expect(isRefused ? alone?.[0] : all).toEqual(isRefused ? 404 : alone);
      },
    ),
    { numRuns: cases(100) },
  );
});
