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
import { cors, csrf, csrfTokens, secureHeaders } from '../src/index.js';

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
