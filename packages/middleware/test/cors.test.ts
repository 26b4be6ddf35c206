import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  ForbiddenError,
  intended,
  type Middleware,
  NotFoundError,
} from '@fairlead/core';
import { describeValue } from '@fairlead/options';
import { describe, expect, it, vi } from 'vitest';
import { type CorsOptions, cors } from '../src/index.js';

const page = 'https://app.example.com';
const other = 'https://evil.example';

/** The CORS headers of a response. */
async function ask(
  options: CorsOptions | undefined,
  { origin, method = 'GET', ...headers }: Record<string, string> = {},
) {
  const logged: unknown[] = [];
  const app = createApp()
    .use(errorHandler({ onError: (error) => logged.push(error) }), cors(options))
    .use((ctx) => {
      if (ctx.method === 'DELETE') throw new NotFoundError();
      ctx.json('answered');
    });
  const response = await app.request('/', {
    method,
    headers: origin === undefined ? headers : { ...headers, Origin: origin },
  });
  const sent = [...response.headers].filter(([name]) => /^(access-control-|vary$)/.test(name));
  return {
    status: response.status,
    text: await response.text(),
    logged,
    headers: Object.fromEntries(
      sent.map(([name, value]) => [name.replace('access-control-', ''), value]),
    ),
  };
}

/** Headers of a preflight. */
const preflight = (origin: string, headers = {}) => ({
  origin,
  method: 'OPTIONS',
  'Access-Control-Request-Method': 'PUT',
  ...headers,
});

function raise(error: Error): never {
  throw error;
}

/** Any option, as JavaScript may pass it. */
const untyped = (options: unknown) => options as CorsOptions;

describe('origin', () => {
  it.each([undefined, {}, { origin: '*' }])(
    'of the options %j allows every origin, also of a request without one',
    async (options) => {
      const headers = { 'allow-origin': '*' };
      expect(await ask(options)).toMatchObject({ text: '"answered"', headers });
      expect((await ask(options, { origin: page })).headers).toEqual(headers);
    },
  );

  it('of true echoes every origin', async () => {
    const options = { origin: true };
    expect((await ask(options, { origin: other })).headers).toEqual({
      'allow-origin': other,
      vary: 'Origin',
    });
    expect((await ask(options)).headers).toEqual({ vary: 'Origin' });
  });

  it('of false does nothing', async () => {
    const options = { origin: false, exposedHeaders: ['ETag'] };
    const { headers, text } = await ask(options, preflight(page));
    expect([headers, text]).toEqual([{}, '"answered"']);
  });

  it.each([page, 'https://app.example.co', other])(
    'of a string is sent as it is to %s',
    async (origin) => {
      const { headers } = await ask({ origin: page, credentials: true }, { origin });
      expect(headers).toEqual({
        'allow-origin': page,
        'allow-credentials': 'true',
        vary: 'Origin',
      });
    },
  );

  it('of a string is also sent for a request without an origin', async () => {
    expect((await ask({ origin: page })).headers).toEqual({ 'allow-origin': page, vary: 'Origin' });
  });
});

/** The same rules as an option and as the result of a function. */
const forms: readonly (readonly [string, (rule: CorsOptions['origin']) => CorsOptions])[] = [
  ['as an option', (origin = '*') => ({ origin })],
  ['returned by a function', (rule) => untyped({ origin: () => rule })],
  ['resolved by a function', (rule) => untyped({ origin: async () => rule })],
];

describe.each(forms)('a rule %s', (_, create) => {
  it.each<[CorsOptions['origin'], string]>([
    [true, other],
    [/^https:\/\/app\.example\.com$/, page],
    [[other, page], page],
    [[other, /\.example\.com$/], page],
    [[/nothing/, 'null'], 'null'],
  ])('%o allows %s', async (rule, origin) => {
    const { headers } = await ask({ ...create(rule), credentials: true }, { origin });
    expect(headers).toEqual({
      'allow-origin': origin,
      'allow-credentials': 'true',
      vary: 'Origin',
    });
  });

  it.each<[CorsOptions['origin'], string]>([
    [/^https:\/\/app\.example\.com$/, 'https://app.example.com.evil.example'],
    [[page], 'https://app.example.co'],
    [[page], 'https://app.example.com:8443'],
    [[page], 'https://APP.example.com'],
    [[page], 'null'],
    [[], page],
  ])('%o does not allow %s', async (rule, origin) => {
    const { headers } = await ask({ ...create(rule), credentials: true }, { origin });
    expect(headers).toEqual({ vary: 'Origin' });
  });

  it('that is a string is sent for every request', async () => {
    const { headers } = await ask(create(page), { origin: other });
    expect(headers).toEqual({ 'allow-origin': page, vary: 'Origin' });
  });

  it('that is an array sets Vary: Origin for a request without an origin', async () => {
    expect((await ask(create([page]))).headers).toEqual({ vary: 'Origin' });
  });

  it('that is a global RegExp allows the same origin repeatedly', async () => {
    const options = create(/^https:\/\/app\./g);
    const replies = [await ask(options, { origin: page }), await ask(options, { origin: page })];
    expect(replies.map(({ headers }) => headers['allow-origin'])).toEqual([page, page]);
  });
});

it('later changes to an array have no effect', async () => {
  const origins = [page];
  const app = createApp().use(cors({ origin: origins }), (ctx) => ctx.json('answered'));
  origins[0] = other;
  const { headers } = await app.request('/', { headers: { Origin: page } });
  expect(headers.get('Access-Control-Allow-Origin')).toBe(page);
});

describe('an origin function', () => {
  it('receives the origin and the context', async () => {
    const calls: unknown[] = [];
    const origin = (origin: string, ctx: { path: string }) => calls.push([origin, ctx.path]) > 0;
    const { headers } = await ask({ origin }, { origin: page });
    expect(calls).toEqual([[page, '/']]);
    expect(headers).toEqual({ 'allow-origin': page, vary: 'Origin' });
  });

  it('is not called for a request without an origin, but sets Vary: Origin', async () => {
    const origin = vi.fn(() => true);
    expect((await ask({ origin })).headers).toEqual({ vary: 'Origin' });
    expect(origin).not.toHaveBeenCalled();
  });

  it("can allow every origin with '*'", async () => {
    const { headers } = await ask({ origin: () => '*' }, { origin: page });
    expect(headers).toEqual({ 'allow-origin': '*', vary: 'Origin' });
  });

  it.each([
    [() => false],
    [async () => false],
    [() => undefined],
    [async () => undefined],
    [() => null],
    [() => ''],
  ])('%o allows no origin, and passes a preflight to the application', async (origin) => {
    const options = untyped({ origin, credentials: true });
    expect((await ask(options, { origin: page })).headers).toEqual({ vary: 'Origin' });
    expect(await ask(options, preflight(page))).toMatchObject({
      text: '"answered"',
      headers: { vary: 'Origin' },
    });
  });

  it.each([
    ['throws', () => raise(new Error('down'))],
    ['rejects', async () => Promise.reject(new Error('down'))],
  ])('that %s is a logged 500', async (_how, origin) => {
    const { status, text, logged, headers } = await ask({ origin }, { origin: page });
    expect([status, text.includes('down'), headers]).toEqual([500, false, { vary: 'Origin' }]);
    expect(logged).toEqual([new Error('down')]);
  });

  it('can refuse the request by throwing an error', async () => {
    const origin = async () => Promise.reject(new ForbiddenError());
    expect((await ask({ origin }, { origin: page })).status).toBe(403);
  });

  it.each([
    [1],
    [{}],
    [[1]],
    [[[page]]],
    [() => true],
    ['a, b'],
    [Symbol('a')],
    [['*']],
    [`${page}/`],
  ])('that returns %o allows no origin, and is a logged 500', async (result) => {
    for (const origin of [() => result, async () => result]) {
      const reply = await ask(untyped({ origin }), { origin: page });
      expect([reply.status, reply.headers]).toEqual([500, { vary: 'Origin' }]);
      expect(String(reply.logged)).toContain(
        `cors() cannot use ${describeValue(result)} as result of origin(). Return true, false, '*'`,
      );
    }
  });

  it("that returns '*' with credentials is a logged 500", async () => {
    const reply = await ask({ origin: () => '*', credentials: true }, { origin: page });
    expect([reply.status, reply.headers]).toEqual([500, { vary: 'Origin' }]);
    expect(String(reply.logged)).toContain("'*' as result of origin() with credentials");
  });

  it('that is synchronous creates no promise', () => {
    const results: unknown[] = [];
    const look: Middleware = (_ctx, next) => {
      results.push(next());
    };
    const app = createApp().use(look, cors({ origin: () => true }), (ctx) => ctx.json('answered'));
    return app
      .request('/', { headers: { Origin: page } })
      .then(() => expect(results).toEqual([undefined]));
  });
});

describe('a response', () => {
  it('has the headers of CORS when it is an error', async () => {
    const reply = await ask({}, { origin: page, method: 'DELETE' });
    expect([reply.status, reply.headers]).toEqual([404, { 'allow-origin': '*' }]);
  });

  it.each([[['ETag', 'X-Own']], ['ETag,X-Own']])('exposes the headers %j', async (names) => {
    const { headers } = await ask({ exposedHeaders: names }, { origin: page });
    expect(headers).toEqual({ 'allow-origin': '*', 'expose-headers': 'ETag, X-Own' });
  });

  it('merges Vary with that of the error', async () => {
    const app = createApp().use(errorHandler(), cors({ origin: [page] }), () => {
      throw new NotFoundError('x', { headers: { Vary: 'Accept' } });
    });
    expect((await app.request('/')).headers.get('Vary')).toBe('Origin, Accept');
  });
});

describe('a preflight', () => {
  it('gets 204 and the defaults', async () => {
    const requested = { 'Access-Control-Request-Headers': 'x-own' };
    expect(await ask({}, preflight(page, requested))).toMatchObject({ status: 204, text: '' });
    expect((await ask({}, preflight(page, requested))).headers).toEqual({
      'allow-origin': '*',
      'allow-methods': 'GET, HEAD, PUT, PATCH, POST, DELETE, QUERY',
      'allow-headers': 'x-own',
      vary: 'Access-Control-Request-Headers',
    });
  });

  it.each<[string, CorsOptions, object]>([
    ['methods', { methods: ['GET', 'PUT'] }, { 'allow-methods': 'GET, PUT' }],
    ['methods in a string', { methods: 'GET,PUT' }, { 'allow-methods': 'GET, PUT' }],
    ['headers', { allowedHeaders: ['x-a', 'x-b'] }, { 'allow-headers': 'x-a, x-b' }],
    ['headers in a string', { allowedHeaders: 'x-a,x-b' }, { 'allow-headers': 'x-a, x-b' }],
    ['maxAge', { maxAge: 600 }, { 'max-age': '600' }],
    ['a maxAge of 0', { maxAge: 0 }, { 'max-age': '0' }],
    ['credentials', { origin: [page], credentials: true }, { 'allow-credentials': 'true' }],
  ])('gets the %s from the options', async (_what, options, headers) => {
    expect((await ask(options, preflight(page))).headers).toMatchObject(headers);
  });

  it.each([[[]], ['']])('gets no headers when allowedHeaders is %j', async (allowedHeaders) => {
    const requested = { 'Access-Control-Request-Headers': 'x-own' };
    const { headers } = await ask({ allowedHeaders }, preflight(page, requested));
    expect(Object.keys(headers)).toEqual(['allow-methods', 'allow-origin']);
  });

  it('from an origin that is not allowed does not reach the application', async () => {
    const reply = await ask({ origin: [page], allowedHeaders: [] }, preflight(other));
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(reply.headers).not.toHaveProperty('allow-origin');
    expect(reply.headers.vary).toBe('Origin');
  });

  it('has the optionsSuccessStatus', async () => {
    const reply = await ask({ optionsSuccessStatus: 200 }, preflight(page));
    expect(reply).toMatchObject({ status: 200, text: '' });
  });

  it('reaches the application with preflightContinue', async () => {
    const reply = await ask({ preflightContinue: true, maxAge: 1 }, preflight(page));
    expect(reply).toMatchObject({ status: 200, text: '"answered"', headers: { 'max-age': '1' } });
  });

  it('is not an OPTIONS request without Access-Control-Request-Method', async () => {
    expect((await ask({}, { origin: page, method: 'OPTIONS' })).text).toBe('"answered"');
  });
});

describe('a preflight for a route with its own cors()', () => {
  const asked = (method: string) => ({ Origin: page, 'Access-Control-Request-Method': method });
  const allow = () => cors({ origin: [page] });
  const routes = () =>
    createRouter()
      .get('/:id', () => 'read')
      .put('/:id', () => 'changed');

  it.each<[string, () => Application]>([
    ['router', () => createApp().route('/users', routes().use(allow()))],
    [
      'outer router',
      () => createApp().route('/', createRouter().use(allow()).route('/users', routes())),
    ],
    ['route', () => createApp().put('/users/:id', allow(), () => 'changed')],
    ['prefix', () => createApp().use('/users', allow()).route('/users', routes())],
  ])('gets the headers of CORS from that of the %s', async (_place, create) => {
    const response = await create().request('/users/7', {
      method: 'OPTIONS',
      headers: asked('PUT'),
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(page);
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain('PUT');
    expect(response.headers.get('Allow')).toBeNull();
  });

  it('gets the rules of a QUERY route', async () => {
    const app = createApp().query('/', cors({ origin: page }), () => 'found');
    const response = await app.request('/', { method: 'OPTIONS', headers: asked('QUERY') });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(page);
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain('QUERY');
  });

  it('runs neither the route nor its other middleware', async () => {
    const other = vi.fn();
    const app = createApp().put('/', other, cors(), other, other);
    await app.request('/', { method: 'OPTIONS', headers: asked('PUT') });
    expect(other).not.toHaveBeenCalled();
  });

  it('gets the parameters, and the rules of the last cors()', async () => {
    const origin = (_origin: string, { params }: { params: Record<string, string> }) =>
      params.id === '7' ? other : false;
    const app = createApp().route(
      '/users',
      createRouter()
        .use(allow())
        .put('/:id', cors({ origin }), () => ''),
    );
    const ask = async (path: string) => {
      const { headers } = await app.request(path, { method: 'OPTIONS', headers: asked('PUT') });
      return headers.get('Access-Control-Allow-Origin');
    };
    expect([await ask('/users/7'), await ask('/users/8')]).toEqual([other, null]);
  });

  it.each([
    ['a method without cors()', 'DELETE'],
    ['a method without a route', 'PATCH'],
    ['what is no method', '\u00e9'],
  ])('allows nothing for %s', async (_what, method) => {
    const app = createApp()
      .put('/', cors(), () => 'changed')
      .delete('/', () => 'deleted');
    const response = await app.request('/', { method: 'OPTIONS', headers: asked(method) });
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(response.headers.get('Allow')).toBe('DELETE, OPTIONS, PUT');
  });

  it('has Allow, too, with preflightContinue', async () => {
    const app = createApp().put('/', cors({ preflightContinue: true }), () => 'changed');
    const { headers } = await app.request('/', { method: 'OPTIONS', headers: asked('PUT') });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Allow')).toBe('OPTIONS, PUT');
  });

  it('runs a route for OPTIONS instead', async () => {
    const app = createApp()
      .put('/', cors(), () => 'changed')
      .options('/', () => 'own');
    const response = await app.request('/', { method: 'OPTIONS', headers: asked('PUT') });
    expect(await response.json()).toBe('own');
  });

  it('is that of HEAD for the route of GET', async () => {
    const app = createApp().get('/', cors(), () => 'read');
    const { headers } = await app.request('/', { method: 'OPTIONS', headers: asked('HEAD') });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  });
});

describe('cors() rejects', () => {
  /** The error for an invalid option. */
  const refused = (message: string) =>
    expect.objectContaining({ name: 'SetupError', code: 'INVALID_OPTION', message });

  const origins =
    "Use true, false, '*', an origin such as 'https://app.example.com', a RegExp, or an array of origins and RegExps, or a function.";

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [0, '0'],
    [{}, 'an object'],
    ['', "''"],
    ['true', "'true'"],
    ['https://a.example https://b.example', "'https://a.example https://b.example'"],
    ['https://a.example,https://b.example', "'https://a.example,https://b.example'"],
    [[1], '1'],
    [[null], 'null'],
    [[true], 'true'],
    [[[page]], `['${page}']`],
    [[page, ''], "''"],
  ])('the origin %j', (origin, shown) => {
    const message = `cors() cannot use ${shown} as origin. ${origins}`;
    expect(() => cors(untyped({ origin }))).toThrow(refused(message));
  });

  it.each([
    ['https://a.example/', 'https://a.example'],
    ['https://a.example/app?x#y', 'https://a.example'],
    ['HTTPS://A.example', 'https://a.example'],
    ['wss://a.example', 'https://a.example'],
    ['ws://localhost:3000', 'http://localhost:3000'],
    ['https://a.example:443', 'https://a.example'],
    ['http://a.example:80', 'http://a.example'],
    ['https://user@a.example', 'https://a.example'],
    ['https://é.example', 'https://xn--9ca.example'],
    ['https://a.example\n', 'https://a.example'],
    ['app.example.com', 'https://app.example.com'],
    ['app.example.com:8443/x', 'https://app.example.com:8443'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['[::1]:3000', 'http://[::1]:3000'],
  ])('the origin %j, which no browser sends', (origin, suggestion) => {
    const message = `cors() cannot use '${origin}' as origin. Use '${suggestion}', which is what browsers send.`;
    expect(() => cors({ origin })).toThrow(refused(message));
    expect(() => cors({ origin: [page, /a/, origin] })).toThrow(refused(message));
    expect(() => cors({ origin: suggestion })).not.toThrow();
  });

  it.each(['https://*.example.com', '*.example.com', 'http://localhost:*'])(
    'the origin %s with a wildcard',
    (origin) => {
      const message = `cors() cannot use '${origin}' as origin. Use a RegExp, such as /^https:\\/\\/[\\w-]+\\.example\\.com$/.`;
      expect(() => cors({ origin })).toThrow(refused(message));
    },
  );

  it("'*' in an array, which matches nothing", () => {
    const message = "cors() cannot use '*' as origin. Use it without an array, as origin: '*'.";
    expect(() => cors({ origin: ['*'] })).toThrow(refused(message));
  });

  it('everything in one error', () => {
    const options = { origin: ['a.example', 'https://b.example/'], maxage: 5, methods: 1 };
    const message = [
      "cors() has no option 'maxage'. Did you mean 'maxAge'?",
      'methods of cors() must be an array of names or a comma-separated string: got 1.',
      "cors() cannot use 'a.example' as origin. Use 'https://a.example', which is what browsers send.",
      "cors() cannot use 'https://b.example/' as origin. Use 'https://b.example', which is what browsers send.",
    ].join('\n');
    expect(() => cors(untyped(options))).toThrow(refused(message));
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '600', null, true])(
    'the maxAge %o',
    (maxAge) => {
      const message = `maxAge of cors() must be a non-negative integer number of seconds: got ${describeValue(maxAge)}.`;
      expect(() => cors(untyped({ maxAge }))).toThrow(refused(message));
    },
  );

  it.each(['methods', 'allowedHeaders', 'exposedHeaders'])(
    'a value that is not a list of names as %s',
    (name) => {
      for (const value of [1, null, true, {}, [1], ['a b'], 'a;b', 'a\r\nb: c', [['a']]]) {
        const message = `${name} of cors() must be an array of names or a comma-separated string: got ${describeValue(value)}.`;
        expect(() => cors(untyped({ [name]: value }))).toThrow(refused(message));
      }
    },
  );

  it.each(['credentials', 'preflightContinue'])('a value that is not a boolean as %s', (name) => {
    for (const value of [1, 'true', null]) {
      const message = `${name} of cors() must be true or false: got ${describeValue(value)}.`;
      expect(() => cors(untyped({ origin: page, [name]: value }))).toThrow(refused(message));
    }
  });

  it.each([199, 300, 404, 204.5, '204'])('the optionsSuccessStatus %o', (status) => {
    const message = `optionsSuccessStatus of cors() must be an integer from 200 to 299: got ${describeValue(status)}.`;
    expect(() => cors(untyped({ optionsSuccessStatus: status }))).toThrow(refused(message));
  });

  it.each([
    ['orgin', "Did you mean 'origin'?"],
    ['allowHeaders', "Did you mean 'allowedHeaders'?"],
    [
      'constructor',
      'Remove it, or use origin, credentials, methods, allowedHeaders, exposedHeaders, maxAge, preflightContinue or optionsSuccessStatus.',
    ],
  ])('the unknown option %s', (name, fix) => {
    const message = `cors() has no option '${name}'. ${fix}`;
    expect(() => cors(untyped({ [name]: true }))).toThrow(refused(message));
  });

  it.each([null, 'https://a.example', [], () => ({})])('%o in place of the options', (options) => {
    const message = `options of cors() must be an object: got ${describeValue(options)}.`;
    expect(() => cors(untyped(options))).toThrow(refused(message));
  });

  it.each<[CorsOptions]>([[{ credentials: true }], [{ origin: '*', credentials: true }]])(
    'credentials for every origin: %j',
    (options) => {
      const message =
        "cors() cannot allow credentials when origin is '*', the default. Set origin to the origins that may send credentials.";
      expect(() => cors(options)).toThrow(refused(message));
    },
  );
});

it.each([
  'null',
  'http://[::1]:3000',
  'https://a_b.example:444',
  'http://a.example:443',
  'capacitor://localhost',
  'chrome-extension://abcdef',
  'app://-',
  'file://',
])('cors() accepts the origin %s', (origin) => {
  expect(() => cors({ origin: [origin] })).not.toThrow();
});

it('cors() uses the defaults for its other options when they are undefined', () => {
  const names = ['credentials', 'methods', 'allowedHeaders', 'exposedHeaders', 'maxAge'];
  const options = Object.fromEntries(names.map((name) => [name, undefined]));
  expect(() => cors(untyped(options))).not.toThrow();
});

describe('origins with credentials', () => {
  const app = (origin: RegExp | readonly RegExp[], credentials = true) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    cors({ origin, credentials });
    const messages = emitWarning.mock.calls.map(([message]) => message);
    emitWarning.mockRestore();
    return messages;
  };

  it.each([/example\.com/, /^https:\/\/example\.com/, /example\.com$/, /^https:\/\/example\$/])(
    'cause a warning if they match %s',
    (origin) => {
      expect(app([origin])).toEqual([
        expect.stringContaining(
          `cors() with credentials allows every origin that contains a match for ${origin}, which may belong to others. Begin the RegExp with ^ and end it with $, or pass it to intended().\n  At: test/cors.test.ts:`,
        ),
      ]);
    },
  );

  it.each([/^https:\/\/example\.com$/, /\.example\.com$/, /https:\/\/example\.com$/])(
    'cause none if they match %s',
    (origin) => {
      expect(app(origin)).toEqual([]);
    },
  );

  it('cause none if the RegExp is intended, or without credentials', () => {
    expect([...app(intended(/example\.com/)), ...app(/example\.com/, false)]).toEqual([]);
  });
});
