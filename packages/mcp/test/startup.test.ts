import {
  content,
  createApp,
  createRouter,
  intended,
  json,
  type Middleware,
  type RouteOptions,
} from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { multipart } from '@fairlead/multipart';
import { createDocument, secured } from '@fairlead/openapi';
import { websocket } from '@fairlead/websocket';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type McpOptions, mcp } from '../src/index.js';
import { connect, serve } from './support/serve.js';

const server = { name: 'users', version: '1.0.0' };
const open = { tool: true, public: 'Everyone may call it.' };

/** Collects the warnings of a test, with their codes. */
function collectWarnings(): readonly string[] {
  const warnings: string[] = [];
  const onWarning = (warning: Error & { readonly code?: string }) => {
    warnings.push(`${warning.code}: ${warning.message}`);
  };
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return warnings;
}

/** Waits until the warnings so far have been emitted. */
const emitted = () => new Promise<void>((resolve) => process.nextTick(resolve));

async function start(register: (app: ReturnType<typeof createApp>) => unknown): Promise<void> {
  const app = createApp();
  register(app);
  await app.plugin(mcp(server));
  app.seal();
  await app.close();
}

it.each<[string, (app: ReturnType<typeof createApp>) => unknown, RegExp]>([
  [
    'two tools with one name',
    (app) =>
      app
        .get('/users', { tool: { name: 'list' }, public: open.public }, () => [])
        .get('/items', { operationId: 'list', ...open }, () => []),
    /GET \/users and GET \/items are both the tool 'list'\. Give one of them another name/,
  ],
  [
    'two tools whose paths get the same name',
    (app) => app.get('/user-list', { ...open }, () => []).get('/user/list', { ...open }, () => []),
    /GET \/user-list and GET \/user\/list are both the tool 'getUserList'/,
  ],
  [
    'an operationId that no tool may have',
    (app) => app.get('/users', { operationId: 'list users', ...open }, () => []),
    /GET \/users cannot be the tool 'list users'\. Set tool: \{ name: '…' \}/,
  ],
  [
    'a WebSocket route',
    (app) =>
      app.get(
        '/chat',
        { ...open },
        websocket(() => undefined),
      ),
    /GET \/chat cannot be a tool, because it opens WebSocket connections\. Remove tool/,
  ],
  [
    'a route for every method',
    (app) => app.all('/any', { ...open }, () => 1),
    /ALL \/any cannot be a tool, because it handles every method\. Register the route for one/,
  ],
  [
    'a route that responds with events',
    (app) =>
      app.get(
        '/events',
        { response: content({ 'text/event-stream': z.string() }), ...open },
        () => '',
      ),
    /GET \/events cannot be a tool, because it responds with events\. Return JSON/,
  ],
  [
    'a route that only reads forms with files',
    (app) =>
      app.post('/files', { body: z.object({ name: z.string() }), ...open }, multipart(), () => 1),
    /POST \/files cannot be a tool, because it only reads multipart\/form-data\. Accept JSON/,
  ],
])('refuses %s', async (_, register, message) => {
  await expect(start(register)).rejects.toMatchObject({
    code: 'INVALID_TOOL',
    message: expect.stringMatching(message),
  });
});

it('reports every problem in one error', async () => {
  const starting = start((app) =>
    app.all('/any', { ...open }, () => 1).all('/other', { ...open }, () => 1),
  );
  await expect(starting).rejects.toMatchObject({
    message: expect.stringMatching(/2 problems[\s\S]*ALL \/any[\s\S]*ALL \/other/),
  });
});

it.each<[string, RouteOptions['tool'], string]>([
  [
    'a name with spaces',
    { name: 'list users' },
    "cannot use 'list users' as tool.name. Use 1 to 128",
  ],
  [
    'a misspelled member',
    JSON.parse('{"nmae":"x"}'),
    "cannot use 'nmae' as a member of tool. Did you mean 'name'?",
  ],
  ['a text', JSON.parse('"list"'), "tool of app.get('/') must be true, or an object"],
])('refuses %s as the option tool', (_, tool, message) => {
  expect(() =>
    createApp()
      .get('/', { tool: tool ?? false }, () => 1)
      .seal(),
  ).toThrow(message);
});

it('refuses unknown and missing options', () => {
  expect(() => mcp(JSON.parse('{ "name": "users", "versoin": "1" }'))).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(
        /no option 'versoin'. Did you mean 'version'[\s\S]*needs a version/,
      ),
    }),
  );
  expect(() => mcp({ ...server, origins: ['https://app.example.com/'] })).toThrow('origins');
  expect(() => mcp({ ...server, path: '/mcp/:id' })).toThrow('path');
  const authorization = { resource: '/mcp', servers: [] };
  expect(() => mcp({ ...server, authorization })).toThrow('authorization');
});

it('only routes that say so are tools, also hidden ones, and the document lacks the endpoint', async () => {
  const app = createApp()
    .get('/a', () => 1)
    .get('/b', { tool: false }, () => 1)
    .get('/c', { ...open, hidden: true }, () => 1);
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['getC']);
  const { paths } = createDocument(app, { info: { title: 'Test', version: '1.0.0' } });
  expect(Object.keys(paths)).toEqual(['/a', '/b']);
});

it('warns about a tool that everyone can call, unless it is public or describes its security', async () => {
  const warnings = collectWarnings();
  const basic = { name: 'basic', scheme: { type: 'http', scheme: 'basic' } } as const;
  await start((app) =>
    app
      .get('/open', { tool: true }, () => 1)
      .get('/public', { ...open }, () => 1)
      .get('/declared', { tool: true, security: [basic] }, () => 1)
      .get(
        '/checked',
        { tool: true },
        secured((_ctx, next) => next(), basic),
        () => 1,
      )
      .get('/optional', { tool: true, security: [{ anyOf: [basic, []] }] }, () => 1),
  );
  await emitted();
  expect(warnings).toEqual([
    expect.stringMatching(
      /^FAIRLEAD_TOOL: Everyone can call the tool 'getOpen', because nothing guards GET \/open\. Add a guard/,
    ),
    expect.stringContaining("'getOptional'"),
  ]);
});

it('warns about tools without a server', async () => {
  const warnings = collectWarnings();
  const marked = intended(createRouter().get('/marked', { ...open }, () => 1));
  createApp()
    .get('/users', { ...open }, () => 1)
    .route('/', marked)
    .seal();
  await emitted();
  expect(warnings).toEqual([
    expect.stringMatching(
      /^FAIRLEAD_TOOL: No agent can call a tool, because the application has no MCP server: GET \/users\. Install mcp\(\)/,
    ),
  ]);
});

it('schemas that JSON Schema cannot express allow every value', async () => {
  const app = createApp()
    .use(json())
    .post(
      '/dates',
      {
        ...open,
        body: z.object({ at: z.custom<string>((value) => typeof value === 'string') }),
      },
      ({ body }) => body,
    );
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema.properties).toEqual({ at: {} });
});

it('schemas that refer to themselves keep their definitions', async () => {
  const Node = z.object({
    name: z.string().meta({ 'x-mcp-header': 'Name' }),
    get children() {
      return z.array(Node);
    },
  });
  const app = createApp()
    .use(json())
    .post('/trees', { ...open, body: Node, response: Node }, ({ body }) => body);
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  const [tool] = tools;
  expect(JSON.stringify(tool)).not.toMatch(/components|x-mcp-header/);
  const tree = { name: 'a', children: [{ name: 'b', children: [] }] };
  const result = await client.callTool({ name: 'postTrees', arguments: tree });
  expect(result.structuredContent).toEqual(tree);
});

describe('a server', () => {
  const tool = open;

  /** Returns the warnings of a start. The server is intended with the last argument. */
  async function warningsOf(
    options: Partial<McpOptions>,
    route: RouteOptions,
    change: <T extends object>(plugin: T) => T = (plugin) => plugin,
  ): Promise<readonly string[]> {
    const warnings = collectWarnings();
    const app = createApp().get('/', route, () => 1);
    await app.plugin(change(mcp({ ...server, ...options })));
    app.seal();
    await emitted();
    await app.close();
    return warnings;
  }
  const withResource = (resource: string): Partial<McpOptions> => ({
    authorization: { resource, servers: ['https://login.example.com'] },
  });

  it('without tools causes a warning, unless it is intended', async () => {
    expect(await warningsOf({}, {})).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_TOOL: mcp\(\) serves no tool, because no route has the option tool\. Add tool: true to the routes that agents may call, or pass the plugin to intended\(\)\.\n {2}At: test\/startup\.test\.ts:/,
      ),
    ]);
    expect(await warningsOf({}, {}, intended)).toEqual([]);
  });

  it('with a resource at another path causes a warning, unless it is intended', async () => {
    const elsewhere = withResource('https://api.example.com/tools');
    expect(await warningsOf(elsewhere, tool)).toEqual([
      expect.stringContaining(
        "FAIRLEAD_TOOL: mcp() serves its endpoint at /mcp, but its resource is https://api.example.com/tools. Use 'https://api.example.com/mcp', pass path: '/tools', or pass the plugin to intended() if a proxy changes the path.",
      ),
    ]);
    expect(await warningsOf(elsewhere, tool, intended)).toEqual([]);
  });

  it.each(['', '/', '/mcp', '/mcp/', '/v1/mcp'])('may have the resource at %j', async (path) => {
    expect(await warningsOf(withResource(`https://api.example.com${path}`), tool)).toEqual([]);
  });

  describe('with a resource', () => {
    const resource = 'https://api.example.com/mcp';
    const verify = (...audiences: string[]) =>
      describeFunction<Middleware>((_ctx, next) => next(), {
        name: 'auth.middleware',
        role: 'middleware',
        audiences,
      });
    const start = async (
      endpoint: Middleware,
      handler: Middleware,
      change = <Plugin extends object>(plugin: Plugin) => plugin,
    ) => {
      const warnings = collectWarnings();
      const app = createApp().use('/mcp', endpoint).get('/', tool, handler);
      await app.plugin(change(mcp({ ...server, ...withResource(resource) })));
      app.seal();
      await emitted();
      await app.close();
      return warnings;
    };
    const pass = verify(resource, 'https://api.example.com');
    const api = verify('https://api.example.com');

    it('that is no audience of the endpoint, or of a tool, causes a warning', async () => {
      expect(await start(api, pass)).toEqual([
        expect.stringContaining(
          "FAIRLEAD_TOOL: The tokens of agents are for the resource of mcp(), https://api.example.com/mcp, but auth.middleware accepts only those for https://api.example.com: POST /mcp. Add 'https://api.example.com/mcp' to its audience, correct the resource, or pass the plugin to intended() if the issuer uses another audience.",
        ),
      ]);
      const guarded = describeFunction(() => 1, { runs: [api] });
      expect(await start(pass, guarded)).toEqual([expect.stringContaining(': GET /.')]);
    });

    it('without a check of tokens causes a warning if a tool has one', async () => {
      const check = describeFunction<Middleware>((_ctx, next) => next(), {
        name: 'auth.middleware',
        role: 'middleware',
        security: { name: 'token', scheme: { type: 'http', scheme: 'bearer' } },
      });
      const harmless = describeFunction<Middleware>((_ctx, next) => next(), { role: 'middleware' });
      const unknown: Middleware = (_ctx, next) => next();

      expect(await start(harmless, check)).toEqual([
        expect.stringContaining(
          "FAIRLEAD_TOOL: The tool of GET / demands credentials, but nothing demands them at /mcp, so agents never learn that mcp() tells where to get a token. Register the check before the plugin, as in app.use('/mcp', auth.middleware), or pass the plugin to intended() if a proxy demands tokens.",
        ),
      ]);
      expect(await start(harmless, check, intended)).toEqual([]);
      expect(await start(check, check)).toEqual([]);
      expect(await start(unknown, check)).toEqual([]);
    });

    it('that is one, or is intended, causes none', async () => {
      expect(await start(pass, pass)).toEqual([]);
      expect(await start(api, api, intended)).toEqual([]);
    });
  });

  it('may have the resource above its endpoint', async () => {
    const options = { path: '/ai/mcp', ...withResource('https://api.example.com/ai') };
    expect(await warningsOf(options, tool)).toEqual([]);
  });
});

it('a message about the endpoint shows the call of app.plugin()', async () => {
  const app = createApp().post('/mcp', () => 'mine');
  await app.plugin(mcp(server));
  expect(() => app.seal()).toThrow(
    /\n {2}At: test\/startup\.test\.ts:\d+:\d+\n {2}At: test\/startup\.test\.ts:/,
  );
});

it('the tools of one registration have the names of its operations in the document', async () => {
  const app = createApp()
    .get('/notes/:id?', { operationId: 'notes', ...open }, () => 1)
    .get(['/a', '/b/:id'], { tool: { name: 'ab' }, public: 'Everyone may call it.' }, () => 1)
    .on(['PUT', 'PATCH'], '/n/:id', { operationId: 'save', ...open }, () => 1)
    .get('/users/:id?', { ...open }, () => 1)
    .get('/hidden', { hidden: true, ...open }, () => 1);
  const server = await serve(app);
  const client = await connect(server);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([
    ...['notes', 'notesById', 'ab', 'abById', 'savePut', 'savePatch'],
    ...['getUsers', 'getUsersById', 'getHidden'],
  ]);
  const { paths } = createDocument(app, { info: { title: 'Notes', version: '1' } });
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(Object(path)).map((operation) => Reflect.get(Object(operation), 'operationId')),
  );
  expect(ids).toEqual(expect.arrayContaining(names.filter((name) => !/^ab|Hidden/.test(name))));
});
