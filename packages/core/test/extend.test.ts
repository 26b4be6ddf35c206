import { expect, describe as group, it, vi } from 'vitest';
import { z } from 'zod';
import {
  after,
  assertOptions,
  type Description,
  describe,
  describeFactories,
  describeLike,
  descriptionOf,
  mayBeEmpty,
  mediaTypesOf,
  type Placement,
  type Role,
  throwTogether,
} from '../src/extend.js';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  intended,
  type Middleware,
  type Next,
} from '../src/index.js';
import { start } from './support/start.js';

const pass: Middleware = (_ctx, next) => next();
const create = (description: Description): Middleware =>
  describe<Middleware>((ctx, next) => pass(ctx, next), description);

const DESCRIPTOR = Symbol.for('fairlead:descriptor');

/** Returns the codes and messages of the warnings of a startup. */
function warningsOf(app: ReturnType<typeof createApp>): readonly string[] {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  app.seal();
  const messages = emit.mock.calls.map(([message]) => `${message}`);
  emit.mockRestore();
  return messages;
}

group('describe()', () => {
  const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
  const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;

  it('returns the same value, with a frozen and complete description', () => {
    const target = function csrf() {};
    expect(describe(target, { role: 'middleware', after: 'session()' })).toBe(target);
    const description = descriptionOf(target);
    expect(description).toEqual({
      name: 'csrf()',
      role: 'middleware',
      after: ['session()'],
      sends: [],
      security: [],
    });
    expect([description, description?.after, description?.security].every(Object.isFrozen)).toBe(
      true,
    );
  });

  it('adds to the present description, of a base class too, without changing it', () => {
    class SignedIn {}
    describe(SignedIn, { role: 'guard', security: bearer });
    class Admin extends SignedIn {}
    describe(Admin, { security: [key], slot: 'admin' });
    expect(descriptionOf(Admin)).toMatchObject({
      role: 'guard',
      slot: 'admin',
      security: [bearer, key],
    });
    expect(descriptionOf(SignedIn)?.security).toEqual([bearer]);
  });

  it('takes over the description of what a function wraps, and whether that is intended', () => {
    const inner = intended(create({ name: 'read()', role: 'input' }));
    const outer = describe<Middleware>((ctx, next) => inner(ctx, next), { wraps: inner });
    const outermost = describe<Middleware>((ctx, next) => outer(ctx, next), { wraps: outer });
    expect(descriptionOf(outermost)).toMatchObject({ name: 'read()', role: 'input', wraps: inner });
    expect(warningsOf(createApp().use('/nowhere', outermost))).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an unknown member', { rol: 'guard' }, "Did you mean 'role'?"],
    ['an unknown role', { role: 'gate' }, 'role of describe() must be '],
    ['security without a scheme', { security: { name: 'key' } }, '{ name, scheme }'],
    [
      'security with a scheme that OpenAPI does not have',
      { security: { name: 'key', scheme: { type: 'token' } } },
      '{ name, scheme } with a Security Scheme Object',
    ],
    ['security with no alternative', { security: { anyOf: [] } }, '{ anyOf }'],
    ['security whose alternatives are no array', { security: { anyOf: key } }, '{ anyOf }'],
    ['security with a wrong alternative', { security: { anyOf: [key, {}] } }, '{ anyOf }'],
    ['a body without media types', { reads: {} }, 'an object with the array mediaTypes'],
    ['names that are no text', { after: [1] }, 'an array of names'],
  ])('refuses %s', (_name, description, message) => {
    expect(() => describe(() => undefined, description)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('refuses what cannot have a description', () => {
    expect(() => describe(Object.freeze({}), { role: 'error' })).toThrow(
      'Pass a function or an object that is not frozen.',
    );
  });

  it('names a value without a name after its kind', () => {
    const nameOf = (target: object) => descriptionOf(describe(target, {}))?.name;
    const named = function named() {};
    expect([{}, () => undefined, named].map(nameOf)).toEqual([
      'an object',
      'a function',
      'named()',
    ]);
  });
});

group('descriptionOf()', () => {
  it.each([undefined, null, 'text', 7, {}, pass])('knows nothing of %s', (value) => {
    expect(descriptionOf(value)).toBeUndefined();
  });

  it('completes the description that a package without describe() has set', () => {
    const target = Object.assign(function read() {}, {
      [DESCRIPTOR]: { role: 'input', after: 'set()' },
    });
    expect(descriptionOf(target)).toEqual({
      name: 'read()',
      role: 'input',
      after: ['set()'],
      sends: [],
      security: [],
    });
  });
});

it('mediaTypesOf() lists those of all parsers, unless one rejects the others', () => {
  const form = { properties: {}, required: [], encoding: {} };
  const parser = (type: string, isExclusive: boolean): Middleware =>
    create({ role: 'input', reads: { mediaTypes: [type], form: { ...form, isExclusive } } });
  const parsers = [parser('a/a', false), pass, parser('b/b', false), parser('a/a', false)];
  expect(mediaTypesOf(parsers)).toEqual(['a/a', 'b/b']);
  expect(mediaTypesOf([...parsers, parser('c/c', true)])).toEqual(['c/c']);
  expect(mediaTypesOf([pass])).toEqual([]);
});

it('mayBeEmpty() reads the schema of a status, or those of all successful responses', () => {
  const fail = () => {
    throw new Error('It called a function of the schema.');
  };
  const [required, optional] = [z.string().refine(fail), z.string().refine(fail).optional()];
  const answers = [{}, { response: required }, { response: optional }].map((options) => [
    mayBeEmpty(options),
    mayBeEmpty(options, 200),
    mayBeEmpty(options, 204),
    mayBeEmpty(options, 404),
  ]);
  expect(answers).toEqual([
    [true, true, true, true],
    [false, false, true, true],
    [true, true, true, true],
  ]);
  expect(mayBeEmpty({ response: { 200: required, 204: required } })).toBe(true);
  expect(mayBeEmpty({ response: { 200: required, 300: optional, 404: optional } })).toBe(false);
  const [first, last] = [{ 299: required }, { 200: required, 299: optional }];
  expect([mayBeEmpty({ response: first }), mayBeEmpty({ response: last })]).toEqual([false, true]);
});

group('startup checks', () => {
  it('refuse decorators, and factories of them, in place of middleware', () => {
    const move = 'ove it above a class or a method, or to metadata of defineController().';
    const decorator = describe(() => {}, { role: 'decorator', name: '@Roles()' });
    const create = describe(() => decorator, {
      role: 'decoratorFactory',
      name: "@Roles('admin')",
    });
    const same = describeLike(() => {}, decorator);
    const use = (value: object) => () => start(createApp().use(value as Middleware));
    expect(use(create)).toThrow(
      `app.use() received the decorator @Roles. Call it: Roles('admin'). Then m${move}`,
    );
    expect(use(decorator)).toThrow(`app.use() received the decorator @Roles(). M${move}`);
    expect(use(same)).toThrow(`app.use() received the decorator @Roles(). M${move}`);
  });

  it('refuse a factory and a guard in place of middleware', () => {
    const factory = () => pass;
    describeFactories(factory);
    expect(() => start(createApp().use(factory as unknown as Middleware))).toThrow(
      'Call it: factory().',
    );
    const guard = function member() {
      return true;
    };
    describe(guard, { role: 'guard' });
    expect(() => start(createApp().use(guard as unknown as Middleware))).toThrow(
      'Instead, list the guard in @UseGuard() of @fairlead/controllers.',
    );
  });

  it('refuse input that no route follows', () => {
    const app = createApp()
      .post('/', () => 'ok')
      .use(create({ name: 'yaml()', role: 'input' }));
    const message = expect.stringContaining('yaml() runs for no route');
    expect(() => app.seal()).toThrow(expect.objectContaining({ code: 'INVALID_ORDER', message }));
  });

  it('name a function without a name, and keep the name of another one', () => {
    const [nameless] = [() => true];
    describe(nameless as () => boolean, { name: 'hasRole', role: 'guard' });
    expect(nameless?.name).toBe('hasRole');
    function check() {}
    expect(describe(check, { name: 'hasRole' }).name).toBe('check');
  });

  it('name a class without parentheses', () => {
    class SignedIn {}
    expect(descriptionOf(describe(SignedIn, { role: 'guard' }))?.name).toBe('SignedIn');
  });

  it('warn of middleware before the one that it needs, also by a description set by hand', () => {
    const read = Object.assign((ctx: Context, next: Next) => pass(ctx, next), {
      [DESCRIPTOR]: { name: 'read()', role: 'middleware', after: 'set()' },
    }) as Middleware;
    const set = create({ name: 'set()', role: 'middleware' });
    const warnings = warningsOf(
      createApp()
        .use(read, set)
        .get('/', () => 'ok'),
    );
    expect(warnings).toEqual([expect.stringContaining('read() reads what set() provides')]);
    expect(
      warningsOf(
        createApp()
          .use(set, read)
          .get('/', () => 'ok'),
      ),
    ).toEqual([]);
  });

  it('print the warning of a description, unless it is intended', () => {
    const doubtful = () => create({ role: 'middleware', warning: () => 'Too short.' });
    expect(
      warningsOf(
        createApp()
          .use(doubtful())
          .get('/', () => 'ok'),
      ),
    ).toEqual([expect.stringMatching(/^Too short\.\n {2}At: test\/extend\.test\.ts:/)]);
    expect(
      warningsOf(
        createApp()
          .use(intended(doubtful()))
          .get('/', () => 'ok'),
      ),
    ).toEqual([]);
  });

  it('ask a function about its place, and print its doubt unless it is intended', () => {
    const placements: Placement[] = [];
    const doubtful = create({
      role: 'middleware',
      check: (placement) => {
        placements.push(placement);
        return { code: 'FAIRLEAD_ROUTE', message: 'Nobody comes here.' };
      },
    });
    const handler = () => 'ok';
    const api = createRouter().use(pass).get('/:id', handler).post('/', doubtful, handler);
    const app = () => createApp().use('/api', pass).use('/other', handler).route('/api', api);
    expect(warningsOf(app())).toEqual([expect.stringMatching(/^Nobody comes here.\n {2}At: /)]);
    expect(placements.map(({ routes, before }) => ({ routes, before }))).toEqual([
      {
        routes: [
          {
            method: 'POST',
            pattern: '/api',
            isOwn: true,
            before: [pass, pass],
            after: [handler],
            security: [],
            mediaTypes: [],
          },
        ],
        before: [],
      },
    ]);
    expect(placements[0]?.mayServe('/api')).toBe(true);
    expect(placements[0]?.mayServe('/other')).toBe(false);
    intended(doubtful);
    expect(warningsOf(app())).toEqual([]);
  });

  it('tell a function of the application what is before it, and which paths it may serve', () => {
    const placements: Placement[] = [];
    const asked = create({ role: 'middleware', check: (one) => void placements.push(one) });
    const handler = () => 'ok';
    const app = createApp()
      .use('/api', pass)
      .use('/other', handler)
      .get('/api/old', handler)
      .use('/api', asked)
      .get('/api/users', handler)
      .use('/api/files', handler);
    expect(warningsOf(app)).toEqual([]);
    const [placement] = placements;
    expect(placement?.routes).toEqual([
      {
        method: 'GET',
        pattern: '/api/users',
        isOwn: false,
        before: [pass],
        after: [handler],
        security: [],
        mediaTypes: [],
      },
    ]);
    expect(placement?.before).toEqual([pass, handler]);
    const paths = ['/api/users/', '/api', '/api/files/a', '/other', '/api/things'];
    expect(paths.map((path) => placement?.mayServe(path))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('ask what a handler runs, such as a guard, and tell how requests authenticate', () => {
    const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
    const placements: Placement[] = [];
    const guard = describe(() => true, {
      role: 'guard',
      security: bearer,
      check: (one) => {
        placements.push(one);
        return { code: 'FAIRLEAD_ORDER', message: 'Too late.' };
      },
    });
    const handler = describe(() => 'ok', { runs: [guard] });
    const app = () => createApp().use(pass).get('/', handler);
    expect(warningsOf(app())).toEqual([expect.stringMatching(/^Too late\.\n {2}At: /)]);
    expect(placements.map(({ routes }) => routes)).toMatchObject([
      [{ isOwn: true, before: [pass], after: [handler], security: [bearer] }],
    ]);
    intended(guard);
    expect(warningsOf(app())).toEqual([]);
  });

  it('print every warning about a function', () => {
    const read = create({
      name: 'read()',
      role: 'middleware',
      after: 'set()',
      warning: () => 'Too short.',
    });
    expect(warningsOf(createApp().use(read))).toEqual([
      expect.stringContaining('read() reads what set() provides'),
      expect.stringMatching(/^Too short\.\n {2}At: test\/extend\.test\.ts:/),
    ]);
  });

  it('know the parsers of others', () => {
    const parser = create({ role: 'input', reads: { mediaTypes: ['application/yaml'] } });
    const schema = {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    } as const;
    const router = createRouter().post('/', { body: schema }, () => 'ok');
    expect(warningsOf(createApp().use(parser).route('/', router))).toEqual([]);
  });
});

group('after()', () => {
  const run = (next: Next) => {
    const called: unknown[] = [];
    const result = after(
      next,
      () => void called.push('done'),
      (error) => called.push(error),
    );
    return { called, result };
  };

  it('runs its callback immediately after a synchronous pipeline, otherwise when it settles', async () => {
    expect(run(() => undefined)).toEqual({ called: ['done'], result: undefined });
    const { called, result } = run(async () => {});
    expect(called).toEqual([]);
    await result;
    expect(called).toEqual(['done']);
  });

  it('passes an error to its other callback, and on', async () => {
    const error = new Error('broken');
    const { called, result } = run(() => Promise.reject(error));
    await expect(result).rejects.toBe(error);
    expect(called).toEqual([error]);
  });
});

it('below() replaces middleware below a prefix, and stays intended', async () => {
  const at = (prefix: string): Middleware =>
    describe<Middleware>((ctx) => ctx.send(prefix), {
      role: 'responder',
      below: (outer) => at(`${outer}${prefix}`),
    });
  const app = createApp().use('/docs', at(''));
  expect(await (await app.request('/docs/a')).text()).toBe('/docs');
});

it('a value with the role response decides how it is sent, and is discarded with another response', async () => {
  const calls: string[] = [];
  const value = () =>
    describe(
      {},
      {
        role: 'response' satisfies Role,
        respond: (ctx) => (ctx as Context).send('sent'),
        discard: () => calls.push('discarded'),
      },
    );
  const app = createApp()
    .get('/', () => value())
    .get('/other', (ctx) => {
      ctx.send('other');
      return value();
    });
  expect(await (await app.request('/')).text()).toBe('sent');
  expect(calls).toEqual([]);
  expect(await (await app.request('/other')).text()).toBe('other');
  expect(calls).toEqual(['discarded']);
});

group('an error that describes itself', () => {
  const members = { status: 503, code: 'STORE_CLOSED', expose: false, report: true };
  const respondWith = async (error: Error) => {
    const app = createApp({ onError: () => undefined })
      .use(errorHandler())
      .get('/', () => {
        throw error;
      });
    const response = await app.request('/');
    return [
      response.status,
      response.headers.get('retry-after'),
      Object(await response.json()).code,
    ];
  };
  const withMembers = (more: object): Error => {
    const error = Object.assign(new Error('hidden'), members, more);
    return Object.defineProperty(error, DESCRIPTOR, { value: { role: 'error' } });
  };

  it('is a response like an HttpError', async () => {
    const error = withMembers({ headers: { 'Retry-After': '5' }, details: {} });
    expect(await respondWith(error)).toEqual([503, '5', 'STORE_CLOSED']);
  });

  it('is a fault without the members of an HttpError', async () => {
    expect(await respondWith(withMembers({ headers: {}, details: undefined }))).toEqual([
      500,
      null,
      'INTERNAL_SERVER_ERROR',
    ]);
  });
});

group('assertOptions() and throwTogether()', () => {
  const width = { description: 'a number', accepts: (value: unknown) => typeof value === 'number' };
  const check = (options: object | undefined) => assertOptions('logo()', options, { width });

  it('accept valid options, and none', () => {
    expect(() => {
      check({ width: 10 });
      check({ width: undefined });
      check(undefined);
      throwTogether([]);
    }).not.toThrow();
  });

  it('throw one error with everything that is wrong, from the line of their caller', () => {
    const messages = [
      "width of logo() must be a number: got 'wide'.",
      "logo() has no option 'widht'. Did you mean 'width'?",
    ];
    const expected = { code: 'INVALID_OPTION', message: messages.join('\n') };
    expect(() => check({ width: 'wide', widht: 10 })).toThrow(expect.objectContaining(expected));
    expect(() => throwTogether(messages)).toThrow(
      expect.objectContaining({ ...expected, stack: expect.not.stringContaining('throwTogether') }),
    );
  });
});

it.each([
  ['PUT', 204, 'last'],
  ['DELETE', 204, null],
])(
  'the last middleware with the role cors responds to preflights for %s',
  async (method, status, by) => {
    const cors = (name: string): Middleware =>
      describe<Middleware>(
        (ctx, next) => {
          if (ctx.method !== 'OPTIONS') return next();
          ctx.set('X-By', name);
          ctx.status = 204;
        },
        { role: 'cors' },
      );
    const app = createApp()
      .put('/:id', cors('first'), cors('last'), () => 'changed')
      .delete('/:id', () => 'deleted');
    const headers = { 'Access-Control-Request-Method': method };
    const response = await app.request('/7', { method: 'OPTIONS', headers });
    expect([response.status, response.headers.get('X-By')]).toEqual([status, by]);
  },
);
