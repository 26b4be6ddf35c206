import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type Handler, intended, json } from '@fairlead/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  createDocument,
  type DocumentOptions,
  type OpenApiDocument,
  openapi,
  printDocument,
  secured,
} from '../src/index.js';

const info = { title: 'Public', version: '1' };
const ok: Handler = () => null;
const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;

const Address = z.object({ city: z.string() }).meta({ id: 'Address' });
const User = z.object({ name: z.string(), address: Address }).meta({ id: 'User' });
const Audit = z.object({ secret: z.string(), address: Address }).meta({ id: 'Audit' });

const tags = [
  { name: 'internal', description: 'Only for employees.' },
  { name: 'users', description: 'Those who sign in.' },
  { name: 'guide', description: 'How to begin.' },
];

/** The options of a document of the routes that are not internal. */
const publicly: DocumentOptions = { info, tags, exclude: { tags: ['internal'] } };

/** Creates an application whose internal routes are before the public ones with the same paths and IDs. */
function create() {
  const guard = secured((_ctx: unknown, next: () => unknown) => next(), key);
  return createApp()
    .use(json())
    .delete('/users/:userId', { tags: ['internal'], errors: [503] }, guard, ok)
    .get('/users-:id', { tags: ['internal'], response: z.array(Audit) }, ok as never)
    .get('/users/:id', { tags: ['users'], response: User }, ok as never)
    .post('/users', { tags: ['users', 'new'], body: User, operationId: 'add' }, ok)
    .get('/internal/users', { tags: ['internal'], operationId: 'add' }, ok)
    .on('PURGE', '/internal/users', { tags: ['internal'] }, ok);
}

/** The ID of each operation, by method and path. */
function idsIn({ paths }: OpenApiDocument): Readonly<Record<string, unknown>> {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => [`${method} ${path}`, operationId]),
  );
  return Object.fromEntries(operations);
}

describe('a document of some routes', () => {
  it.each<[string, Omit<DocumentOptions, 'info'>, readonly string[]]>([
    [
      'paths',
      { include: ['/users/:id', '/users-:id'] },
      ['get /users-{id}', 'get /users/{userId}'],
    ],
    [
      'a prefix',
      { include: ['/users'] },
      ['delete /users/{userId}', 'get /users/{userId}', 'post /users'],
    ],
    ['tags', { include: { tags: ['new', 'other'] } }, ['post /users']],
    ['a function', { include: ({ method }) => method === 'POST' }, ['post /users']],
    ['tags to leave out', publicly, ['get /users/{userId}', 'post /users']],
    ['both', { include: { tags: ['users'] }, exclude: ['/users/:id'] }, ['post /users']],
  ])('is selected by %s', (_, options, expected) => {
    expect(Object.keys(idsIn(createDocument(create(), { info, ...options })))).toEqual(expected);
  });

  it('has the paths and operation IDs that other documents have', () => {
    const all = createDocument(create(), {
      info,
      exclude: ({ method, pattern }) => method === 'PURGE' || pattern === '/users',
    });

    expect(idsIn(all)).toMatchObject({
      'delete /users/{userId}': 'deleteUsersByUserId',
      'get /users-{id}': 'getUsersById',
      'get /users/{userId}': 'getUsersById2',
    });
    expect(idsIn(createDocument(create(), publicly))).toEqual({
      'get /users/{userId}': 'getUsersById2',
      'post /users': 'add',
    });
  });

  it('shows nothing of the other routes', () => {
    const document = createDocument(create(), publicly);

    expect(Object.keys(document.components.schemas ?? {})).toEqual([
      ...['User', 'Address', 'Problem', 'ValidationProblem', 'ValidationIssue'],
    ]);
    expect(document.components).not.toHaveProperty('securitySchemes');
    expect(document.components.responses).not.toHaveProperty('ServiceUnavailable');
    expect(JSON.stringify(document)).not.toMatch(/audit|secret|internal|employees|X-Key/i);
  });

  it('has the tags of its routes, and those without routes', () => {
    const namesIn = (document: OpenApiDocument) => document.tags?.map(({ name }) => name);
    const internal = { info, tags, include: ['/users-:id'] };

    expect(namesIn(createDocument(create(), publicly))).toEqual(['users', 'guide', 'new']);
    expect(namesIn(createDocument(create(), internal))).toEqual(['internal', 'guide']);
  });

  it('has the tags that contain those of its routes', () => {
    const { tags: found } = createDocument(create(), {
      info,
      version: '3.2',
      tags: [{ name: 'users', parent: 'internal' }, { name: 'internal' }],
      include: ['/users/:id'],
    });

    expect(found).toEqual([{ name: 'users', parent: 'internal' }, { name: 'internal' }]);
  });

  it.each<[string, object, string]>([
    [
      'a tag without an array',
      { include: { tags: 'users' } },
      "include of createDocument() must be an array of paths such as '/health', tags such as { tags: ['admin'] } or a function: got an object.",
    ],
  ])('cannot be selected by %s', (_, options, message) => {
    expect(() => createDocument(createApp(), { info, ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message }),
    );
  });
});

describe('an application with several documents', () => {
  async function createBoth() {
    const app = create();
    const exclude = ({ method }: { method: string }) => method === 'PURGE' || method === 'POST';
    await app.plugin(openapi(publicly));
    await app.plugin(
      openapi({ info: { ...info, title: 'All' }, exclude, path: '/all.yaml', docs: '/all' }),
    );
    return app;
  }

  it('serves each, with its own page', async () => {
    const app = await createBoth();
    const [open, all] = await Promise.all(
      ['/openapi.json', '/all.yaml'].map((path) => app.request(path)),
    );

    expect(await open?.json()).toEqual(createDocument(app, '/openapi.json'));
    expect(all?.headers.get('Content-Type')).toBe('application/yaml');
    expect(parse((await all?.text()) ?? '')).toEqual(createDocument(app, '/all.yaml'));
    expect(await (await app.request('/docs')).text()).toContain('"openapi.json"');
    expect(await (await app.request('/all')).text()).toContain('"all.yaml"');
  });

  it('creates the first one, or the one at a path', async () => {
    const app = await createBoth();

    expect(createDocument(app)).toEqual(createDocument(app, publicly));
    expect(createDocument(app, '/openapi.json')).toEqual(createDocument(app));
    expect(createDocument(app, '/all.yaml')).toMatchObject({ info: { title: 'All' } });
  });

  it('prints the first one, or the one at a path, in the format of the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-openapi-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const print = async (name: string, options?: Parameters<typeof printDocument>[2]) => {
      await printDocument(await createBoth(), join(folder, name), options);
      return readFile(join(folder, name), 'utf8');
    };
    const app = await createBoth();
    const first = createDocument(app);
    const all = createDocument(app, '/all.yaml');

    expect(await print('a.json')).toBe(`${JSON.stringify(first, null, 2)}\n`);
    expect(parse(await print('a.yml'))).toEqual(first);
    expect(JSON.parse(await print('b.json', { document: '/all.yaml' }))).toEqual(all);
    expect(await print('b.yaml', { document: '/all.yaml' })).toBe(
      await (await app.request('/all.yaml')).text(),
    );
    expect(parse(await print('c.txt', { format: 'yaml' }))).toEqual(first);
  });

  it('refuses a path that no document has', async () => {
    const app = await createBoth();

    expect(() => createDocument(app, '/al.yaml')).toThrow(
      expect.objectContaining({
        code: 'NO_DOCUMENT',
        message:
          "The application has no OpenAPI document at '/al.yaml'. Use '/openapi.json' or '/all.yaml'.",
      }),
    );
    await expect(printDocument(app, undefined, { document: 'all' })).rejects.toMatchObject({
      code: 'NO_DOCUMENT',
    });
    await expect(printDocument(app, undefined, { format: 'yml' } as never)).rejects.toMatchObject({
      message: "format of printDocument() must be 'json' or 'yaml': got 'yml'.",
    });
  });

  it.each<[string, object, string]>([
    [
      'path',
      { docs: false },
      "openapi() cannot serve a second document at /openapi.json. Pass another path, such as '/internal.json'.",
    ],
    [
      'page',
      { path: '/internal.json' },
      "openapi() cannot show /internal.json at /docs, which shows /openapi.json. Pass other docs, such as '/internal', or docs: false.",
    ],
  ])('refuses two with the same %s', async (_, options, message) => {
    const app = createApp();
    await app.plugin(openapi({ info }));

    await expect(app.plugin(openapi({ info, ...options }))).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message,
    });
  });

  it('refuses one at the path of its own page', () => {
    expect(() => openapi({ info, path: '/docs' })).toThrow(
      /^openapi\(\) cannot serve the document and its page at \/docs\. Pass another path, such as '\/openapi\.json', other docs, or docs: false\.\n {2}At: test\/subsets\.test\.ts:\d+:\d+$/,
    );
  });

  it.each(['/docs', '/openapi.json'])(
    'names the calls of both if a route of the application has its path: %s',
    async (path) => {
      const app = createApp().get(path, () => 1);
      await app.plugin(openapi({ info }));

      expect(() => app.seal()).toThrow(/(?:\n {2}At: test\/subsets\.test\.ts:\d+:\d+){2}$/);
    },
  );

  it('reports a problem of a route once', async () => {
    const app = createApp().get('/now', { response: z.date() }, () => new Date());
    await app.plugin(openapi({ info }));
    await app.plugin(openapi({ info, path: '/internal.json', docs: false }));

    expect(() => app.seal()).toThrow(expect.objectContaining({ code: 'INEXPRESSIBLE_SCHEMA' }));
  });
});

it('YAML quotes what YAML 1.1 would read as something else', async () => {
  const Country = z.enum(['NO', 'no', 'on', '1:30', '2026-01-01', '0o7', '~', 'Sweden']);
  const app = createApp().get('/', { response: Country, description: 'a: b\n# c\n' }, ok as never);
  await app.plugin(openapi({ info, path: '/openapi.yaml' }));
  const text = await (await app.request('/openapi.yaml')).text();

  expect(parse(text, { version: '1.1' })).toEqual(createDocument(app, { info }));
  expect(parse(text)).toEqual(createDocument(app, { info }));
});

describe('a selection of routes', () => {
  const warningsOf = (options: Partial<DocumentOptions>, app = create()) => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    createDocument(app, { info, ...options });
    const calls: readonly (readonly unknown[])[] = emit.mock.calls;
    const warnings = calls.map(([message, details]) =>
      `${Reflect.get(Object(details), 'code')}: ${message}`.replace(/:\d+:\d+$/, ''),
    );
    emit.mockRestore();
    return warnings;
  };

  it.each<[NonNullable<DocumentOptions['include']>, string]>([
    [['/user', '/nowhere/'], '["/user","/nowhere/"]'],
    [{ tags: ['publik'] }, '{"tags":["publik"]}'],
    [() => false, 'its function'],
  ])('that matches nothing causes a warning: %j', (include, shown) => {
    expect(warningsOf({ include })).toEqual([
      `FAIRLEAD_DOCUMENT: The option include of the document 'Public' matches no route: ${shown}. Correct it, or pass it to intended().\n  At: test/subsets.test.ts`,
    ]);
  });

  const createUsers = () => createApp().get('/users', { tags: ['public'] }, () => 1);

  it.each<[NonNullable<DocumentOptions['exclude']>, string]>([
    [['/interal'], '["/interal"]'],
    [{ tags: ['publik'] }, '{"tags":["publik"]}'],
  ])('that excludes nothing causes a warning: %j', (exclude, shown) => {
    expect(warningsOf({ exclude }, createUsers())).toEqual([
      `FAIRLEAD_DOCUMENT: The option exclude of the document 'Public' matches no route: ${shown}. Correct it, or pass it to intended().\n  At: test/subsets.test.ts`,
    ]);
    expect(warningsOf({ exclude: intended(exclude) }, createUsers())).toEqual([]);
  });

  it('causes none if it excludes a route, or nothing on purpose', () => {
    expect(warningsOf({ exclude: ['/users', '/nowhere'] }, createUsers())).toEqual([]);
    expect(warningsOf({ exclude: [] }, createUsers())).toEqual([]);
    expect(warningsOf({ exclude: ['/nowhere'] }, createApp())).toEqual([]);
  });

  it('causes a warning about a described tag that resembles the one of a route', () => {
    const app = createApp().get('/', { tags: ['users'] }, () => 1);
    const tags = [{ name: 'user' }, { name: 'later' }];
    expect(warningsOf({ tags }, app)).toEqual([
      "FAIRLEAD_DOCUMENT: The document 'Public' describes the tag 'user', which no route has. Write 'users', or pass tags to intended().\n  At: test/subsets.test.ts",
    ]);
    expect(warningsOf({ tags: intended(tags) }, app)).toEqual([]);
    expect(warningsOf({ tags: [...tags, { name: 'users' }] }, app)).toEqual([]);
  });

  it('causes none if it matches a route, there are no routes, or it is intended', () => {
    expect(warningsOf({ include: ['/users', '/nowhere'] })).toEqual([]);
    expect(warningsOf({ include: ['/nowhere'] }, createApp())).toEqual([]);
    expect(warningsOf({ include: intended(['/nowhere']) })).toEqual([]);
    expect(warningsOf({ include: [], webhooks: { paid: {} } })).toEqual([]);
  });
});
