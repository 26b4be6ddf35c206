import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  Controller,
  controllersPlugin,
  defineController,
  Get,
  UseMiddleware,
} from '@fairlead/controllers';
import { createApp, createRouter, json, type Middleware } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import methodOverride from 'method-override';
import swaggerUi from 'swagger-ui-express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../src/index.js';

// Its types replace those of Node.js.
const { createSchema, createYoga } = createRequire(import.meta.url)('graphql-yoga');

type Handler = (req: express.Request, res: express.Response) => unknown;

/** What a response of a handler has, through `connect()` and in Express itself. */
async function compare(handler: Handler, path = '/a', init: RequestInit = {}) {
  const plain = connect((req, res, _next) => void handler(req as never, res as never));
  const old = express().disable('etag').disable('x-powered-by').use(handler);
  const responses = await Promise.all(
    [plain, connect(old)].map((middleware) => createApp().use(middleware).request(path, init)),
  );
  return Promise.all(
    responses.map(async (response) => [
      response.status,
      Object.fromEntries(
        [...response.headers].filter(([name]) => !/^(date|keep-alive|connection)$/.test(name)),
      ),
      await response.text(),
    ]),
  );
}

describe('members of Express 5 mean the same as in an Express application', () => {
  it.each<[string, Handler, path?: string, init?: RequestInit]>([
    ['res.send(text)', (_req, res) => res.send('<b>hi</b>')],
    ['res.send(text) with a type', (_req, res) => res.type('text/plain').send('hi')],
    [
      'res.send(text) with a charset',
      (_req, res) => res.set('Content-Type', 'text/csv; charset=utf-8').send('a'),
    ],
    ['res.send(bytes)', (_req, res) => res.send(Buffer.from('hi'))],
    ['res.send(bytes) with a type', (_req, res) => res.type('png').send(Buffer.from('hi'))],
    ['res.send(object)', (_req, res) => res.send({ a: 1 })],
    ['res.send(null)', (_req, res) => res.send(null)],
    ['res.send()', (_req, res) => res.send()],
    ['res.send(true)', (_req, res) => res.send(true)],
    ['res.send(text) for HEAD', (_req, res) => res.send('hi'), '/a', { method: 'HEAD' }],
    ['res.status(204).send(text)', (_req, res) => res.status(204).send('hi')],
    ['res.status(205).send(text)', (_req, res) => res.status(205).send('hi')],
    ['res.status().json()', (_req, res) => res.status(201).json({ a: 'ü' })],
    ['res.json() with a type', (_req, res) => res.type('application/hal+json').json([])],
    ['res.sendStatus()', (_req, res) => res.sendStatus(404)],
    ...[
      'html',
      'json',
      'txt',
      'js',
      'css',
      'svg',
      'xml',
      '.png',
      'a/b',
      'unknown-type',
      'text/html',
    ].map((name): [string, Handler] => [
      `res.type('${name}')`,
      (_req, res) => res.type(name).end(),
    ]),
    ['res.set(headers)', (_req, res) => res.set({ 'X-A': '1', 'x-b': ['2', '3'] } as never).end()],
    ['res.header()', (_req, res) => res.header('X-A', '1').end()],
    ['res.append()', (_req, res) => res.append('X-A', '1').append('X-A', ['2', '3']).end()],
    ['res.get()', (_req, res) => res.set('X-A', '1').end(String(res.get('x-a')))],
    ['req.path', (req, res) => res.end(req.path), '/a/b?c=/d'],
    ['req.path of the root', (req, res) => res.end(req.path), '/?a'],
    [
      'req.get()',
      (req, res) => res.end(`${req.get('X-A')} ${req.header('x-b')}`),
      '/',
      { headers: { 'X-A': '1' } },
    ],
    [
      "req.get('Referrer')",
      (req, res) => res.end(req.get('Referrer')),
      '/',
      { headers: { Referer: 'http://a/' } },
    ],
    ["req.app.get('trust proxy')", (req, res) => res.end(String(req.app.get('trust proxy')))],
    ["req.app.get('env')", (req, res) => res.end(String(req.app.get('env')))],
    ["req.app.get('unknown')", (req, res) => res.end(String(req.app.get('unknown')))],
  ])('%s', async (_, handler, path, init) => {
    const [own, inExpress] = await compare(handler, path, init);
    expect(own).toEqual(inExpress);
  });

  it.each([0, 1000, 2.5, '200'])('res.status(%s) is an error', async (code) => {
    const errors: unknown[] = [];
    const middleware = connect((_req, res) => Reflect.get(res, 'status')(code));
    const app = createApp({ onError: (error) => void errors.push(error) }).use(middleware);
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([expect.any(RangeError)]);
  });
});

it("req.app.get('trust proxy') is the option proxy of the application", async () => {
  const show = connect((req, res) => res.end(String(Reflect.get(req, 'app').get('trust proxy'))));
  expect(await (await createApp({ proxy: 1 }).use(show).request('/')).text()).toBe('1');
});

it('req.path is relative to the prefix', async () => {
  const show = connect((req, res) => res.end(Reflect.get(req, 'path')));
  const app = createApp().use('/docs', show);
  expect(await (await app.request('/docs/a?b')).text()).toBe('/a');
});

const limit = () => connect(rateLimit({ limit: 1, standardHeaders: 'draft-8' }));

@Controller('/')
@UseMiddleware(limit())
class LimitedController {
  @Get()
  read() {
    return 'ok';
  }
}

const limitedValue = defineController('/', {
  middleware: [limit()],
  routes: ({ get }) => ({ read: get('/', () => 'ok') }),
});

async function createControlled(controller: typeof LimitedController | typeof limitedValue) {
  const router = createRouter();
  const app = createApp();
  const container = createContainer();
  await app.plugin(controllersPlugin({ router, controllers: [controller], container }));
  return app.route('/', router);
}

it.each<[string, () => Promise<ReturnType<typeof createApp>>]>([
  [
    'functions',
    async () =>
      createApp()
        .use(limit())
        .get('/', () => 'ok'),
  ],
  ['a controller as a value', () => createControlled(limitedValue)],
  ['a class', () => createControlled(LimitedController)],
])('express-rate-limit limits %s, and logs no error', async (_, create) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => logged.mockRestore());
  const app = await create();
  const first = await app.request('/', { headers: { 'X-Forwarded-For': '' } });
  const second = await app.request('/');
  expect([first.status, second.status]).toEqual([200, 429]);
  expect(first.headers.get('RateLimit')).toContain('r=0');
  expect(await second.text()).toContain('Too many requests');
  expect(logged).not.toHaveBeenCalled();
});

it('swagger-ui-express serves its page and files', async () => {
  const document = { openapi: '3.1.0', info: { title: 'Tasks', version: '1' }, paths: {} };
  const files = swaggerUi.serve.map((one) => connect(one));
  const app = createApp().use('/docs', ...files, connect(swaggerUi.setup(document)));
  const page = await app.request('/docs/');
  expect([page.status, page.headers.get('Content-Type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(await page.text()).toContain('swagger-ui-init.js');
  expect(await (await app.request('/docs/swagger-ui-init.js')).text()).toContain('Tasks');
  expect((await app.request('/docs/swagger-ui.css')).status).toBe(200);
});

const yoga = () =>
  createYoga({
    graphqlEndpoint: '/graphql',
    logging: false,
    schema: createSchema({
      typeDefs: 'type Query { hello(name: String!): String! }',
      resolvers: {
        Query: { hello: (_parent: unknown, { name }: { name: string }) => `Hello ${name}` },
      },
    }),
  });

it.each<[string, Middleware[]]>([
  ['first', []],
  ['after json()', [json()]],
])('graphql-yoga runs %s, through connect()', async (_, before) => {
  const app = createApp().use(...before, connect(yoga()));
  const response = await app.request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ hello(name: "Ada") }' }),
  });
  expect(await response.json()).toEqual({ data: { hello: 'Hello Ada' } });
});

describe('connect() accepts a bound function', () => {
  class Server {
    readonly text = 'bound';

    one(_req: unknown) {
      return this.text;
    }

    listen(_req: unknown, res: { end(text: string): void }) {
      res.end(this.text);
    }

    handle(_a: unknown, _req: unknown, res: { end(text: string): void }) {
      res.end(this.text);
    }
  }
  const server = new Server();

  it.each<[string, (...args: never[]) => unknown]>([
    ['two parameters', server.listen.bind(server)],
    ['three parameters, one of which is bound', server.handle.bind(server, 1)],
    [
      'a rest parameter',
      ((...[, res]: [unknown, { end(text: string): void }]) => res.end('bound')).bind(null),
    ],
  ])('with %s', async (_, listener) => {
    const app = createApp().use(connect(listener as never));
    expect(await (await app.request('/')).text()).toBe('bound');
  });

  it('with one parameter', () => {
    expect(() => connect(server.one.bind(server) as never)).not.toThrow();
  });
});

describe('what handles web requests gets a message with app.mount()', () => {
  const fetchHandler = (_request: Request) => new Response('hi');

  it.each<[string, unknown]>([
    ['a function', fetchHandler],
    ['an object', { fetch: fetchHandler }],
  ])('at the start: %s', (_, handler) => {
    expect(() => connect(handler as never)).toThrow("app.mount('/prefix', handler)");
  });

  it.each<[string, (...args: never[]) => unknown]>([
    ['a bound function', fetchHandler.bind(null)],
    ['a function with a rest parameter', async (...[request]: [Request]) => fetchHandler(request)],
  ])('at the first request, which does not hang: %s', async (_, handler) => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(
      connect(handler as never),
    );
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_CONNECT_MIDDLEWARE',
        message: expect.stringContaining("app.mount('/prefix', handler)"),
      }),
    ]);
  });
});

it('a list of middleware gets a message with the fix', () => {
  expect(() => connect(swaggerUi.serve as never)).toThrow('list.map((one) => connect(one))');
});

it.each<[string, (app: ReturnType<typeof createApp>) => unknown, number]>([
  [
    'before a route of Fairlead',
    (app) => app.use(connect(methodOverride())).delete('/', () => ''),
    1,
  ],
  ['before routes of Express', (app) => app.use(connect(methodOverride()), connect(express())), 0],
])('method-override is a warning %s', (_, add, count) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const app = createApp();
  add(app);
  app.seal();
  expect(
    warned.mock.calls.filter(([message]) => String(message).includes('method-override')),
  ).toHaveLength(count);
});

it('the package has no dependency for its members', async () => {
  const file = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(file).dependencies).toBeUndefined();
});
