import type { Application } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import type { UserStore } from '../src/users/store/user-store.js';
import type { User } from '../src/users/user.js';
import { createApps } from './support/api.js';

const ADA: User = Object.freeze({
  id: '0b0f2a4e-6f5a-4a57-9d3c-1f0e8a6b7c1d',
  name: 'Ada "the first" <b>\u2028',
  email: 'ada@example.com',
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-02T03:04:05.678Z',
});

/** A store that always holds the same user. Its writes change nothing. */
const ONE_USER: UserStore = {
  list: async function* () {
    yield [ADA];
  },
  page: ({ offset }) => ({ users: offset === 0 ? [ADA] : [], total: 1 }),
  find: (id) => (id === ADA.id ? ADA : undefined),
  create: (input) => ({ ...ADA, ...input }),
  update: (id, changes) => (id === ADA.id ? { ...ADA, ...changes } : undefined),
  delete: (id) => id === ADA.id,
  metrics: [],
  check: () => undefined,
  close: () => undefined,
};

const PATHS = ['', '/', `/${ADA.id}`, '/nobody', '/%c3%28', '/a/b'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const QUERIES = [
  'page=1',
  'limit=5',
  'page=2&limit=3',
  'page=&limit=',
  'page=abc&limit=0',
  'page=-1&limit=0.9',
  'page=1.9&limit=2.9',
  'page=0x1&limit=1e1',
  'page=%201%20&limit=%2B7',
  'page=1&page=2&limit=4&limit=5',
  'page=Infinity&limit=1e999',
  'page=1e300&limit=1e300',
  'page[]=2&Limit=3&sort=name',
];

/** Bodies as JSON texts, so that the transcript shows what was sent. */
const BODIES = [
  '',
  ' ',
  '{"name":',
  'null',
  '7',
  'true',
  '"text"',
  '[]',
  '[{"name":"Ada","email":"a@b"}]',
  '{}',
  '{"name":"Ada"}',
  '{"email":"a@b"}',
  '{"name":"","email":""}',
  '{"name":"","email":"a@b"}',
  '{"name":null,"email":null}',
  '{"name":7,"email":["a@b"]}',
  '{"name":{},"email":"a@b"}',
  '{"name":"Ada","email":"not an address"}',
  '{"email":"b@c","name":"Ada","id":"mine","createdAt":"then","updatedAt":"then","role":"admin"}',
  '{"name":"a","name":"b","email":"a@b"}',
  '{"name":"😀","email":"É@b"}',
  '{"name":"\\ud800a\\udc00","email":"\\u0000@b"}',
  '{"name":"\\u2028 \\" \\\\ <","email":"\\u007f\\b@b"}',
  '{"__proto__":{"name":"Ada"},"email":"a@b"}',
  '{"constructor":{"prototype":{}},"name":"Ada","email":"a@b"}',
  '{"toString":1,"name":"Ada","email":"a@b"}',
];

/** Bodies at and over the limits of 256 and 320 UTF-16 code units, by what they hold. */
const LONG_BODIES = [
  ['the longest name and email', { name: 'n'.repeat(256), email: 'e'.repeat(320) }],
  ['the longest name in emojis', { name: '😀'.repeat(128), email: 'a@b' }],
  ['a long name', { name: 'n'.repeat(257), email: 'a@b' }],
  ['a long name in emojis', { name: '😀'.repeat(129), email: 'a@b' }],
  ['a long email', { name: 'Ada', email: 'e'.repeat(321) }],
  ['a long name and email', { name: 'n'.repeat(300), email: 'e'.repeat(400) }],
  ['a long name of surrogates', { name: '\ud800'.repeat(257), email: 'a@b' }],
  ['a long name without an email', { name: 'n'.repeat(257) }],
  ['a long name and a wrong email', { name: 'n'.repeat(257), email: 7 }],
  ['a wrong name and a long email', { name: null, email: 'e'.repeat(321) }],
  ['an empty name and a long email', { name: '', email: 'e'.repeat(321) }],
  ['2 MiB', { name: 'n'.repeat(2 * 1024 ** 2), email: 'a@b' }],
] as const;

const TYPES = [
  'application/json; charset=UTF-8',
  'application/vnd.user+json',
  'application/json; charset=latin1',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'image/svg+xml',
];

const ACCEPTS = ['text/html', 'application/xhtml+xml, TEXT/HTML;q=0.5', '*/*', 'image/png'];

/** The entity tag of the user in JSON. */
const TAG = '"2026-01-02T03:04:05.678Z-vv1ami"';

/** Conditions, which match the user in JSON, as HTML, or not at all. */
const CONDITIONS = [
  TAG,
  `W/${TAG}`,
  `"a", "b" , ${TAG}`,
  TAG.replace(/"$/, '-html"'),
  '"a"',
  '*',
  '',
];

/** A request. Its body may be a stream, so each call creates a new one. */
interface Exchange {
  /** What the method and the path do not tell. */
  readonly what?: string;
  /** Path below the mount. */
  readonly path: string;
  readonly init: () => RequestInit;
}

const WRITES = [
  ['POST', ''],
  ['PUT', `/${ADA.id}`],
  ['PUT', '/nobody'],
] as const;

/** A body without a `Content-Length`. */
function chunked(chunks: readonly string[]): RequestInit {
  return { body: ReadableStream.from(chunks.map((text) => Buffer.from(text))), duplex: 'half' };
}

const EXCHANGES: readonly Exchange[] = [
  ...METHODS.flatMap((method) => PATHS.map((path) => ({ path, init: () => ({ method }) }))),
  ...QUERIES.map((query) => ({ path: `?${query}`, init: () => ({}) })),
  ...ACCEPTS.map((accept) => ({
    what: `Accept: ${accept}`,
    path: `/${ADA.id}`,
    init: () => ({ headers: { accept } }),
  })),
  ...CONDITIONS.flatMap((tags) => {
    const json = { 'content-type': 'application/json' };
    const when = (name: string, path: string, init: RequestInit = {}, headers = {}): Exchange => ({
      what: `${name}: ${tags}`,
      path,
      init: () => ({ ...init, headers: { ...headers, [name]: tags } }),
    });
    return [
      when('If-None-Match', `/${ADA.id}`),
      when('If-None-Match', `/${ADA.id}`, { method: 'HEAD' }),
      when('If-None-Match', `/${ADA.id}`, {}, { accept: 'text/html' }),
      when('If-None-Match', '/nobody'),
      when('If-None-Match', ''),
      when('If-Match', `/${ADA.id}`, { method: 'PUT', body: '{"name":"Ada"}' }, json),
      when('If-Match', `/${ADA.id}`, { method: 'PUT', body: '{"name":7}' }, json),
      when('If-Match', '/nobody', { method: 'PUT', body: '{}' }, json),
      when('If-Match', `/${ADA.id}`, { method: 'DELETE' }),
      when('If-Match', '/nobody', { method: 'DELETE' }),
    ];
  }),
  ...WRITES.flatMap(([method, path]) => {
    const write = (what: string, type: string, init: () => RequestInit): Exchange => ({
      what,
      path,
      init: () => ({ ...init(), method, headers: { 'content-type': type } }),
    });
    return [
      ...BODIES.map((body) => write(body, 'application/json', () => ({ body }))),
      ...LONG_BODIES.map(([what, value]) =>
        write(what, 'application/json', () => ({ body: JSON.stringify(value) })),
      ),
      ...TYPES.flatMap((type) => [
        write(`{} as ${type}`, type, () => ({ body: '{}' })),
        write(`chunks of ${type}`, type, () => chunked(['{"name":', '"Ada"}'])),
        write(`no chunks of ${type}`, type, () => chunked([])),
      ]),
    ];
  }),
];

/** Headers that vary, or that are the same in every response. */
const LEFT_OUT: readonly string[] = ['date', 'x-request-id', 'connection', 'keep-alive'];

/** Sends a request and describes the response. */
async function describeExchange(
  app: Application,
  mount: string,
  { what = '', path, init: create }: Exchange,
): Promise<string> {
  const init = create();
  const response = await app.request(`${mount}${path}`, init);
  const headers = [...response.headers]
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, value]) => `${name}: ${value}`);
  return [
    `--- ${init.method ?? 'GET'} ${mount}${path} ${what}`.trimEnd(),
    String(response.status),
    ...headers,
    Buffer.from(await response.arrayBuffer()).toString('latin1'),
    '',
  ]
    .map(escapeText)
    .join('\n');
}

/** Writes bytes that are not ASCII as `<e2>`, and shortens runs of the same one or four characters. */
function escapeText(text: string): string {
  return text
    .replace(
      /(.{4}|.)\1{30,}/gs,
      (run, part: string) => `${part}<${run.length / part.length} times>`,
    )
    .replace(/[^\n -~]/g, (character) => `<${character.codePointAt(0)?.toString(16)}>`);
}

async function transcribe(mount: string): Promise<string> {
  const { app } = await createApps({ store: ONE_USER });
  const lines: string[] = [];
  for (const exchange of EXCHANGES) lines.push(await describeExchange(app, mount, exchange));
  return lines.join('\n');
}

describe.each([
  ['functional', '/api/users'],
  ['class', '/api/v1/users'],
])('the %s API', (variant, mount) => {
  it('responds as in its transcript', async () => {
    await expect(await transcribe(mount)).toMatchFileSnapshot(`transcripts/${variant}.txt`);
  });
});

describe('the value API', () => {
  it('responds like the class API', async () => {
    const transcript = (await transcribe('/api/v2/users')).replaceAll('/api/v2', '/api/v1');
    await expect(transcript).toMatchFileSnapshot('transcripts/class.txt');
  });
});
