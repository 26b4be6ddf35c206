import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Application,
  createApp,
  createRouter,
  type ErrorFormatter,
  errorHandler,
  intended,
  type Plugin,
  UnauthorizedError,
} from '@fairlead/core';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDocument, type OpenApiOptions, openapi, printDocument } from '../src/index.js';

const info = { title: 'Users & <friends>', version: '1' };

async function appWith(options: Partial<OpenApiOptions> = {}) {
  const app = createApp({ onError: () => undefined });
  await app.plugin(openapi({ info, ...options }));
  return app.get('/users', () => []);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the document', () => {
  it('is served without the routes of the plugin', async () => {
    const app = await appWith();
    const response = await app.request('/openapi.json');

    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    const document = await response.json();
    expect(document).toEqual(createDocument(app, { info }));
    expect(Object.keys(Object(document).paths)).toEqual(['/users']);
  });

  it('has a strong tag that depends on its text', async () => {
    const tagOf = async (options: Partial<OpenApiOptions>) =>
      (await (await appWith(options)).request('/openapi.json')).headers.get('ETag');

    expect(await tagOf({})).toMatch(/^"[\w-]{43}"$/);
    expect(await tagOf({})).toBe(await tagOf({}));
    expect(await tagOf({ info: { ...info, version: '2' } })).not.toBe(await tagOf({}));
  });

  it.each(['/openapi.json', '/docs'])('is not sent to clients that have it: %s', async (path) => {
    const app = await appWith();
    const tag = (await app.request(path)).headers.get('ETag') ?? '';
    const ask = (tags: string) => app.request(path, { headers: { 'If-None-Match': tags } });
    const response = await ask(`"a", W/${tag}`);

    expect([response.status, (await ask('*')).status, (await ask('"a"')).status]).toEqual([
      304, 304, 200,
    ]);
    expect(response.headers.get('ETag')).toBe(tag);
    expect(await response.text()).toBe('');
  });

  it('describes all members of a response: tests find others, and applications remove them', async () => {
    const response = { type: 'object', properties: { id: { type: 'string' } } };
    const list = () => ({ id: '1', passwordHash: 'secret' });
    const onError = vi.fn();
    const create = (checkResponses: boolean) =>
      createApp({ onError, checkResponses }).get('/users', { response }, list);

    expect((await create(true).request('/users')).status).toBe(500);
    expect(onError.mock.calls[0]?.[0].message).toContain('passwordHash: the schema does not');
    expect(await (await create(false).request('/users')).json()).toEqual({ id: '1' });
  });

  it('is created once', async () => {
    const exclude = vi.fn(() => false);
    const app = await appWith({ exclude });
    for (const path of ['/openapi.json', '/openapi.json', '/docs']) await app.request(path);

    expect(exclude).toHaveBeenCalledTimes(1);
  });

  it('has routes that are registered after the plugin', async () => {
    const app = createApp();
    const router = createRouter();
    await app.plugin(openapi({ info }));
    app.route('/late', router);
    router.get('/', () => 1);

    expect(await (await app.request('/openapi.json')).json()).toHaveProperty(['paths', '/late']);
  });

  it('is at the path of the option', async () => {
    const app = await appWith({ path: '/api/v1.json' });

    expect((await app.request('/api/v1.json')).status).toBe(200);
    expect((await app.request('/openapi.json')).status).toBe(404);
    expect(await (await app.request('/docs')).text()).toContain('"api/v1.json"');
  });

  it('is one of several, each with its own path', async () => {
    const app = await appWith();
    await app.plugin(
      openapi({ info, path: '/internal.json', docs: '/internal', exclude: ['/users'] }),
    );
    const pathsAt = async (path: string) => (await (await app.request(path)).json()) as object;

    expect(await pathsAt('/openapi.json')).toHaveProperty(['paths', '/users']);
    expect(await pathsAt('/internal.json')).toHaveProperty('paths', {});
  });

  it('is that of its application, for one plugin in two', async () => {
    const plugin = openapi({ info });
    const apps = [createApp().get('/a', () => 1), createApp().get('/b', () => 1)];
    for (const app of apps) await app.plugin(plugin);
    for (const app of apps) app.seal();

    expect(await (await apps[0]?.request('/openapi.json'))?.json()).toHaveProperty(['paths', '/a']);
  });
});

describe('the page', () => {
  it('loads everything from its own server, under a strict policy', async () => {
    const response = await (await appWith()).request('/docs');
    const html = await response.text();

    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<title>Users &amp; &lt;friends></title>');
    expect(html).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self' 'sha256-[^']+'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
  });

  it('may send requests to the servers and token URLs of the document', async () => {
    const app = await appWith({
      servers: [
        { url: '/v1' },
        { url: 'https://api.example.org/v1' },
        { url: 'https://api.example.org:8443/{tenant}', variables: { tenant: { default: 'a' } } },
        { url: 'https://{tenant}.example.org', variables: { tenant: { default: 'a' } } },
      ],
    });
    const flows = { password: { tokenUrl: 'https://login.example.org/token', scopes: {} } };
    const security = [{ name: 'oauth', scheme: { type: 'oauth2', flows } }] as const;
    app.get('/secret', { security }, () => 1);
    const policy = (await app.request('/docs')).headers.get('Content-Security-Policy');

    expect(policy).toContain(
      "connect-src 'self' https://api.example.org https://api.example.org:8443 https://login.example.org;",
    );
  });

  it('has files that browsers keep', async () => {
    const app = await appWith();
    const html = await (await app.request('/docs')).text();
    const files = [...html.matchAll(/(?:href|src)="(docs[^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(files).toEqual([
      expect.stringMatching(/^\/docs\/\d+\.\d+\.\d+\/swagger-ui\.css$/),
      expect.stringMatching(/^\/docs\/\d+\.\d+\.\d+\/swagger-ui-bundle\.js$/),
    ]);

    const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
    for (const [index, path] of files.entries()) {
      const response = await app.request(path);
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('Content-Type')).toBe(
        ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'][index],
      );
      const source = await readFile(join(folder, path.split('/').at(-1) ?? ''), 'utf8');
      expect((await response.text()) === source).toBe(true);
      const headers = { 'If-None-Match': response.headers.get('ETag') ?? '' };
      expect((await app.request(path, { headers })).status).toBe(304);
    }
  });

  it('has the page to which authorization servers redirect', async () => {
    const app = await appWith();

    expect(await (await app.request('/docs/oauth2-redirect.html')).text()).toContain(
      'src="oauth2-redirect.js"',
    );
    expect((await app.request('/docs/oauth2-redirect.js')).status).toBe(200);
  });

  it.each([
    ['/', 'openapi.json', ''],
    ['/reference', 'openapi.json', 'reference/'],
    ['/internal/docs', '../openapi.json', 'docs/'],
  ])('refers to its files relatively at %s', async (docs, url, base) => {
    const app = await appWith({ docs });
    const html = await (await app.request(docs)).text();

    expect(html).toContain(JSON.stringify(url));
    expect(html).toContain(`${JSON.stringify(`${base}oauth2-redirect.html`)}`);
    const [, file = ''] = /src="([^"]+)"/.exec(html) ?? [];
    const path = new URL(file, `http://localhost${docs}`).pathname;
    expect((await app.request(path)).status).toBe(200);
  });

  it('redirects from its path with a slash, which would break these references', async () => {
    const response = await (await appWith()).request('/docs/', { redirect: 'manual' });

    expect(response.status).toBe(308);
    expect(new URL(response.headers.get('Location') ?? '', 'http://localhost/docs/').pathname).toBe(
      '/docs',
    );
  });

  it('is behind middleware of its path before the plugin, with its files but without the document', async () => {
    const app = createApp({ onError: () => undefined }).use('/docs', () => {
      throw new UnauthorizedError('Sign in.');
    });
    await app.plugin(openapi({ info, docsInProduction: true }));
    const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json');

    for (const path of ['/docs', `/docs/${version}/swagger-ui.css`, '/docs/oauth2-redirect.html']) {
      expect((await app.request(path)).status).toBe(401);
    }
    expect((await app.request('/openapi.json')).status).toBe(200);
  });

  it.each<[string, Partial<OpenApiOptions>, string, number]>([
    ['in development', {}, 'development', 200],
    ['in production', {}, 'production', 404],
    ['in production with docsInProduction', { docsInProduction: true }, 'production', 200],
    ['in production with a path', { docs: '/docs' }, 'production', 404],
    ['without docs', { docs: false, docsInProduction: true }, 'development', 404],
  ])('%s has its status', async (_, options, environment, status) => {
    vi.stubEnv('NODE_ENV', environment);
    const app = await appWith(options);

    expect((await app.request('/docs')).status).toBe(status);
    expect((await app.request('/openapi.json')).status).toBe(200);
  });
});

it.each<[string, object, string]>([
  [
    'a path with parameters',
    { docs: '/:name' },
    "docs of openapi() must be a path without parameters, such as '/docs' or false: got '/:name'.",
  ],
  ['an unknown option', { doc: '/docs' }, "openapi() has no option 'doc'. Did you mean 'docs'?"],
])('openapi() refuses %s', (_, options, message) => {
  expect(() => openapi({ info, ...options })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message }),
  );
});

describe('printDocument()', () => {
  it('writes the document to standard output, and closes the application', async () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text, done?: unknown) => {
      written.push(String(text));
      if (typeof done === 'function') Reflect.apply(done, undefined, []);
      return true;
    });
    const app = await appWith();
    const close = vi.fn();
    await app.plugin({ name: 'database', install: () => undefined, close } satisfies Plugin);
    await printDocument(app);

    expect(written.join('')).toBe(`${JSON.stringify(createDocument(app, { info }), null, 2)}\n`);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('writes the document to a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-openapi-'));
    const app = await appWith();
    await printDocument(app, join(folder, 'api.json'));
    const text = await readFile(join(folder, 'api.json'), 'utf8');
    await rm(folder, { recursive: true });

    expect(text).toBe(`${JSON.stringify(createDocument(app, { info }), null, 2)}\n`);
  });

  it('closes an application that has no document', async () => {
    const app = createApp();
    const close = vi.fn();
    await app.plugin({ name: 'database', install: () => undefined, close });

    await expect(printDocument(app)).rejects.toMatchObject({
      code: 'NO_DOCUMENT',
      message:
        'The application has no OpenAPI document. Install openapi() with app.plugin() before it handles requests.',
    });
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('rejects with what is wrong, and warns that the application cannot be closed, either', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const close = () => Promise.reject(new Error('not connected'));
    const app = createApp().get('/', () => 1);
    await app.plugin({ name: 'database', install: () => undefined, close });
    await expect(printDocument(app)).rejects.toMatchObject({ code: 'NO_DOCUMENT' });
    expect(emitWarning).toHaveBeenCalledWith(
      expect.objectContaining({ errors: [expect.objectContaining({ cause: expect.anything() })] }),
    );
  });
});

describe('a document of an application with its own format of errors', () => {
  const format = () => ({ message: 'failed' });
  const warningsWith = async (app: Application, options: OpenApiOptions = { info }) => {
    await app.plugin(openapi(options));
    return warningsOf(app.get('/users', () => []));
  };

  it('causes a warning without the option errorSchema', async () => {
    const expected = [
      expect.stringMatching(
        /^The document 'Users & <friends>' describes errors as problems of RFC 9457, but the application has its own format of them\. Describe it with the option errorSchema, or pass the options of openapi\(\) to intended\(\) if they have the members of a problem\.\n {2}At: test\/plugin\.test\.ts:/,
      ),
    ];
    expect(await warningsWith(createApp({ format }))).toEqual(expected);
    expect(await warningsWith(createApp().use(errorHandler({ format })))).toEqual(expected);
    const members: ErrorFormatter = ({ status, detail }) => ({ status, message: detail });
    expect(await warningsWith(createApp({ format: members }))).toEqual(expected);
  });

  it.each<[string, () => Application, OpenApiOptions?]>([
    ['it has errorSchema', () => createApp({ format }), { info, errorSchema: {} }],
    ['it is intended', () => createApp({ format }), intended({ info })],
    [
      'it may pass on the problem',
      () => createApp({ format: (problem, error) => ({ ...problem, hint: String(error) }) }),
    ],
    [
      'it may pass on the rest of it',
      () => createApp({ format: ({ code, ...problem }) => ({ ...problem, error: code }) }),
    ],
    ['the format is for a prefix', () => createApp().use('/api', errorHandler({ format }))],
    ['there is none', () => createApp().use(errorHandler())],
  ])('causes none if %s', async (_, create, options) => {
    const warnings = await warningsWith(create(), options);
    expect(warnings.filter((one) => one.startsWith('The document'))).toEqual([]);
  });
});

it.each(['/openapi.json', '/docs', '/docs/oauth2-redirect.html'])(
  'a message about %s shows the call of openapi()',
  async (path) => {
    const app = createApp().get(path, () => 'mine');
    await app.plugin(openapi({ info }));
    expect(() => app.seal()).toThrow(
      /\n {2}At: test\/plugin\.test\.ts:\d+:\d+\n {2}At: test\/plugin\.test\.ts:/,
    );
  },
);
