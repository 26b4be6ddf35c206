import {
  type Application,
  createApp,
  createRouter,
  intended,
  json,
  urlencoded,
} from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { codedWarningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it } from 'vitest';
import { cors, createHealth, csrf, csrfGuard, csrfTokens, secureHeaders } from '../src/index.js';

const handler = () => 'ok';

describe('cors({ methods }) without the method of a route', () => {
  const create = (options: Parameters<typeof cors>[0]) => createApp().use(cors(options));

  it('causes a warning that lists the routes', () => {
    const app = create({ methods: 'GET,POST' });
    for (const id of [1, 2, 3, 4]) app.delete(`/users/${id}`, handler);
    expect(codedWarningsOf(app.put('/users', handler).get('/users', handler))).toEqual([
      'FAIRLEAD_OPTION: Pages of other origins cannot call routes whose methods cors({ methods }) does not list: DELETE /users/1, DELETE /users/2, DELETE /users/3 and 2 more. Add DELETE, PUT to methods, or pass cors() to intended() if only pages of this origin call them.',
    ]);
  });

  it('causes one for the cors() of a route and of a router', () => {
    const router = createRouter()
      .use(cors({ methods: ['PUT'] }))
      .patch('/', handler);
    const app = createApp()
      .delete('/', cors({ methods: ['delete'] }), handler)
      .route('/users', router);
    expect(codedWarningsOf(app)).toEqual([
      expect.stringContaining('does not list: DELETE /. Write DELETE in upper case'),
      expect.stringContaining('does not list: PATCH /users. Add PATCH to methods'),
    ]);
  });

  it('says so if it lists the method in lower case', () => {
    expect(codedWarningsOf(create({ methods: ['get', 'patch'] }).patch('/', handler))).toEqual([
      expect.stringContaining('PATCH /. Write PATCH in upper case, or pass cors() to intended()'),
    ]);
  });

  it.each<[string, () => Application]>([
    ['methods is missing', () => create({}).delete('/', handler)],
    [
      'no preflight needs them',
      () => create({ methods: 'PUT' }).get('/', handler).post('/', handler),
    ],
    ['the route handles all', () => create({ methods: 'GET' }).all('/', handler)],
    ['all are allowed', () => create({ methods: '*' }).delete('/', handler)],
    ['it is disabled', () => create({ methods: 'GET', origin: false }).delete('/', handler)],
    [
      'another one responds',
      () =>
        createApp()
          .use(cors(), cors({ methods: 'GET' }))
          .delete('/', handler),
    ],
    [
      'another function responds',
      () => create({ methods: 'GET', preflightContinue: true }).delete('/', handler),
    ],
    [
      'it covers other routes',
      () =>
        createApp()
          .use('/api', cors({ methods: 'GET' }))
          .get('/api', handler)
          .delete('/', handler),
    ],
    [
      'it is intended',
      () =>
        createApp()
          .use(intended(cors({ methods: 'GET' })))
          .delete('/', handler),
    ],
  ])('causes none if %s', (_name, start) => {
    expect(codedWarningsOf(start())).toEqual([]);
  });
});

describe('secureHeaders() after files', () => {
  const files = describeFunction(async () => undefined, {
    name: 'serveStatic()',
    role: 'responder',
  });

  it.each<[string, () => Application]>([
    ['of middleware', () => createApp().use(files).use(secureHeaders())],
    ['below a prefix', () => createApp().use('/assets', files).use(secureHeaders())],
    ['of a route', () => createApp().get('/assets/*path', files).use(secureHeaders())],
    ['in a route', () => createApp().get('/assets/*path', files, secureHeaders(), handler)],
  ])('%s causes a warning', (_name, start) => {
    expect(codedWarningsOf(start().get('/', handler))).toEqual([
      'FAIRLEAD_ORDER: The responses of serveStatic() lack the headers of secureHeaders(), which is registered after it. Register secureHeaders() first, or pass it to intended().',
    ]);
  });

  it.each<[string, () => Application]>([
    ['it is first', () => createApp().use(secureHeaders(), files)],
    ['another one is first', () => createApp().use(secureHeaders(), files, secureHeaders({}))],
    [
      'it is for other paths',
      () => createApp().use('/assets', files).use('/api', secureHeaders()).get('/api', handler),
    ],
    ['it is intended', () => createApp().use(files, intended(secureHeaders()))],
  ])('causes none if %s', (_name, start) => {
    expect(codedWarningsOf(start().get('/', handler))).toEqual([]);
  });
});

describe('csrf({ tokens }) before a parser', () => {
  const tokens = csrfTokens({ keys: ['k'.repeat(32)], session: () => 'session' });

  it.each<[string, () => Application]>([
    [
      'of the application',
      () => createApp().use(csrf({ tokens }), urlencoded()).post('/', handler),
    ],
    ['of the route', () => createApp().use(csrf({ tokens })).post('/', urlencoded(), handler)],
    ['beside it in a route', () => createApp().post('/', csrf({ tokens }), urlencoded(), handler)],
  ])('%s causes a warning', (_name, start) => {
    expect(codedWarningsOf(start())).toEqual([
      'FAIRLEAD_ORDER: csrf({ tokens }) cannot read tokens in bodies, because urlencoded() runs after it: POST /. Register urlencoded() before csrf(), or pass csrf() to intended() if all tokens are in headers.',
    ]);
  });

  it.each<[string, () => Application]>([
    [
      'the parser is first',
      () => createApp().use(urlencoded(), csrf({ tokens })).post('/', handler),
    ],
    ['there are no tokens', () => createApp().use(csrf(), urlencoded()).post('/', handler)],
    [
      'scripts send them in a header',
      () => {
        const header = 'X-Token';
        const own = csrfTokens({ keys: ['k'.repeat(32)], session: () => 'session', header });
        return createApp()
          .use(csrf({ tokens: own }), json())
          .post('/', handler);
      },
    ],
    [
      'nothing needs a check',
      () => createApp().use(csrf({ tokens }), urlencoded()).query('/', handler),
    ],
    [
      'it is intended',
      () =>
        createApp()
          .use(intended(csrf({ tokens })), urlencoded())
          .post('/', handler),
    ],
  ])('causes none if %s', (_name, start) => {
    expect(codedWarningsOf(start())).toEqual([]);
  });

  it('of JSON causes a warning', () => {
    const app = createApp().use(csrf({ tokens }), json()).post('/', handler);
    expect(codedWarningsOf(app)).toEqual([expect.stringContaining('because json() runs after it')]);
  });
});

const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;
const described = (description: Parameters<typeof describeFunction>[1]) =>
  describeFunction(
    function signIn(_ctx: unknown, next: () => unknown) {
      return next();
    },
    { role: 'middleware', ...description },
  );

describe('cors({ credentials: true }) for all origins', () => {
  const widget = () => described({ name: 'session()', crossSite: true });
  const create = (options: Parameters<typeof cors>[0]) =>
    createApp()
      .use(cors({ credentials: true, ...options }))
      .get('/', widget(), handler);

  it.each([true, /^https:/, [/^https:/]])(
    'causes a warning with a cookie of all sites: %s',
    (origin) => {
      expect(codedWarningsOf(create({ origin }))).toContainEqual(
        expect.stringMatching(
          /^FAIRLEAD_OPTION: cors\(\) lets every site act for your users, because it allows all origins with credentials, and browsers send the cookie of session\(\)/,
        ),
      );
    },
  );

  it.each<[string, () => Application]>([
    ['the origins are listed', () => create({ origin: ['https://app.example.com'] })],
    ['a function decides', () => create({ origin: () => true })],
    ['no credentials are allowed', () => create({ origin: true, credentials: false })],
    [
      'the cookie is of the same site',
      () =>
        createApp()
          .use(cors({ origin: true, credentials: true }))
          .get('/', described({ crossSite: false }), handler),
    ],
  ])('causes none if %s', (_, start) => {
    expect(codedWarningsOf(start())).toEqual([]);
  });
});

describe('cors({ allowedHeaders }) without a header that a route needs', () => {
  const create = (allowedHeaders: string, ...security: Parameters<typeof Array.of>) =>
    createApp()
      .use(cors({ allowedHeaders }))
      .get('/', described({ security: security as never }), handler);

  it('causes a warning that lists the header', () => {
    expect(codedWarningsOf(create('Content-Type', bearer))).toEqual([
      'FAIRLEAD_OPTION: Pages of other origins cannot call routes that need headers which cors({ allowedHeaders }) does not list: GET /. Add Authorization to allowedHeaders, or pass cors() to intended() if only pages of this origin call them.',
    ]);
    expect(codedWarningsOf(create('*', bearer, key))).toEqual([
      expect.stringContaining('Add Authorization to allowedHeaders'),
    ]);
    expect(codedWarningsOf(create('authorization', bearer, key))).toEqual([
      expect.stringContaining('Add X-Key to allowedHeaders'),
    ]);
  });

  it('causes a warning about a header that middleware demands', () => {
    const keyed = (required: boolean) =>
      createApp()
        .use(cors({ allowedHeaders: 'Content-Type' }))
        .post('/', described({ takes: { 'X-Operation': { required } } }), handler);
    expect(codedWarningsOf(keyed(true))).toEqual([
      expect.stringContaining('does not list: POST /. Add X-Operation to allowedHeaders'),
    ]);
    expect(codedWarningsOf(keyed(false))).toEqual([]);
  });

  it('causes none if one of the ways to authenticate needs none', () => {
    expect(codedWarningsOf(create('X-Key', { anyOf: [bearer, key] }))).toEqual([]);
    expect(codedWarningsOf(create('X-Id', { anyOf: [bearer, []] }))).toEqual([]);
  });

  it('causes none if all are allowed, or the method is not', () => {
    expect(codedWarningsOf(create('authorization', bearer))).toEqual([]);
    const reads = cors({ allowedHeaders: 'X-Id', methods: 'GET' });
    const app = createApp()
      .use(intended(reads))
      .put('/', described({ security: bearer }), handler);
    expect(codedWarningsOf(app)).toEqual([]);
  });
});

describe('csrf() that rejects the pages of cors()', () => {
  const page = 'https://app.example.com';
  const create = (check: Parameters<typeof csrf>[0], options: Parameters<typeof cors>[0] = {}) =>
    createApp()
      .use(cors({ origin: page, ...options }), csrf(check))
      .post('/', handler);

  it('causes a warning with the origin to add', () => {
    expect(codedWarningsOf(create({}))).toEqual([
      `FAIRLEAD_OPTION: csrf() rejects requests from pages of ${page}, which cors() allows, for example POST /. Pass origins: ['${page}'] to csrf(), too. If these pages only read, pass csrf() to intended().`,
    ]);
  });

  it('causes one for csrfGuard()', () => {
    const app = createApp()
      .use(cors({ origin: [page] }))
      .post(
        '/',
        describeFunction(() => 1, { runs: [csrfGuard()] }),
      );
    expect(codedWarningsOf(app)).toEqual([
      expect.stringContaining('csrfGuard() rejects requests from pages of https://app.example.com'),
    ]);
  });

  it.each<[string, () => Application]>([
    ['it accepts them', () => create({ origins: [page] })],
    ['it may skip the route', () => create({ skip: () => false })],
    ['cors() does not list them', () => create({}, { origin: /^https:\/\/app\.example\.com$/ })],
    [
      'they cannot send the request',
      () =>
        createApp()
          .use(intended(cors({ origin: page, methods: 'GET' })), csrf())
          .put('/', handler),
    ],
    [
      'the route only reads',
      () =>
        createApp()
          .use(cors({ origin: page }), csrf())
          .get('/', handler),
    ],
  ])('causes none if %s', (_, start) => {
    expect(codedWarningsOf(start())).toEqual([]);
  });
});

describe('createHealth() behind authentication', () => {
  const signIn = () => described({ name: 'auth.middleware', security: bearer });

  it('causes one warning for its routes', () => {
    expect(codedWarningsOf(createApp().use(signIn()).route('/', createHealth()))).toEqual([
      'FAIRLEAD_ORDER: Probes without credentials cannot pass auth.middleware, which runs before the routes of createHealth(). Mount the router of createHealth() before auth.middleware, or pass the router to intended().',
    ]);
  });

  it('causes none if the router is intended, also in another router', () => {
    const router = createRouter().route('/internal', intended(createHealth()));
    expect(codedWarningsOf(createApp().use(signIn()).route('/', router))).toEqual([]);
  });

  it('causes none if it is mounted first, or requests may pass without credentials', () => {
    const app = createApp().route('/', createHealth()).use(signIn()).get('/users', handler);
    expect(codedWarningsOf(app)).toEqual([]);
    const optional = described({ security: { anyOf: [bearer, []] } });
    expect(codedWarningsOf(createApp().use(optional).route('/', createHealth()))).toEqual([]);
  });
});
