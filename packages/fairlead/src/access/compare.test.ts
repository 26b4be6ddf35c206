import { createApp, createRouter, type Middleware } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { describe, expect, it } from 'vitest';
import { chainsOf } from './chains.js';
import { compare } from './compare.js';
import { builtInOf, formatLock, lockOf, parseLock, rulesOf } from './lock.js';

type App = ReturnType<typeof createApp>;

const BEARER = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;

const signedIn = (name = 'signedIn()'): Middleware =>
  describeFunction<Middleware>((_ctx, next) => next(), {
    name,
    role: 'middleware',
    security: BEARER,
  });

const role = (...roles: readonly string[]): Middleware =>
  describeFunction<Middleware>((_ctx, next) => next(), {
    name: 'role()',
    role: 'middleware',
    security: { anyOf: roles.map((one) => ({ ...BEARER, scopes: [one] })) },
  });

const files = (): Middleware =>
  describeFunction<Middleware>((_ctx, next) => next(), { name: 'files()', role: 'responder' });

const open = { public: 'Everyone may.' };
const handler = () => 1;

/** Returns the text of the lock of an application. */
async function lockTextOf(app: App): Promise<string> {
  const chains = await chainsOf(app);
  return formatLock(lockOf(chains), builtInOf(chains));
}

/** Compares two applications, the first of which is locked. */
async function differences(before: App, after: App): Promise<readonly string[]> {
  const lock = parseLock('access.lock.json', await lockTextOf(before));
  const chains = await chainsOf(after);
  const found = compare(lock, lockOf(chains), builtInOf(chains), rulesOf(chains));
  return found.map(({ kind, route, message }) => `${kind}: ${route}: ${message}`);
}

describe('a comparison with a lock', () => {
  it.each<[string, () => App, () => App, readonly string[]]>([
    [
      'a step that is gone',
      () => createApp().get('/', signedIn(), role('a'), handler),
      () => createApp().get('/', signedIn(), handler),
      ['weaker: GET /: the middleware role() (bearer:a) does not run for it anymore.'],
    ],
    [
      'a role behind a parameter with another name',
      () => createApp().get('/a/:id', role('a'), handler),
      () => createApp().get('/a/:key', role('a', 'b'), handler),
      [
        'weaker: GET /a/:key: the middleware role() (bearer:a) lets requests with bearer:b pass, too.',
      ],
    ],
    [
      'middleware that moved behind the route',
      () => createApp().use(signedIn()).get('/', handler),
      () => createApp().get('/', handler).use(signedIn()),
      ['weaker: GET /: the middleware signedIn() (bearer) does not run for it anymore.'],
    ],
    [
      'a further role',
      () => createApp().get('/', role('a'), handler),
      () => createApp().get('/', role('b', 'a'), handler),
      ['weaker: GET /: the middleware role() (bearer:a) lets requests with bearer:b pass, too.'],
    ],
    [
      'another role',
      () => createApp().get('/', role('a'), handler),
      () => createApp().get('/', role('b'), handler),
      ['weaker: GET /: the middleware role() (bearer:a) lets requests with bearer:b pass, too.'],
    ],
    [
      'a role less',
      () => createApp().get('/', role('a', 'b'), handler),
      () => createApp().get('/', role('a'), handler),
      ['changed: GET /: the middleware role() (bearer:a) demanded bearer:a or bearer:b before.'],
    ],
    [
      'a route that became public',
      () => createApp().get('/', signedIn(), handler),
      () => createApp().get('/', open, handler),
      [
        'weaker: GET /: is public now: "Everyone may.".',
        'weaker: GET /: the middleware signedIn() (bearer) does not run for it anymore.',
      ],
    ],
    [
      'a route that is not public anymore',
      () => createApp().get('/', open, handler),
      () => createApp().get('/', signedIn(), handler),
      [
        'changed: GET /: is not public anymore.',
        'changed: GET /: the middleware signedIn() (bearer) is new.',
      ],
    ],
    [
      'another reason',
      () => createApp().get('/', open, handler),
      () => createApp().get('/', { public: 'Why not?' }, handler),
      ['changed: GET /: is public for another reason: "Why not?" instead of "Everyone may.".'],
    ],
    [
      'a step of another name',
      () => createApp().get('/', signedIn(), handler),
      () => createApp().get('/', signedIn('other()'), handler),
      [
        'changed: GET /: the middleware signedIn() (bearer) has been replaced by the middleware other() (bearer).',
      ],
    ],
    [
      'a step that another one does not replace',
      () => createApp().get('/', role('a'), handler),
      () => createApp().get('/', signedIn(), handler),
      [
        'weaker: GET /: the middleware role() (bearer:a) does not run for it anymore.',
        'changed: GET /: the middleware signedIn() (bearer) is new.',
      ],
    ],
    [
      'one of two equal steps',
      () => createApp().use(signedIn()).get('/', signedIn(), handler),
      () => createApp().get('/', signedIn(), handler),
      ['weaker: GET /: the middleware signedIn() (bearer) does not run for it anymore.'],
    ],
    [
      'a role behind a path with a slash at the end',
      () => createApp().get('/a', role('a'), handler),
      () => createApp().get('/a/', role('a', 'b'), handler),
      ['weaker: GET /a/: the middleware role() (bearer:a) lets requests with bearer:b pass, too.'],
    ],
    [
      'another path of strict rules',
      () => createApp({ strict: true }).get('/a', role('a'), handler).get('/b/', open, handler),
      () => createApp({ strict: true }).get('/a/', role('a'), handler).get('/b', open, handler),
      [
        'changed: GET /a: is gone.',
        'changed: GET /a/: is new: the middleware role() (bearer:a).',
        'changed: GET /b: is new: everyone may call it, "Everyone may.".',
        'changed: GET /b/: is gone.',
      ],
    ],
    [
      'a path of another case',
      () => createApp().get('/a', open, handler),
      () => createApp().get('/A', open, handler),
      [
        'changed: GET /A: is new: everyone may call it, "Everyone may.".',
        'changed: GET /a: is gone.',
      ],
    ],
    [
      'routes that are new and gone',
      () => createApp().get('/a', open, handler),
      () => createApp().get('/b', signedIn(), handler).get('/c', handler).get('/d', open, handler),
      [
        'changed: GET /a: is gone.',
        'changed: GET /b: is new: the middleware signedIn() (bearer).',
        'changed: GET /c: is new: nothing guards it.',
        'changed: GET /d: is new: everyone may call it, "Everyone may.".',
      ],
    ],
  ])('reports %s', async (_name, before, after, expected) => {
    expect(await differences(before(), after())).toEqual(expected);
    expect(await differences(before(), before())).toEqual([]);
    expect(await differences(after(), after())).toEqual([]);
  });

  it.each<[string, () => App, () => App]>([
    [
      'the name of a parameter',
      () => createApp().get('/a/:id/b/*rest', role('a'), handler),
      () => createApp().get('/a/:key/b/*path', role('a'), handler),
    ],
    [
      'a slash at the end',
      () => createApp().get('/a/', role('a'), handler).get('/b', role('a'), handler),
      () => createApp().get('/a', role('a'), handler).get('/b/', role('a'), handler),
    ],
    [
      'the case of a path whose case does not matter',
      () => createApp({ caseSensitive: false }).get('/a/:Id', role('a'), handler),
      () => createApp({ caseSensitive: false }).get('/A/:id', role('a'), handler),
    ],
    [
      'a slash at the end of a prefix',
      () => createApp().use('/a/', role('a'), files()),
      () => createApp().use('/a', role('a'), files()),
    ],
    [
      'a repeated role',
      () => createApp().get('/', role('a', 'b'), handler),
      () => createApp().get('/', role('a', 'b', 'a'), role('b', 'a'), handler),
    ],
    [
      'middleware that the application and a router use',
      () => createApp().get('/', signedIn(), handler),
      () => createApp().use(signedIn()).get('/', signedIn(), handler),
    ],
  ])('does not report %s', async (_name, before, after) => {
    expect(await differences(before(), after())).toEqual([]);
  });

  it('reports a repeated guard whose demands are not known', () => {
    const guard = { kind: 'guard', name: 'Owner', needs: [[]] } as const;
    const lock = (...steps: readonly (typeof guard)[]) => new Map([['GET /', { steps }]]);
    expect(compare(lock(guard), lock(guard, guard), new Set(), new Map())).toEqual([
      { kind: 'changed', route: 'GET /', message: 'the guard Owner is new.' },
    ]);
  });

  it('reports responders whose guard is gone', async () => {
    const before = createApp().use('/a', signedIn(), files(), files());
    const after = createApp().use('/a', files()).use('/a', signedIn(), files());
    expect(await differences(before, after)).toEqual([
      'weaker: USE /a files(): the middleware signedIn() (bearer) does not run for it anymore.',
    ]);
  });

  it('leaves out routes whose reason a package brings, unless something guards them', async () => {
    const probe = () => describeFunction(() => 1, open);
    const bare = createApp().get('/probe', probe());
    const guarded = createApp().use(signedIn()).get('/probe', probe());
    expect(await differences(createApp(), bare)).toEqual([]);
    expect(await differences(guarded, bare)).toEqual([
      'weaker: GET /probe: the middleware signedIn() (bearer) does not run for it anymore.',
    ]);
  });
});

it('a lock has no order and no places', async () => {
  const first = createApp()
    .use(signedIn())
    .get('/b', role('x', 'y'), role('z'), handler)
    .get('/a', handler);
  const second = createApp()
    .use(signedIn())
    .get('/a', handler)
    .route('/', createRouter().get('/b', role('z'), role('y', 'x'), handler));
  const text = await lockTextOf(first);
  expect(text).toBe(await lockTextOf(second));
  expect(text).toBe(`{
  "version": 1,
  "routes": {
    "GET /a": {
      "steps": [
        {"middleware":"signedIn()","needs":[["bearer"]]}
      ]
    },
    "GET /b": {
      "steps": [
        {"middleware":"role()","needs":[["bearer","bearer:x"],["bearer","bearer:y"]]},
        {"middleware":"role()","needs":[["bearer","bearer:z"]]},
        {"middleware":"signedIn()","needs":[["bearer"]]}
      ]
    }
  }
}
`);
});

it('a lock may start with a byte order mark', () => {
  expect(parseLock('access.lock.json', '\uFEFF{"version":1,"routes":{}}').size).toBe(0);
});

it.each([
  ['<<<<<<< HEAD', 'JSON'],
  ['{"version":2,"routes":{}}', 'its version is not 1'],
  ['{"version":1}', 'it has no routes'],
  ['{"version":1,"routes":{"GET /":[]}}', 'its entry of GET / is invalid'],
  ['{"version":1,"routes":{"GET /":{"step":[]}}}', 'its entry of GET / is invalid'],
  ['{"version":1,"routes":{"GET /":{"steps":[{"guard":1}]}}}', 'its entry of GET / is invalid'],
  [
    '{"version":1,"routes":{"GET /":{"steps":[{"guard":"a","needs":[]}]}}}',
    'its entry of GET / is invalid',
  ],
])('%s is not a lock', (text, reason) => {
  expect(() => parseLock('access.lock.json', text)).toThrow(reason);
});
