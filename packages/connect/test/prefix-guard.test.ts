import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type Application,
  createApp,
  createRouter,
  listen,
  type Middleware,
  UnauthorizedError,
} from '@fairlead/core';
import { cases } from '@fairlead/test-support/properties';
import express from 'express';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../src/index.js';
import { EXPRESS } from './support/express.js';

const SECRET = 'the secret';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-'));
  for (const directory of ['private', 'public', 'käse', 'teams/red/private']) {
    await mkdir(join(root, directory), { recursive: true });
    await writeFile(join(root, directory, 's.txt'), directory === 'public' ? 'public' : SECRET);
  }
  await writeFile(join(root, 'public', 'ä b.txt'), 'public');
  await writeFile(join(root, 'public', 'a..b.v1.txt'), 'public');
});

afterAll(() => rm(root, { recursive: true }));

const deny: Middleware = () => {
  throw new UnauthorizedError('Sign in.');
};

const allow: Middleware = (_ctx, next) => next();

/** Serves an application, and returns a function that sends a request with any target. */
async function serve(app: Application): Promise<(target: string) => Promise<[number, string]>> {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { port } = new URL(server.url);
  return async (target) => {
    const [response] = await once(request({ port, agent, path: target }).end(), 'response');
    return [response.statusCode, await text(response)];
  };
}

/** Ways to serve files or routes below guarded prefixes with Express. */
const HANDLERS = EXPRESS.flatMap(
  ([name, create]): [string, (app: Application) => Application][] => [
    [`express.static() of ${name}`, (app) => app.use(connect(create.static(root)))],
    [
      `express.static() of ${name} in a route`,
      (app) => app.route('/', createRouter().get('/*path', connect(create.static(root)))),
    ],
    [
      `express.static() in an application of ${name}`,
      (app) => app.use(connect(create().use(create.static(root)))),
    ],
  ],
);

/** Targets that lead to a file below `/private`, `/käse` or `/teams/:team/private`. */
const SPELLINGS = [
  '/private/s.txt',
  '/%70rivate/s.txt',
  '/private/s%2Etxt',
  '//private/s.txt',
  '///private///s.txt',
  '/./private/s.txt',
  '/%2e/private/s.txt',
  '/%2E//.//private/s.txt',
  '/private%2fs.txt',
  '/private%2Fs.txt?x=1',
  '/%2fprivate/s.txt',
  '/.%2fprivate/s.txt',
  '/%2e%2fprivate%2fs.txt',
  '/private//s.txt',
  '/private/./s.txt',
  '/private/x/../s.txt',
  '/public/../private/s.txt',
  '/public/%2e%2e/private/s.txt',
  '/public/.%2e/private/s.txt',
  '/public%2f..%2fprivate%2fs.txt',
  '/x/..//private/s.txt',
  '/x/y/../../private/s.txt',
  '/private/../private/s.txt',
  'http://example.com/private/s.txt',
  'http://example.com//private/s.txt',
  'http://example.com/./private%2Fs.txt',
  '/k%C3%A4se/s.txt',
  '/k%c3%a4se%2fs.txt',
  '//k%C3%A4se/s.txt',
  '/teams/red/private/s.txt',
  '/teams//red/private/s.txt',
  '/teams/red%2Fprivate/s.txt',
  '/teams/red/./private/s.txt',
  '/teams/x/../red/private/s.txt',
];

/** Targets that lead to such a file on other file systems. */
const OTHER_SPELLINGS = [
  '/PRIVATE/s.txt',
  '/Private/s.txt',
  '/private\\s.txt',
  '/private%5Cs.txt',
  '/\\private/s.txt',
  '/%5cprivate/s.txt',
  '/public\\..\\private\\s.txt',
  '/public%5C..%5Cprivate/s.txt',
  '/public/..%20/private/s.txt',
  '/public/.. ./private/s.txt'.replace(' ', '%20'),
  '/private./s.txt',
  '/private.../s.txt',
  '/private%20/s.txt',
  '/private.%20./s.txt',
  '/private::$INDEX_ALLOCATION/s.txt',
  '/private:$I30:$INDEX_ALLOCATION/s.txt',
  '/pri%E2%80%8Bvate/s.txt',
  '/pri%C2%ADvate/s.txt',
  '/K%C3%84SE/s.txt',
  '/ka%CC%88se/s.txt',
  '/teams/red/PRIVATE/s.txt',
  '/teams/red%5Cprivate/s.txt',
];

const PREFIXES = ['/private', '/käse', '/teams/:team/private'];

/** Creates an application with middleware for each prefix. */
function createGuarded(guard: Middleware): Application {
  return PREFIXES.reduce((app, prefix) => app.use(prefix, guard), createApp());
}

describe.each(HANDLERS)('below prefixes before %s', (_, add) => {
  it('the targets of this test lead to a file that no middleware guards', async () => {
    const send = await serve(add(createApp()));
    for (const target of SPELLINGS) {
      expect([target, await send(target)]).toEqual([target, [200, SECRET]]);
    }
  });

  it('middleware guards all targets that lead to a file', async () => {
    const send = await serve(add(createGuarded(deny)));
    for (const target of [...SPELLINGS, ...OTHER_SPELLINGS]) {
      const [status] = await send(target);
      expect([target, status]).toEqual([target, expect.toBeOneOf([400, 401])]);
    }
  });

  it('middleware that allows a request leaves it to the handler', async () => {
    const send = await serve(add(createGuarded(allow)));
    for (const target of ['/private/s.txt', '/k%C3%A4se/s.txt', '/private//s.txt']) {
      expect([target, await send(target)]).toEqual([target, [200, SECRET]]);
    }
  });

  it('no mixture of such targets leads to a file', async () => {
    const send = await serve(add(createGuarded(deny)));
    const part = fc.constantFrom(
      ...['/', '//', '%2f', '%2F', '%5C', '\\', '/./', '/../', '/%2e%2e/', '%2e', '.', '..', '%20'],
      ...[
        'private',
        'PRIVATE',
        '%70rivate',
        'public',
        'teams',
        'red',
        's.txt',
        '/private',
        '/s.txt',
      ],
      ...['x', ';', ':', '?', '%3F', '%00', '%c0%af', '%25', '%252f', 'k%C3%A4se', '~1'],
    );
    const target = fc.array(part, { maxLength: 10 }).map((parts) => `/${parts.join('')}`);
    await fc.assert(
      fc.asyncProperty(target, async (path) => {
        const [, body] = await send(path);
        expect(body).not.toContain(SECRET);
      }),
      { numRuns: cases(200) },
    );
  });

  it.each([
    '/public/s.txt',
    '/public/%C3%A4%20b.txt',
    '/public/a..b.v1.txt',
    '/public//s.txt',
    '/public/./s.txt',
    '/public%2Fs.txt',
  ])('%s, which is not below them, is served', async (target) => {
    const send = await serve(add(createGuarded(deny)));
    expect(await send(target)).toEqual([200, 'public']);
  });
});

describe.each(EXPRESS)('below a prefix before an application of %s', (_, create) => {
  const createOld = () => {
    const old = create();
    old.get('/admin/users', (_req, res) => void res.send(SECRET));
    old.get('/teams/:team/admin', (_req, res) => void res.send(SECRET));
    old.use(
      '/nested',
      create.Router().get('/admin', (_req, res) => void res.send(SECRET)),
    );
    old.get('/files/:name', (req, res) => void res.send(req.params.name));
    return old;
  };
  const targets = [
    '/admin/users',
    '/ADMIN/users',
    '/Admin/Users/',
    '/admin/USERS?x=1',
    'http://example.com/ADMIN/users',
    '/teams/red/admin',
    '/Teams/red/Admin/',
    '/teams/a%2Fb/ADMIN',
    '/NESTED/admin',
    '/nested/ADMIN/',
  ];
  const prefixes = ['/admin', '/teams/:team/admin', '/nested/admin'];

  it('the targets of this test lead to a route that no middleware guards', async () => {
    const send = await serve(createApp().use(connect(createOld())));
    for (const target of targets) {
      expect([target, await send(target)]).toEqual([target, [200, SECRET]]);
    }
  });

  it('middleware runs for all spellings of its routes', async () => {
    const app = prefixes.reduce((guarded, prefix) => guarded.use(prefix, deny), createApp());
    const send = await serve(app.use(connect(createOld())));
    for (const target of targets) {
      expect([target, (await send(target))[0]]).toEqual([target, 401]);
    }
  });

  it.each([
    ['/files/a%2Fb', 'a/b'],
    ['/files/a%5Cb', 'a\\b'],
    ['/files/%C3%A4%20b', 'ä b'],
    ['/files/admin', 'admin'],
    ['/files/x:admin', 'x:admin'],
    ['/files/...', '...'],
    ['/files/.hidden', '.hidden'],
  ])('the parameter in %s reaches its route', async (target, name) => {
    const send = await serve(createApp().use('/admin', deny).use(connect(createOld())));
    expect(await send(target)).toEqual([200, name]);
  });

  it('a URL that middleware rewrites does not lead below it', async () => {
    const app = createApp()
      .use(
        connect((req, _res, next) => {
          req.url = String(req.url).replace('/v1', '');
          next();
        }),
      )
      .use('/admin', deny)
      .use(connect(createOld()));
    const send = await serve(app);
    expect((await send('/v1/admin/users'))[0]).toBe(400);
    expect(await send('/v1/files/a')).toEqual([200, 'a']);
  });
});

describe.each(EXPRESS)('below a prefix within that of express.static() of %s', (_, create) => {
  it('middleware guards all targets that lead to a file', async () => {
    const app = createApp().use('/files/private', deny);
    const send = await serve(app.use('/files', connect(create.static(root))));
    for (const target of [
      '/files/private/s.txt',
      '/FILES/private/s.txt',
      '/files//private/s.txt',
      '/files/./private/s.txt',
      '/files/private%2fs.txt',
      '/Files/%2fprivate/s.txt',
      '/files/public/../private/s.txt',
    ]) {
      const [status] = await send(target);
      expect([target, status]).toEqual([target, expect.toBeOneOf([400, 401])]);
    }
    expect(await send('/FILES/public/s.txt')).toEqual([200, 'public']);
  });
});

it('middleware guards an Express application that is the notFound of the application', async () => {
  const old = express().get('/admin', (_req, res) => void res.send(SECRET));
  old.use(express.static(root));
  const app = createApp({ notFound: connect(old) })
    .use('/admin', deny)
    .use('/private', deny);
  const send = await serve(app);
  expect((await send('/ADMIN'))[0]).toBe(401);
  expect((await send('//private/s.txt'))[0]).toBe(400);
  expect(await send('/public/s.txt')).toEqual([200, 'public']);
});

describe('without middleware of Express behind a prefix', () => {
  const targets: [target: string, status: number][] = [
    ['/ADMIN/users', 404],
    ['//admin/users', 404],
    ['/x/../admin/users', 404],
    ['/files/a%2Fadmin', 200],
    ['/files/a%5C..%5Cadmin', 200],
    ['/files/%C3%A4%20b', 200],
  ];
  const addRoutes = (app: Application) =>
    app.get('/files/:name', () => 'file').get('/admin/users', () => 'users');

  it.each(targets)('%s is a path like others: %i', async (target, status) => {
    const send = await serve(addRoutes(createApp().use('/admin', deny)));
    expect((await send(target))[0]).toBe(status);
  });

  it.each(targets)(
    '%s is so behind middleware of Express before the prefix: %i',
    async (target, status) => {
      const app = createApp().use(connect(express().disable('x-powered-by')));
      const send = await serve(addRoutes(app.use('/admin', deny)));
      expect((await send(target))[0]).toBe(status);
    },
  );
});

it.each(['/api/../admin', '/api/%2e%2e/admin', '/api/..%2fadmin', '/api/x/..%5cadmin'])(
  'a path with .. does not reach middleware of Express with a prefix, or after one: %s',
  async (target) => {
    const reached = connect((_req, res) => void res.end('reached'));
    const below = createApp().use('/api', reached);
    const after = createApp()
      .use('/other', (_ctx, next) => next())
      .use(reached);
    for (const app of [below, after]) {
      const send = await serve(app);
      const [status, text] = await send(target);
      expect([status, text]).toEqual([400, expect.stringContaining('AMBIGUOUS_PATH')]);
      expect((await send('/api/a..b'))[0]).toBe(200);
    }
  },
);
