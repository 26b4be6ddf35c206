import { type } from 'arktype';
import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { describe as describeFunction } from '../src/extend.js';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  intended,
  json,
  type Middleware,
  type RouteInput,
  raw,
  type StandardSchema,
  text,
  urlencoded,
} from '../src/index.js';

const handler = () => undefined;
const pass: Middleware = (_ctx, next) => next();
const guard: Middleware = (_ctx, next) => next();
const limit = describeFunction<Middleware>(
  function limit(_ctx, next) {
    return next();
  },
  { role: 'middleware' },
);

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The warnings that the start of an application prints, with their codes. `locations.test.ts` checks the locations. */
function warningsOf(app: Application): readonly unknown[] {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  app.seal();
  const calls: readonly (readonly unknown[])[] = emitWarning.mock.calls;
  return calls.map(([message, options]) =>
    `${Reflect.get(Object(options), 'code')}: ${message}`.replace(/\n {2}At: .*/, ''),
  );
}

describe('a pattern with a repeated prefix', () => {
  it('causes a warning', () => {
    const users = createRouter().get('/users', handler).post('/users/:id', handler);
    const nested = createRouter().route('/api/v1', createRouter().get('/posts', handler));
    expect(
      warningsOf(createApp().route('/users', users).route('/api/v1', nested).get('/a/ab', handler)),
    ).toEqual([
      "FAIRLEAD_ROUTE: '/users' occurs twice in a row in a pattern: GET /users/users, POST /users/users/:id. Remove it from the prefix or the path, or pass the router, the handler or the controller to intended().",
      expect.stringContaining(
        "'/api/v1' occurs twice in a row in a pattern: GET /api/v1/api/v1/posts.",
      ),
    ]);
  });

  it('causes none if the router or the handler is intended', () => {
    const users = intended(createRouter().get('/users', handler));
    const posts = createRouter().get(
      '/posts',
      intended(() => 1),
    );
    expect(warningsOf(createApp().route('/users', users).route('/posts', posts))).toEqual([]);
  });

  it('causes none if the router is nested in one and intended, or in one that is', () => {
    const create = () => createRouter().get('/users', handler);
    const nested = createRouter().route('/users', intended(create())).get('/posts', handler);
    const marked = intended(createRouter().route('/users', create()));
    const app = createApp().route('/', nested).route('/api', marked).route('/posts', nested);
    expect(warningsOf(app)).toEqual([expect.stringContaining('in a pattern: GET /posts/posts.')]);
  });

  it('causes none if one string repeats it', () => {
    const own = createRouter().get('/a/a', handler).get('/d/d/:id?', handler);
    const nested = createRouter().route('/b/b', createRouter().get('/', handler));
    const app = createApp()
      .get('/echo/echo', handler)
      .route('/c/c', createRouter().get('/', handler))
      .route('/', own)
      .route('/', nested);
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('a route that an earlier router hides', () => {
  const later = () => createRouter().get('/', handler).post('/', handler).get('/:tab', handler);

  it('causes a warning', () => {
    const users = createRouter().get('/:id', handler).get('/:id/posts', handler);
    expect(warningsOf(createApp().route('/users', users).route('/users/me', later()))).toEqual([
      'FAIRLEAD_ROUTE: GET /users/:id is in an earlier router and responds to every request for: GET /users/me. Mount the later router first. If the handler of GET /users/:id calls next(), pass it or its router to intended().',
    ]);
    vi.restoreAllMocks();
    const catchAll = createApp().get('/*path', handler).use(pass).route('/users/me', later());
    expect(warningsOf(catchAll)).toEqual([
      expect.stringContaining(
        'GET /*path is registered earlier and responds to every request for: GET /users/me, GET /users/me/:tab. Mount the later router first.',
      ),
    ]);
  });

  it('causes a warning that names no router if the application has both', () => {
    const app = createApp().get('/:id', handler).use(pass).get('/me', handler);
    expect(warningsOf(app)).toEqual([
      'FAIRLEAD_ROUTE: GET /:id is registered earlier and responds to every request for: GET /me. Register the later route first. If the handler of GET /:id calls next(), pass it or its router to intended().',
    ]);
  });

  it.each<[string, Middleware]>([
    ['ctx.next()', (ctx) => ctx.next()],
    ['all of its arguments', (...all) => all[1]()],
    [
      'arguments',
      function () {
        // biome-ignore lint/complexity/noArguments: what is tested
        return arguments[1]();
      },
    ],
  ])('causes none if the handler uses %s', (_case, passing) => {
    const app = createApp().get('/:id', passing).use(pass).get('/me', handler);
    expect(warningsOf(app)).toEqual([]);
  });

  it('causes none if it is a wildcard, and the earlier one has none', () => {
    const app = createApp()
      .get('/:slug', handler)
      .get('/docs/:name', handler)
      .use(pass)
      .get('/*path', handler)
      .get('/docs/*path', handler);
    expect(warningsOf(app)).toEqual([]);
    vi.restoreAllMocks();
    const catchAll = createApp().get('/*path', handler).use(pass).get('/docs/*path', handler);
    expect(warningsOf(catchAll)).toEqual([expect.stringContaining('for: GET /docs/*path.')]);
  });

  it('causes none if the handler takes next or is intended, or in the other order', () => {
    const passing = createRouter().get('/:id', (_ctx, next) => next());
    const marked = createRouter().get(
      '/:id',
      intended(() => 1),
    );
    const last = createRouter().get('/:id', handler);
    expect(
      warningsOf(
        createApp()
          .route('/a', passing)
          .route('/a/me', later())
          .route('/b', marked)
          .route('/b/me', later())
          .route('/c/me', later())
          .route('/c', last),
      ),
    ).toEqual([]);
  });
});

describe('middleware below a prefix without routes', () => {
  const create = (prefix: string, ...middleware: Middleware[]) =>
    createApp()
      .use(pass)
      .use(prefix, ...middleware)
      .get('/api/admin/users/:id', handler);

  it.each([
    ['/api/admim', '/api/admin'],
    ['/admin', '/api/admin'],
    ['/API/admin', '/api/admin'],
  ])('%s causes a warning that names a similar one', (prefix, nearest) => {
    expect(warningsOf(create(prefix, guard))).toEqual([
      `FAIRLEAD_ROUTE: app.use('${prefix}') covers no route with: guard. Use '${nearest}', or pass the middleware to intended() if it serves paths without routes.`,
    ]);
  });

  it('causes a warning without a similar one if nothing else responds there', () => {
    const app = createApp().use('/internal', limit).get('/users', handler);
    expect(warningsOf(app)).toEqual([
      expect.stringContaining(
        "app.use('/internal') covers no route with: limit. Correct the prefix",
      ),
    ]);
  });

  it('causes none if it may respond itself or is intended', () => {
    const respond: Middleware = (ctx) => ctx.send('x');
    const marked = intended<Middleware>((_ctx, next) => next());
    const app = createApp()
      .use('/api/admim', respond)
      .use('/api/admim', marked)
      .use('/api/admin/:id', guard)
      .use('/old', limit, pass)
      .get('/api/admin/users/:id', handler);
    expect(warningsOf(app)).toEqual([]);
    vi.restoreAllMocks();
    expect(warningsOf(createApp().use('/api', limit))).toEqual([]);
  });
});

describe('inputs that no request can provide', () => {
  const never = () => {
    throw new Error('The start called a function of a schema.');
  };

  it.each<[string, StandardSchema, StandardSchema, string, string]>([
    [
      'zod',
      z.object({ since: z.date().refine(never).optional(), ids: z.array(z.bigint()) }),
      z.object({ filter: z.object({ until: z.date() }) }).refine(never),
      'z.coerce.date()',
      'z.coerce.bigint()',
    ],
    [
      'valibot',
      v.object({ since: v.optional(v.pipe(v.date(), v.check(never))), ids: v.array(v.bigint()) }),
      v.pipe(v.object({ filter: v.object({ until: v.date() }) }), v.check(never)),
      'v.pipe(v.string(), v.toDate())',
      'v.pipe(v.string(), v.toBigint())',
    ],
    [
      'arktype',
      type({ 'since?': type('Date').narrow(never), ids: 'bigint[]' }),
      type({ filter: { until: 'Date' } }).narrow(never),
      "'string.date.parse'",
      "'string.integer'",
    ],
  ])('cause a warning if a schema of %s accepts no text', (_, query, nested, date, bigint) => {
    const app = createApp()
      .get('/a', { query }, handler)
      .get('/b', { query }, handler)
      .get('/c', { query: nested }, handler);
    expect(warningsOf(app).toSorted()).toEqual([
      `FAIRLEAD_INPUT: The query parameter 'filter[until]' has a schema that rejects every string: GET /c. Convert it, as in ${date}, or pass the schema to intended().`,
      `FAIRLEAD_INPUT: The query parameter 'ids' has a schema that rejects every string: GET /a, GET /b. Convert its values, as in ${bigint}, or pass the schema to intended().`,
      `FAIRLEAD_INPUT: The query parameter 'since' has a schema that rejects every string: GET /a, GET /b. Convert it, as in ${date}, or pass the schema to intended().`,
    ]);
  });

  it('cause a warning in headers and parameters', () => {
    const app = createApp()
      .get('/:at', { params: z.object({ at: z.date() }) }, handler)
      .get('/c', { headers: z.object({ 'x-ids': z.bigint() }) }, handler);
    expect(warningsOf(app)).toEqual([
      expect.stringMatching(/^FAIRLEAD_INPUT: The parameter 'at' .*GET \/:at\. Convert it/),
      expect.stringMatching(/^FAIRLEAD_INPUT: The header 'x-ids' .*GET \/c\. Convert it/),
    ]);
  });

  it('cause none if text becomes what the schema accepts, the schema converts it, or it is intended', () => {
    const text = z.string();
    const queries: StandardSchema[] = [
      z.object({
        page: z.number(),
        on: z.boolean().optional(),
        one: z.literal(1),
        size: text.transform<number>(never).pipe(z.int().min(18)),
        since: z.coerce.date(),
        raw: z.preprocess(never, z.date()),
        safe: z.date().catch(never),
        sort: z.enum(['asc', 'desc']),
        all: z.union([z.date(), z.literal('all')]),
        tags: z.array(text),
        ids: z.array(z.number()),
        filter: z.object({ name: text, tags: z.array(text) }),
        any: z.any(),
        own: z.custom(never),
      }),
      z.object({ since: z.date() }).catch(never),
      z.preprocess(never, z.object({ since: z.date() })),
      intended(z.object({ since: z.date() })),
      z.record(text, z.coerce.number()),
      v.object({ since: v.pipe(v.string(), v.transform(never)), page: v.number() }),
      type({ since: 'string.date.parse', page: 'number', 'on?': 'boolean' }),
      {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: never,
          jsonSchema: {
            input: () => ({ type: 'object', properties: { a: { type: 'null' } } }),
            output: never,
          },
        },
      },
    ];
    const app = createApp();
    for (const [index, query] of queries.entries()) app.get(`/${index}`, { query }, handler);
    expect(warningsOf(app)).toEqual([]);
  });

  it('cause a warning for names that no request has', () => {
    const params = z.object({ userId: z.string(), postId: z.string().optional() });
    const headers = z.object({ 'X-Api-Key': z.string().optional(), 'x-id': z.string() });
    const hyphen = { params: z.object({ 'user-id': z.string() }) };
    expect(warningsOf(createApp().get('/users/:user-id', hyphen, handler))).toEqual([
      "FAIRLEAD_INPUT: The parameter 'user-id' is required, but not in the pattern: GET /users/:user-id. Write ':userId' instead of ':user-id' in the path, and use 'userId', or pass the schema to intended().",
    ]);
    vi.restoreAllMocks();
    expect(warningsOf(createApp().get('/users/:id', { params, headers }, handler))).toEqual([
      "FAIRLEAD_INPUT: The parameter 'userId' is required, but not in the pattern: GET /users/:id. Use 'id', make it optional, or pass the schema to intended().",
      "FAIRLEAD_INPUT: The header 'X-Api-Key' is never found, because Node.js provides lower-case names: GET /users/:id. Use 'x-api-key', or pass the schema to intended().",
    ]);
  });

  it('are errors if text cannot carry them', () => {
    const rows = z.array(z.object({ id: z.string() }));
    const query = z.object({
      rows: rows.optional(),
      filter: z.object({ name: z.string(), range: z.object({ from: z.string() }) }),
      sort: z.object({ by: z.string() }),
      'sort[by]': z.string(),
      grid: z.array(z.array(z.number())),
      either: z.union([z.string(), rows]),
      json: z.string().transform<{ id: string }[]>(never).pipe(rows),
    });
    const app = createApp()
      .get('/a', { query }, handler)
      .get('/:id', { params: v.object({ id: v.object({ a: v.string() }) }) }, handler)
      .get('/b', { headers: type({ 'x-a': { b: 'string' } }) }, handler)
      .post('/c', { body: z.object({ rows }) }, json(), handler);
    const fix = 'Take it in the body, with QUERY or POST, or as one text that the schema parses.';
    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        problems: [
          "The query parameter 'sort[by]' is a member of the object 'sort', and has a schema of its own: GET /a. Keep one of them.",
          `The query parameter 'rows' is a list of objects, which text cannot carry: GET /a. ${fix}`,
          `The query parameter 'filter[range]' is an object within an object, which text cannot carry: GET /a. ${fix}`,
          `The query parameter 'grid' is a list of lists, which text cannot carry: GET /a. ${fix}`,
          `The parameter 'id' is an object, which text cannot carry: GET /:id. ${fix}`,
          `The header 'x-a' is an object, which text cannot carry: GET /b. ${fix}`,
        ].map((message) =>
          expect.objectContaining({
            code: 'INVALID_INPUT_SCHEMA',
            message: expect.stringContaining(message),
          }),
        ),
      }),
    );
  });

  it('cause a warning for a required body of GET, unless the handler is intended', () => {
    const options = { body: z.object({}) };
    const app = createApp()
      .use(json())
      .get('/a', options, handler)
      .get(
        '/b',
        options,
        intended(() => 1),
      )
      .get('/c', { body: z.object({}).optional() }, handler);
    expect(warningsOf(app)).toEqual([
      'FAIRLEAD_INPUT: A body is required, but clients send none with: GET /a. Use QUERY or POST, make the body optional, or pass the handler or the controller to intended().',
    ]);
  });
});

describe('an input with a name, as a decorator describes it', () => {
  const [date, text] = [z.date(), z.string()];

  it.each<[RouteInput, string]>([
    [
      { source: 'query', name: 'since', schema: date, required: true },
      "The query parameter 'since' has a schema that rejects every string: GET /:id. Convert it, as in z.coerce.date(), or pass the schema to intended().",
    ],
    [
      { source: 'query', name: 'days', schema: z.array(date), required: false, all: true },
      "The query parameter 'days' has a schema that rejects every string: GET /:id. Convert its values, as in z.coerce.date(), or pass the schema to intended().",
    ],
    [
      { source: 'body', required: true },
      'A body is required, but clients send none with: GET /:id. Use QUERY or POST, make the body optional, or pass the handler or the controller to intended().',
    ],
  ])('causes a warning: %o', (input, message) => {
    const app = createApp().get('/:id', { inputs: [input] }, handler);
    expect(warningsOf(app)).toEqual([`FAIRLEAD_INPUT: ${message}`]);
  });

  it.each<RouteInput>([
    { source: 'param', name: 'id', schema: text, required: true },
    { source: 'param', name: 'other', schema: text, required: true },
    { source: 'query', name: 'tags', schema: z.array(text), required: true, all: true },
    { source: 'header', name: 'X-Tag', schema: text, required: true },
    { source: 'query', name: 'page', required: true },
    { source: 'query', name: 'page', schema: z.number(), required: true },
    { source: 'query', name: 'tags', schema: z.array(text), required: true },
    { source: 'header', name: 'X-Tags', schema: z.array(text), required: true },
    { source: 'query', name: 'since', schema: intended(z.date()), required: true },
    { source: 'body', required: false },
  ])('causes none: %o', (input) => {
    expect(warningsOf(createApp().get('/:id', { inputs: [input] }, handler))).toEqual([]);
  });

  it('may be a schema that rejects asynchronously', () => {
    const schema = {
      '~standard': { version: 1, vendor: 'test', validate: () => Promise.reject(new Error('no')) },
    } as const;
    expect(warningsOf(createApp().get('/', { query: schema }, handler))).toEqual([]);
  });
});

describe('a tool for agents', () => {
  const tool = { tool: true };

  it('causes a warning without an MCP server, unless the handler is intended', () => {
    const marked = intended(() => 1);
    const app = createApp().get('/a', tool, handler).get('/b', tool, marked).get('/c', handler);
    expect(warningsOf(app)).toEqual([
      'FAIRLEAD_TOOL: No agent can call a tool, because the application has no MCP server: GET /a. Install mcp() of @fairlead/mcp with app.plugin(), or pass the handler or the controller to intended().',
    ]);
  });

  it.each([true, false])(
    'causes none if another application has its router: nested, %s',
    (isNested) => {
      const tools = createRouter().get('/a', tool, handler);
      const mount = () =>
        createApp().route('/', isNested ? createRouter().route('/', tools) : tools);
      const [first, second] = [mount(), mount()];
      expect([first, second].flatMap(warningsOf)).toEqual([]);
    },
  );

  it('causes none with one, before or after it', () => {
    const server = () =>
      describeFunction<Middleware>(() => undefined, { name: 'mcp()', servesTools: true });
    const first = createApp().post('/mcp', server()).get('/a', tool, handler);
    const last = createApp().get('/a', tool, handler).post('/mcp', pass, server());
    expect([...warningsOf(first), ...warningsOf(last)]).toEqual([]);
  });
});

describe('a page for browsers', () => {
  const page = (prefix: string) =>
    describeFunction<Middleware>((_ctx, next) => next(), {
      name: 'page()',
      role: 'responder',
      hides: (path) => path.startsWith(prefix),
    });

  it('causes a warning before a route that it hides', () => {
    const app = createApp()
      .get('/first', handler)
      .use(page('/'))
      .get('/users/:id', handler)
      .all('/v:major.x', handler)
      .post('/users', handler)
      .get('/files/*path', handler);
    expect(warningsOf(app)).toEqual([
      'FAIRLEAD_ORDER: page() sends its fallback to browsers that open a route after it: GET /users/:id, ALL /v:major.x. Register it after the routes, or pass it to intended().',
    ]);
  });

  it('causes none for other paths, if it is intended, or in the route', () => {
    const app = createApp()
      .use(page('/app'), intended(page('/')))
      .get('/users/:id', page('/users'), handler);
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('body parsers', () => {
  it('that another one makes useless cause a warning, unless they are equal or intended', () => {
    const app = createApp()
      .use('/first', json({ limit: '50mb' }))
      .use('/skipped', json({ limit: '5mb', skip: () => true }))
      .use(json())
      .post('/first', handler)
      .post('/skipped', handler)
      .post('/large', json({ limit: '50mb' }), handler)
      .post('/hook', raw({ type: 'application/json' }), handler)
      .post('/signed', json({ rawBody: true }), handler)
      .post('/same', json({ limit: '1mb' }), text(), handler)
      .post('/marked', intended(json({ limit: 5 })), handler);
    expect(warningsOf(app)).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_ORDER: json\(\) never reads .* POST \/large, POST \/signed\. /,
      ),
      'FAIRLEAD_ORDER: raw() never reads a body, because json() before it has read it: POST /hook. Pass the option skip to the json() before it, or pass raw() to intended().',
    ]);
  });

  it('causes none if the later one reads other routes', () => {
    const app = createApp()
      .use('/bulk', json({ limit: '20mb' }))
      .use(json())
      .post('/bulk', handler)
      .post('/other', handler);
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('a parser of a range of media types', () => {
  const form = describeFunction<Middleware>((_ctx, next) => next(), {
    name: 'multipart()',
    role: 'input',
    reads: { mediaTypes: ['multipart/form-data'] },
  });

  it('causes a warning about each later one whose types it includes', () => {
    const app = createApp()
      .use(json({ type: '*/*' }))
      .post('/login', urlencoded(), handler)
      .post('/photos', form, handler);
    expect(warningsOf(app)).toEqual([
      'FAIRLEAD_ORDER: urlencoded() never reads a body, because json() before it has read it: POST /login. Pass the option skip to the json() before it, or pass urlencoded() to intended().',
      'FAIRLEAD_ORDER: multipart() never reads a body, because json() before it has read it: POST /photos. Pass the option skip to the json() before it, or pass multipart() to intended().',
    ]);
  });

  it('causes none about others, or if it may skip a body', () => {
    const app = createApp()
      .use('/texts', text({ type: 'text/*' }))
      .use('/any', json({ type: '*/*', skip: () => false }))
      .post('/texts', urlencoded(), handler)
      .post('/any', urlencoded(), form, handler);
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('a router with middleware, but without routes', () => {
  it('causes a warning where it is mounted', () => {
    const app = createApp().get('/', handler).route('/account', createRouter().use(pass));
    expect(warningsOf(app)).toEqual([
      "FAIRLEAD_ROUTE: The router mounted at '/account' has middleware, but no route, so nothing of it runs. Add its routes, or pass the router to intended().",
    ]);
  });

  it('causes none if it is intended, or has no middleware, or a nested router with routes', () => {
    const app = createApp()
      .route('/a', intended(createRouter().use(pass)))
      .route('/b', createRouter())
      .route('/c', createRouter().use(pass).route('/d', createRouter().get('/', handler)));
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('stacks in responses', () => {
  const apps = () => [
    createApp({ includeStack: true }),
    createApp().use(errorHandler({ includeStack: true })),
  ];

  it('cause a warning in production', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(apps().map(warningsOf).at(-1)).toEqual([
      "FAIRLEAD_OPTION: createApp() sends stacks to clients, and NODE_ENV is 'production'. Remove includeStack, or pass the application to intended().",
      "FAIRLEAD_OPTION: errorHandler() sends stacks to clients, and NODE_ENV is 'production'. Remove includeStack, or pass the middleware to intended().",
    ]);
  });

  it('cause none if they are intended, or elsewhere', () => {
    expect(apps().flatMap(warningsOf)).toEqual([]);
    vi.stubEnv('NODE_ENV', 'production');
    const all = [
      intended(createApp({ includeStack: true })),
      createApp().use(intended(errorHandler({ includeStack: true }))),
    ];
    expect(all.flatMap(warningsOf)).toEqual([]);
  });
});
