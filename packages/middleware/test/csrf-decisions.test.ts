import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, errorHandler, listen } from '@fairlead/core';
import { exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CsrfOptions, csrf, csrfGuard, csrfTokens, readCookies } from '../src/index.js';

const KEY = 'a key of at least thirty-two bytes ok';
const TRUSTED = 'https://admin.example.com';
const tokens = csrfTokens({
  keys: [KEY],
  secure: false,
  session: (ctx) => readCookies(ctx).session,
});

/** Returns the port of an application that checks requests with a middleware or in a route. */
async function serve(options: CsrfOptions): Promise<number> {
  const check = csrf({ origins: [TRUSTED], ...options });
  const guard = csrfGuard({ origins: [TRUSTED], ...options });
  const app = createApp()
    .use(errorHandler({ onError: () => undefined }))
    .get('/token', (ctx) => tokens.issue(ctx))
    .all('/middleware', check, () => 'passed')
    .all('/guard', (ctx) => (guard(ctx) ? 'passed' : 'denied'));
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server.port;
}

/** Sends a request by hand, because fetch() adds and forbids some of these headers. */
async function send(port: number, method: string, path: string, headers: readonly string[]) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: app.example.com', 'Connection: close'];
  const response = await exchange(port, `${[...lines, ...headers].join('\r\n')}\r\n\r\n`);
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(response) ?? [];
  const [, code] = /"code":"(\w+)"/.exec(response) ?? [];
  return code === undefined ? Number(status) : `${status} ${code}`;
}

/** Returns the headers of a client with a token for a session. */
async function withToken(port: number, session: string): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/token`, {
    headers: { Cookie: `session=${session}` },
  });
  const token = await response.json();
  const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return [`X-CSRF-Token: ${token}`, `Cookie: session=${session}; ${cookie}`];
}

const OWN = 'Origin: http://app.example.com';
const OTHER = 'Origin: https://evil.example';
const LISTED = `Origin: ${TRUSTED}`;
const COOKIE = 'Cookie: session=1';
const CROSS = '403 CROSS_ORIGIN_REQUEST';
const TOKEN = '403 INVALID_CSRF_TOKEN';

/** The number of the row in docs/contributing/csrf.md, the request, and the response. */
type Row = [row: number, method: string, headers: readonly string[], result: number | string];

const rows: readonly Row[] = [
  ...['GET', 'OPTIONS', 'TRACE', 'QUERY'].map(
    (method): Row => [1, method, ['Sec-Fetch-Site: cross-site', OTHER, COOKIE], 200],
  ),
  [1, 'GET', ['Sec-Fetch-Site: none', COOKIE], 200],
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].map(
    (method): Row => [2, method, ['Sec-Fetch-Site: same-origin', OWN, COOKIE], 200],
  ),
  [2, 'POST', ['Sec-Fetch-Site: same-origin'], 200],
  // A proxy has changed the protocol.
  [2, 'POST', ['Sec-Fetch-Site: same-origin', 'Origin: https://app.example.com', COOKIE], 200],
  [3, 'POST', ['Sec-Fetch-Site: cross-site', LISTED, COOKIE], 200],
  [3, 'POST', ['Sec-Fetch-Site: same-site', LISTED, COOKIE], 200],
  [3, 'POST', ['Sec-Fetch-Site: none', LISTED], 200],
  [3, 'POST', [LISTED, COOKIE], 200],
  [4, 'POST', ['Sec-Fetch-Site: none', OWN, COOKIE], 200],
  [5, 'POST', ['Sec-Fetch-Site: none', COOKIE], CROSS],
  [5, 'POST', ['Sec-Fetch-Site: none', OTHER, COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: cross-site', OTHER, COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: cross-site', OTHER], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: cross-site', 'Origin: null', COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: cross-site', OWN, COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: same-site', 'Origin: http://evil.app.example.com'], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: same-site', COOKIE], CROSS],
  [6, 'DELETE', ['Sec-Fetch-Site: cross-site', COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: Same-Origin', COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: ', COOKIE], CROSS],
  [6, 'POST', ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site', COOKIE], CROSS],
  [7, 'POST', [OWN, COOKIE], 200],
  [7, 'POST', [OWN], 200],
  [8, 'POST', [OTHER, COOKIE], CROSS],
  [8, 'POST', [OTHER], CROSS],
  [8, 'POST', ['Origin: null', COOKIE], CROSS],
  [8, 'POST', ['Origin: https://app.example.com', COOKIE], CROSS],
  [8, 'POST', ['Origin: http://app.example.com:8080', COOKIE], CROSS],
  [8, 'POST', ['Origin: http://app.example.com.evil.example', COOKIE], CROSS],
  [8, 'POST', ['Origin: https://admin.example.com.evil.example', COOKIE], CROSS],
  [8, 'POST', [`${LISTED}, https://evil.example`, COOKIE], CROSS],
  [9, 'POST', [], 200],
  [9, 'POST', ['Authorization: Bearer abc'], 200],
  [9, 'POST', ['X-Api-Key: abc'], 200],
];

describe.each(['/middleware', '/guard'])('%s', (path) => {
  it.each(rows)('row %i: %s with %j results in %s', async (_, method, headers, result) => {
    expect(await send(await serve({ tokens }), method, path, headers)).toBe(result);
  });

  it('row 9: a request without credentials is rejected if they are required', async () => {
    const port = await serve({ withoutCredentials: 'deny' });
    expect(await send(port, 'POST', path, [])).toBe(CROSS);
  });

  it('row 11: a request without credentials needs a token if they are required', async () => {
    const port = await serve({ withoutCredentials: 'deny', tokens });
    expect(await send(port, 'POST', path, [])).toBe(TOKEN);
    expect(await send(port, 'POST', path, await withToken(port, '1'))).toBe(200);
  });

  it('row 10: a token that was issued for the session passes', async () => {
    const port = await serve({ tokens });
    expect(await send(port, 'POST', path, await withToken(port, '1'))).toBe(200);
  });

  it.each<[string, (own: string[], other: string[]) => readonly string[]]>([
    ['no token', ([, cookie = '']) => [cookie]],
    ['no cookie of the token', ([token = '']) => [token, COOKIE]],
    [
      'the token of another session',
      (_, [token = '', cookie = '']) => [token, cookie.replace('session=2', 'session=1')],
    ],
    ["the cookie of another client's token", ([token = ''], [, cookie = '']) => [token, cookie]],
    ['a changed token', ([token = '', cookie = '']) => [`${token}x`, cookie]],
    ['an unsigned token', () => ['X-CSRF-Token: a', 'Cookie: session=1; csrf=a']],
    ['empty tokens', () => ['X-CSRF-Token: ', 'Cookie: session=1; csrf=']],
    ['Basic credentials', () => ['Authorization: Basic YTpi']],
  ])('row 11: a request with %s is rejected', async (_, headersOf) => {
    const port = await serve({ tokens });
    const headers = headersOf(await withToken(port, '1'), await withToken(port, '2'));
    expect(await send(port, 'POST', path, headers)).toBe(TOKEN);
  });

  it('row 12: credentials without tokens are rejected', async () => {
    const port = await serve({});
    expect(await send(port, 'POST', path, [COOKIE])).toBe(CROSS);
    expect(await send(port, 'POST', path, ['Authorization: Basic YTpi'])).toBe(CROSS);
  });

  it('a token does not make up for another origin', async () => {
    const port = await serve({ tokens });
    const headers = [...(await withToken(port, '1')), OTHER];
    expect(await send(port, 'POST', path, headers)).toBe(CROSS);
  });

  it('skips the requests that an option selects', async () => {
    const port = await serve({ skip: (ctx) => ctx.get('X-Webhook') === 'signed' });
    expect(await send(port, 'POST', path, ['X-Webhook: signed', OTHER])).toBe(200);
    expect(await send(port, 'POST', path, [OTHER])).toBe(CROSS);
  });
});

it('the table in docs/contributing/csrf.md has these rows', async () => {
  const file = join(import.meta.dirname, '../../../docs/contributing/csrf.md');
  const page = await readFile(file, 'utf8');
  const listed = [...page.matchAll(/^\| (\d+) /gm)].map(([, row]) => Number(row));
  const tested = new Set([...rows.map(([row]) => row), 10, 11, 12]);
  expect(listed).toEqual([...tested]);
});

it('HEAD passes', async () => {
  const port = await serve({});
  const head = await send(port, 'HEAD', '/middleware', ['Sec-Fetch-Site: cross-site', COOKIE]);
  expect(head).toBe(200);
});
