import { type IncomingHttpHeaders, request } from 'node:http';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  ForbiddenError,
  listen,
  type Middleware,
  notFoundHandler,
  type Server,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Controller, Ctx, controllersPlugin, Get, UseGuard } from '../src/index.js';

/** Number of spellings to try for each path. */
const CASES = cases(15);
const TIMEOUT = 30_000 + 20 * CASES;

const KEY = { 'X-Key': 'secret' };

function hasKey(ctx: Context): boolean {
  return ctx.get('X-Key') === 'secret';
}

const requireKey: Middleware = (ctx, next) => {
  if (!hasKey(ctx)) throw new ForbiddenError('Send the key.');
  return next();
};

/** Reports the matched route in a header, because HEAD has no body. */
function reveal(ctx: Context): void {
  ctx.set('X-Revealed', String(ctx.pattern));
  ctx.send('');
}

const privateFiles = new Set(['Private/x']);

/** Serves a file by the value of the wildcard. */
const readBelow =
  (directory: string): Middleware =>
  (ctx) =>
    privateFiles.has(`${directory}${ctx.params.path}`) ? reveal(ctx) : ctx.send('public');

@Controller()
@UseGuard(hasKey)
class SecretController {
  @Get('/Secret')
  secret(@Ctx() ctx: Context) {
    reveal(ctx);
  }

  @Get('/Files/*path')
  files(@Ctx() ctx: Context) {
    reveal(ctx);
  }

  @Get('/Nested/Deep/:id')
  nested(@Ctx() ctx: Context) {
    reveal(ctx);
  }
}

const routers = [
  ['exact', { caseSensitive: true, strict: true }],
  ['slash', { caseSensitive: true, strict: false }],
  ['case', { caseSensitive: false, strict: true }],
  ['loose', { caseSensitive: false, strict: false }],
] as const;

/** Router middleware, guards, and a guarded route before an open wildcard, with every router option. */
async function createTarget() {
  const app = createApp().use(errorHandler());
  for (const [name, rules] of routers) {
    const nested = createRouter(rules).get('/Deep/:id', reveal);
    const withMiddleware = createRouter(rules)
      .use(requireKey)
      .get('/Secret', reveal)
      .get('/Files/*path', reveal)
      .route('/Nested', nested);
    const withGuards = createRouter(rules);
    const options = { router: withGuards, container: createContainer() };
    await app.plugin(controllersPlugin({ ...options, controllers: [SecretController] }));
    const closed = createRouter(rules).use(requireKey).get('/*path', readBelow('Private/'));
    const beside = createRouter(rules)
      .get('/Files/*path', readBelow(''))
      .route('/Files/Private', closed);
    app.route(`/middleware/${name}`, withMiddleware);
    app.route(`/guards/${name}`, withGuards);
    app.route(`/beside/${name}`, beside);
  }
  const checked = createRouter().get('/*path', readBelow(''));
  return app
    .use((ctx, next) => (ctx.path.startsWith('/checked/Private/') ? requireKey(ctx, next) : next()))
    .route('/checked', checked)
    .use(notFoundHandler());
}

let server: Server;
beforeAll(async () => {
  server = await listen(await createTarget(), 0, { host: '127.0.0.1' });
});
afterAll(() => server.close({ timeout: 0 }));

/** Sends a target unchanged, and returns the matched route. */
function revealedBy(
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = server;
    request({ host: '127.0.0.1', port, path: target, method, headers, agent: false })
      .once('error', reject)
      .once('response', (response: { headers: IncomingHttpHeaders; resume(): void }) => {
        response.resume();
        resolve(response.headers['x-revealed']?.toString());
      })
      .end();
  });
}

/** Texts that may be equivalent to a character, or mistaken for it. */
function spellingsOf(character: string): string[] {
  const code = character.charCodeAt(0).toString(16);
  const escapes = [`%${code}`, `%${code.toUpperCase()}`, `%25${code}`, `%u00${code}`];
  const slashes = ['//', '/./', '/../', '/x/../', '/%2e/', '/%2E%2e/', '\\', '%5c', '/;a/', ';/'];
  const letters = [character.toUpperCase(), character.toLowerCase(), `${character}%00`, ''];
  return [...escapes, ...(character === '/' ? slashes : letters)];
}

/** Targets that resemble a path. At most three characters differ, so many targets match a route. */
function spelled(path: string): fc.Arbitrary<string> {
  const characters = Array.from(path);
  const slashes = characters.flatMap((character, index) => (character === '/' ? index : []));
  const changes = fc
    .oneof(fc.constantFrom(...slashes), fc.nat({ max: characters.length - 1 }))
    .chain((index) =>
      fc.constantFrom(...spellingsOf(characters[index] ?? '')).map((text) => ({ index, text })),
    );
  const starts = ['', '', '', '/', '/.', '/x/..', 'http://a', 'HTTP://A:80', 'https://u:p@a', 'a:'];
  const ends = ['', '', '', '/', '//', '/.', '/..', '%2F', '%20', '.', ';', '?', '?a=/', '#', '/x'];
  return fc
    .tuple(
      fc.constantFrom(...starts),
      fc.array(changes, { maxLength: 3 }),
      fc.constantFrom(...ends),
    )
    .map(([start, changes, end]) => {
      const spelling = [...characters];
      for (const { index, text } of changes) spelling[index] = text;
      return `${start}${spelling.join('')}${end}`;
    });
}

const paths = routers.flatMap(([name]) => [
  ...['middleware', 'guards'].flatMap((kind) => [
    [`/${kind}/${name}/Secret`, `/${kind}/${name}/Secret`],
    [`/${kind}/${name}/Files/a/b`, `/${kind}/${name}/Files/*path`],
    [`/${kind}/${name}/Nested/Deep/7`, `/${kind}/${name}/Nested/Deep/:id`],
  ]),
  [`/beside/${name}/Files/Private/x`, `/beside/${name}/Files/Private/*path`],
]);
const method = fc.constantFrom('GET', 'GET', 'HEAD');

describe.each([...paths, ['/checked/Private/x', '/checked/*path']])('%s', (path, pattern) => {
  const escaped = path?.replace(/[a-z]/gi, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

  it.each([path, escaped, `http://a${path}`, `${path}?a=/`])(
    'is accessible with the key as %s',
    async (target = '') => {
      expect(await revealedBy(target, KEY)).toBe(pattern);
    },
  );

  it('is not accessible in any spelling without the key', { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(spelled(String(path)), method, async (target, method) => {
        expect(await revealedBy(target, {}, method)).toBeUndefined();
      }),
      { numRuns: CASES },
    );
  });
});

describe.each(['middleware', 'guards'])('a route under %s', (kind) => {
  it.each([
    `/${kind}/slash/Secret/`,
    `/${kind}/case/SECRET`,
    `/${kind}/loose/sEcReT/`,
    `/${kind}/exact/Files/a%2Fb`,
    `/${kind}/case/FILES/../Files//`,
  ])('is only accessible with the key: %s', async (target) => {
    expect(await revealedBy(target)).toBeUndefined();
    expect(await revealedBy(target, KEY)).toMatch(`/${kind}/`);
  });
});

it.each(['/beside/slash/Files/Private', '/beside/loose/files/Private', '/checked/Private'])(
  'an escaped slash does not give access to files below %s',
  async (path) => {
    expect(await revealedBy(`${path}%2Fx`, KEY)).toBeUndefined();
    expect(await revealedBy(`${path}%2fx`, KEY)).toBeUndefined();
    expect(await revealedBy(`${path}/x`, KEY)).toMatch(/^\/(beside|checked)\//);
  },
);
