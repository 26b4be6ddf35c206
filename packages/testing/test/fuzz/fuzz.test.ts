import { Body, Controller, defineController, Get, Param, Post } from '@fairlead/controllers';
import { type Application, createApp, HttpError, schemaClass } from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import { multipart } from '@fairlead/multipart';
import { secured } from '@fairlead/openapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FuzzError, type FuzzOptions, fuzz } from '../../src/fuzz.js';
import { createTestApp } from '../../src/index.js';

const NewCat = z.object({ name: z.string().min(1), lives: z.int().min(1).max(9) });

class Cat extends schemaClass(NewCat) {}

@Controller('/cats')
class CatsController {
  @Get('/:id')
  find(@Param('id') id: string) {
    return { id };
  }

  @Post('/', { status: 201 })
  add(@Body() cat: Cat) {
    if (cat.lives === 9) throw new RangeError('no cat has nine lives');
    return { id: 'tom' };
  }
}

const dogs = defineController('/dogs', {
  routes: ({ get, post }) => ({
    find: get('/:id', ({ params }) => ({ id: params.id })),
    add: post('/', { body: NewCat, status: 201 }, ({ body }) => {
      if (body.lives === 9) throw new RangeError('no dog has nine lives');
      return { id: 'rex' };
    }),
  }),
});

async function failuresOf(
  app: Application | { readonly app: Application },
  options: FuzzOptions = {},
) {
  const error: unknown = await fuzz(app, { seed: 3, ...options }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FuzzError)) throw error;
  return error.report.failures;
}

/** Notes that everyone may read, and that an owner writes. The second one fails. */
function createNotes(): Application {
  const owned = secured(
    (ctx: { get(name: string): string | undefined }, next: () => unknown) => {
      if (ctx.get('X-Key') !== 'a-secret-key') throw new HttpError(401, 'Send the key.');
      return next();
    },
    { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  );
  const body = z.object({ text: z.string().max(3) });
  return createApp({ onError: () => {} })
    .post('/notes', { body, status: 201 }, owned, () => ({ note: { id: 'one' } }))
    .get('/notes/:id', () => ({}))
    .put('/notes/:id', { body }, owned, ({ params }) => {
      if (params.id === 'one') throw new Error('broken a-secret-key');
      return {};
    });
}

describe.each([
  ['classes', CatsController, 'cat'],
  ['values', dogs, 'dog'],
])('fuzz() of %s', (_, controller, name) => {
  it('finds the smallest body', async () => {
    await using app = await createTestApp({ controllers: [controller], onError: () => {} });
    expect(await failuresOf(app)).toEqual([
      {
        rule: 'server-error',
        route: `POST /${name}s`,
        message: expect.stringContaining(`RangeError: no ${name} has nine lives, at `),
        commands: `curl -i -X POST 'http://localhost:8080/${name}s' -H 'Content-Type: application/json' --data-raw '{"name":" ","lives":9}'  # 500`,
        test: expect.stringContaining(
          `const response = await app.request("/${name}s", { method: 'POST', json: {"name":" ","lives":9} });`,
        ),
      },
    ]);
  });
});

describe('a report', () => {
  const headers = { 'X-Key': 'a-secret-key' };

  it('has the requests as commands and as a test, without credentials', async () => {
    const [failure, ...others] = await failuresOf(createNotes(), { headers });
    expect(others).toEqual([]);
    expect(failure?.commands).toMatchInlineSnapshot(`
      "id=$(curl -s -X POST 'http://localhost:8080/notes' -H 'Content-Type: application/json' -H "X-Key: $X_KEY" --data-raw '{"text":""}' | node -pe 'JSON.parse(fs.readFileSync(0)).note.id')  # 201
      curl -i -X PUT 'http://localhost:8080/notes/'"$id" -H 'Content-Type: application/json' -H "X-Key: $X_KEY" --data-raw '{"text":""}'  # 500"
    `);
    expect(failure?.test).toMatchInlineSnapshot(`
      "it("PUT /notes/:id: The response is 500: Error: broken ***", async () => {
        await using app = await createTestApp({ app: createMyApp, onError: () => {} });
        const created = await app.request("/notes", { method: 'POST', headers: { "X-Key": process.env.X_KEY ?? '' }, json: {"text":""} });
        const id = (await created.json()).note.id;
        const response = await app.request(\`/notes/\${id}\`, { method: 'PUT', headers: { "X-Key": process.env.X_KEY ?? '' }, json: {"text":""} });
        expect(response.status).toBeLessThan(500);
      });"
    `);
    expect(failure?.message).toMatch(/^The response is 500: Error: broken \*\*\*, at /);
  });

  it('is part of the message', async () => {
    const error = await fuzz(createNotes(), { headers, seed: 3 }).catch((reason) => reason);
    expect(error.message).toMatch(
      /^1 failure with the seed 3\.\n\n {2}1\. PUT \/notes\/:id \(server-error\)\n {5}The response is 500/,
    );
    expect(error.message).not.toContain('a-secret-key');
    expect(JSON.stringify(error.report)).not.toContain('a-secret-key');
  });

  it('tells which routes need credentials', async () => {
    const { routes } = await fuzz(createNotes(), { runs: 5 });
    expect(routes.map(({ route, notes }) => [route, notes])).toEqual([
      ['POST /notes', ['needs credentials']],
      ['GET /notes/:id', ['what its path names could not be created']],
      ['PUT /notes/:id', ['what its path names could not be created', 'needs credentials']],
    ]);
  });
});

it('finds members of responses that their schema does not describe, unless the application has started', async () => {
  const create = () =>
    createApp({ onError: () => {} }).get('/', { response: z.object({ a: z.int() }) }, () => {
      const row = { a: 1, secret: 2 };
      return row;
    });
  const expected = {
    rule: 'response',
    message: expect.stringMatching(/^The response does not fit its schema: .*secret/),
  };
  expect(await failuresOf(create(), { runs: 1 })).toEqual([expect.objectContaining(expected)]);
  const started = create();
  started.seal();
  // It removes the member.
  expect((await fuzz(started, { runs: 1 })).failures).toEqual([]);
});

describe('fuzz() of routes with versions', () => {
  const header = 'X-Api-Version';
  const failing = () => {
    const versions = createVersions({ header });
    const fail = () => {
      throw new Error('broken');
    };
    return createApp({ onError: () => {}, versions })
      .get('/notes', { version: '1' }, fail)
      .get('/notes', { version: '2' }, fail);
  };

  it.each([{ header, default: '1' }, { header }, { parameter: 'v' }])(
    'names the version in each request: %j',
    async (options) => {
      const query = z.object({ page: z.int().optional() });
      const headers = z.object({ 'x-page': z.string() });
      const app = createApp({ versions: createVersions(options) })
        .get('/notes', { version: '1' }, () => [])
        .get('/notes', { version: '2', query, headers }, () => [])
        .get('/health', () => ({}));
      const { routes } = await fuzz(app, { runs: 5 });
      expect(routes).toEqual([
        { route: 'GET /notes (version 1)', statuses: { 200: 5 }, refused: 0, notes: [] },
        { route: 'GET /health', statuses: { 200: 5 }, refused: 0, notes: [] },
        {
          route: 'GET /notes (version 2)',
          statuses: { 200: 5, 400: 5 },
          refused: 0,
          notes: [],
        },
      ]);
    },
  );

  it('creates what a path names with the same version', async () => {
    const app = createApp({ versions: createVersions({ header, default: '1' }) });
    for (const version of ['1', '2']) {
      const found = new Set<string>();
      app
        .post('/notes', { version, status: 201 }, () => {
          const id = `${version}-${found.size}`;
          found.add(id);
          return { id };
        })
        .get('/notes/:id', { version }, ({ params }) => {
          if (!found.has(params.id)) throw new HttpError(404, 'There is no such note.');
          return params;
        });
    }
    const { routes } = await fuzz(app, { runs: 5 });
    const found = routes.filter(({ statuses }) => statuses[200] !== undefined);
    expect(found.map(({ route }) => route)).toEqual([
      'GET /notes/:id (version 1)',
      'GET /notes/:id (version 2)',
    ]);
  });

  it('reports a failure of each version', async () => {
    const failures = await failuresOf(failing(), { runs: 1 });
    expect(failures.map(({ route, commands }) => [route, commands])).toEqual([
      [
        'GET /notes (version 1)',
        "curl -i 'http://localhost:8080/notes' -H 'X-Api-Version: 1'  # 500",
      ],
      [
        'GET /notes (version 2)',
        "curl -i 'http://localhost:8080/notes' -H 'X-Api-Version: 2'  # 500",
      ],
    ]);
  });

  it('selects and skips one version, or all of them', async () => {
    const shown = async (options: FuzzOptions) =>
      (await failuresOf(failing(), { runs: 1, ...options })).map(({ route }) => route);
    const [first, second] = ['GET /notes (version 1)', 'GET /notes (version 2)'];
    expect(await shown({ routes: ['GET /notes'] })).toEqual([first, second]);
    expect(await shown({ routes: [second] })).toEqual([second]);
    expect(await shown({ skip: [`server-error ${second}`] })).toEqual([first]);
    const skip = ['server-error GET /notes'];
    expect((await fuzz(failing(), { runs: 1, skip })).failures).toEqual([]);
  });
});

it('tells that it generates no valid request', async () => {
  const query = z.object({ code: z.string().refine((text) => text === 'open sesame') });
  const app = createApp().get('/', { query }, () => ({}));
  const { routes } = await fuzz(app, { runs: 3 });
  expect(routes[0]).toMatchObject({ notes: ['every request is refused as invalid'] });
  expect(routes[0]?.refused).toBeGreaterThan(3);
});

it('hides credentials, whatever their form', async () => {
  const app = createApp({ onError: () => {} }).get('/', ({ headers }) => {
    const token = headers.authorization?.replace('Basic ', '');
    throw new Error(`${token} ${encodeURIComponent(token ?? '')} ${headers.cookie}`);
  });
  const headers = { Authorization: 'Basic a/b=', Cookie: 'id=1; token=secret-value' };
  const [failure] = await failuresOf(app, { headers });
  expect(JSON.stringify(failure)).not.toMatch(/a\/b|a%2Fb|secret-value/);
});

it('does not wait for a route that does not respond more than once', async () => {
  let requests = 0;
  const app = createApp().get('/', () => {
    requests += 1;
    return new Promise(() => {});
  });
  expect(await failuresOf(app, { timeout: 20 })).toHaveLength(1);
  expect(requests).toBe(1);
});

it('rejects with an error of authenticate', async () => {
  const failure = new Error('no token');
  const authenticate = () => Promise.reject(failure);
  await expect(fuzz(createNotes(), { authenticate })).rejects.toBe(failure);
});

it('sends files in forms', async () => {
  const rules = {
    title: { required: true },
    scan: { kind: 'file', required: true, mediaTypes: ['image/png'] },
    tags: { json: true, required: true },
  } as const;
  const received: unknown[] = [];
  const app = createApp({ onError: () => {} }).post('/scans', multipart({ rules }), ({ body }) => {
    received.push(body);
    return {};
  });
  const { routes } = await fuzz(app, { runs: 5 });
  expect(routes[0]?.notes).toEqual([]);
  expect(received).toHaveLength(5);
});

describe('the options', () => {
  it('repeat requests by the seed, also to one route', async () => {
    const bodies: unknown[] = [];
    const create = () =>
      createApp()
        .post('/a', { body: z.object({ text: z.string() }) }, () => ({}))
        .post('/b', { body: z.object({ text: z.string() }) }, ({ body }) => {
          bodies.push(body);
          return {};
        });
    await fuzz(create(), { seed: 1 });
    const all = bodies.splice(0);
    await fuzz(create(), { seed: 1, routes: ['POST /b'] });
    expect(bodies.splice(0)).toEqual(all);
    const { seed } = await fuzz(create(), { routes: ['/b'] });
    const random = bodies.splice(0);
    expect(random).not.toEqual(all);
    await fuzz(create(), { seed });
    expect(bodies).toEqual(random);
  });

  it('select routes below a path', async () => {
    const app = createApp()
      .get('/notes', () => 1)
      .get('/notes/:id', () => 1)
      .get('/notebooks', () => 1);
    const { routes } = await fuzz(app, { routes: ['/notes'], runs: 1 });
    expect(routes.map(({ route }) => route)).toEqual(['GET /notes', 'GET /notes/:id']);
  });

  it('skip promises', async () => {
    const options = { headers: { 'X-Key': 'a-secret-key' }, seed: 3, runs: 5 };
    const skip = ['server-error PUT /notes/:id'];
    expect((await fuzz(createNotes(), { ...options, skip })).failures).toEqual([]);
    expect((await fuzz(createNotes(), { ...options, skip: ['server-error'] })).failures).toEqual(
      [],
    );
    expect(await failuresOf(createNotes(), { ...options, skip: ['etag'] })).toHaveLength(1);
  });

  it('authenticate requests by route', async () => {
    const asked = new Set<string>();
    const failures = await failuresOf(createNotes(), {
      authenticate: async ({ method, pattern }) => {
        asked.add(`${method} ${pattern}`);
        return { 'X-Key': 'a-secret-key' };
      },
    });
    expect(failures).toHaveLength(1);
    expect([...asked].sort()).toEqual(['GET /notes/:id', 'POST /notes', 'PUT /notes/:id']);
  });

  it.each<readonly [FuzzOptions, string]>([
    [{ runs: 0 }, 'runs of fuzz() must be an integer from 1 to 10000: got 0.'],
    [{ seed: -1 }, 'seed of fuzz() must be an integer from 0 to 4294967295: got -1.'],
    [
      { routes: ['GET /notes/:i'] },
      "fuzz() knows no route 'GET /notes/:i'. Did you mean 'GET /notes/:id'?",
    ],
    [{ skip: ['etags'] }, "fuzz() knows no promise 'etags'. Did you mean 'etag'?"],
    [
      { skip: ['etag GET /notes/:ids'] },
      "fuzz() knows no route 'GET /notes/:ids' to skip. Did you mean 'GET /notes/:id'?",
    ],
  ])('are checked: %j', async (options, message) => {
    await expect(fuzz(createNotes(), options)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    });
  });
});

it('leaves out no last member of an optional object in a query, because that leaves out the object', async () => {
  const at = z.strictObject({ x: z.int() });
  const query = z.strictObject({ at: at.optional(), both: at.extend({ y: z.int() }).optional() });
  const { routes } = await fuzz(
    createApp().get('/', { query }, () => []),
    { runs: 20, seed: 7 },
  );
  expect(routes).toMatchObject([{ route: 'GET /', refused: 0, notes: [] }]);
});
