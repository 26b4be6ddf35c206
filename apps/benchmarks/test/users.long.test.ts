import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compare, quantileOf } from '../src/comparison.js';
import { startServer } from '../src/http/loaded-server.js';
import { compareUsers } from '../src/users/command.js';
import { Databases, STORES, type StoreKind } from '../src/users/databases.js';
import { measureStore } from '../src/users/large.js';
import {
  AGAIN,
  BASELINE,
  NODE_FLAGS,
  onDatabase,
  SERVERS,
  type UsersServer,
} from '../src/users/servers.js';
import { createWorkloads } from '../src/users/workloads.js';

/** Few enough for a quick test, and so many that turns cannot make their number longer. */
const USERS = 100;

let databases: Databases;

beforeAll(async () => {
  databases = await Databases.open(STORES);
});

afterAll(async () => {
  await databases.close();
});

/** A request and the status of its response. `{id}` and `{etag}` are those of the first user. */
interface Step {
  readonly request: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

const step = (request: string, status: number, rest: Omit<Step, 'request' | 'status'> = {}) => ({
  ...{ request, status, ...rest },
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ADA = { name: 'Ada', email: 'ada@example.org' };
const STEPS: readonly Step[] = [
  step('GET /users', 200),
  step('POST /users', 201, { body: ADA }),
  step('POST /users', 201, { body: { ...ADA, id: 'mine', createdAt: 'then', role: 'admin' } }),
  step('POST /users', 201, { body: { name: '😀'.repeat(128), email: 'e'.repeat(320) } }),
  step('POST /users', 201, { body: { name: 'a\0b', email: '\ud800<&>"é' } }),
  step('POST /users', 400, { body: { name: 'Ada' } }),
  step('POST /users', 400, { body: { name: '', email: 'e' } }),
  step('POST /users', 400, { body: { name: 7, email: 'e' } }),
  step('POST /users', 400, { body: { name: null, email: 'e' } }),
  step('POST /users', 400, { body: { name: 'a'.repeat(257), email: 'e' } }),
  step('POST /users', 400, { body: { name: 'a', email: 'e'.repeat(321) } }),
  step('POST /users', 400, { body: [] }),
  step('POST /users', 400, { body: '{"name":', type: 'application/json' }),
  step('POST /users', 400, { body: '{"__proto__":{}}', type: 'application/json' }),
  step('POST /users', 400, { body: '', type: 'application/json' }),
  step('POST /users', 400),
  step('POST /users', 415, { body: 'name=Ada', type: 'text/plain' }),
  step('POST /users', 413, { body: { ...ADA, note: 'n'.repeat(1_048_576) } }),
  step('GET /users', 200),
  step('GET /users?sort=name', 200),
  ...['page=1', 'limit=3', 'page=2&limit=2', 'page=9', 'page=0&limit=-1', 'page=x', 'limit=2.9']
    .concat(['limit=1e3', 'page=Infinity', 'page=2&page=1&limit=2', 'page=1e300&limit=1e300'])
    .map((query) => step(`GET /users?${query}`, 200)),
  step('GET /users/{id}', 200),
  step('GET /users/{id}', 200, { headers: { Accept: 'text/html,*/*' } }),
  step('GET /users/{id}', 304, { headers: { 'If-None-Match': '"x", W/{etag}' } }),
  step('GET /users/{id}', 304, { headers: { 'If-None-Match': '*' } }),
  step('GET /users/{id}', 200, { headers: { 'If-None-Match': '"x"' } }),
  step('GET /users/nobody', 404),
  step(`GET /users/${UNKNOWN}`, 404),
  step('PUT /users/{id}', 200, { body: { name: 'Ada L.' } }),
  step('PUT /users/{id}', 200, { body: { email: '' } }),
  step('PUT /users/{id}', 200, { body: { id: 'mine', name: 'Lovelace', email: 'l' } }),
  step('PUT /users/{id}', 200, { body: {} }),
  step('PUT /users/{id}', 400, { body: { name: 7 } }),
  step('PUT /users/{id}', 400, { body: { name: 'a'.repeat(257) } }),
  step('PUT /users/{id}', 400, { body: [] }),
  step('PUT /users/{id}', 400),
  step('PUT /users/{id}', 415, { body: 'name=Ada', type: 'text/plain' }),
  step('PUT /users/nobody', 404, { body: {} }),
  step(`PUT /users/${UNKNOWN}`, 404, { body: {} }),
  step('PUT /users/{id}', 200, { body: { name: 'A' }, headers: { 'If-Match': '"x", {etag}' } }),
  step('PUT /users/{id}', 412, { body: { name: 'B' }, headers: { 'If-Match': '{etag-before}' } }),
  step('PUT /users/{id}', 412, { body: { name: 'B' }, headers: { 'If-Match': 'W/{etag}' } }),
  step('PUT /users/{id}', 200, { body: { name: 'C' }, headers: { 'If-Match': '*' } }),
  step('DELETE /users/{id}', 412, { headers: { 'If-Match': '"x"' } }),
  step('GET /users/{id}', 200),
  step('DELETE /users/{id}', 204, { headers: { 'If-Match': '{etag}' } }),
  step('DELETE /users/{id}', 404),
  step('DELETE /users/nobody', 404),
  step('GET /users?page=1&limit=2', 200),
  step('GET /users/{id}/more', 404),
];

/** A response without ids and times. Of a rejected request, without texts. */
interface Answer {
  readonly request: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly location: string | null;
  readonly hasEtag: boolean;
  readonly body: unknown;
}

/** Sends all steps to a new service and returns the answers. */
async function play(server: UsersServer, store: StoreKind): Promise<Answer[]> {
  const url = await databases.create(store);
  const program = onDatabase(server, url).program('');
  const { port, stop } = await startServer(program, process.execPath, NODE_FLAGS);
  const base = `http://127.0.0.1:${port}`;
  const values = { id: '', etag: '', 'etag-before': '' };
  const fill = (text: string) =>
    text.replaceAll(/\{([\w-]+)\}/g, (_, name) => values[name as keyof typeof values]);
  const answers: Answer[] = [];
  try {
    for (const { request, body, type, headers = {} } of STEPS) {
      const [method = '', path = ''] = fill(request).split(' ');
      const isText = typeof body === 'string';
      const response = await fetch(base + server.mount + path, {
        method,
        headers: {
          ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }),
          ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(text)])),
        },
        body: body === undefined || isText ? (body ?? null) : JSON.stringify(body),
      });
      const text = await response.text();
      const etag = response.headers.get('etag');
      const location = response.headers.get('location');
      if (values.id === '' && location !== null) values.id = location.split('/').at(-1) ?? '';
      const isTag = path.endsWith(values.id) && text.startsWith('{') && etag !== null;
      if (isTag && etag !== values.etag) {
        values['etag-before'] = values.etag;
        values.etag = etag;
      }
      answers.push({
        request: `${request} ${JSON.stringify(body)?.slice(0, 40) ?? ''}`,
        status: response.status,
        type: response.headers.get('content-type')?.split(';')[0],
        location: location && withoutValues(location.replace(server.mount, '/api')),
        hasEtag: etag !== null,
        body: describeBody(withoutValues(text.replaceAll(server.mount, '/api'))),
      });
    }
    await checkOperation(base);
    return answers;
  } finally {
    await stop();
  }
}

/** Checks the routes for operators. */
async function checkOperation(base: string): Promise<void> {
  for (const [path, text] of [
    ['/health/live', '{"status":"live"}'],
    ['/health/ready', '{"status":"ready"}'],
    ['/metrics', 'http_request_duration_seconds_count{method="POST",route="'],
    ['/metrics', 'http_requests_in_flight 1'],
    ['/metrics', 'process_resident_memory_bytes'],
  ] as const) {
    const response = await fetch(base + path);
    expect(await response.text()).toContain(text);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  }
}

function withoutValues(text: string): string {
  return text
    .replaceAll(UNKNOWN, '<unknown>')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>');
}

/** Parses a body. Each service words its own errors, except that of an unknown user. */
function describeBody(text: string): unknown {
  if (!text.startsWith('{')) return text;
  const value = JSON.parse(text);
  if (!('instance' in value) || value.detail.startsWith('User ')) return value;
  const { issues, detail, error, code, ...rest } = value;
  return { ...rest, ...{ detail: typeof detail, error: typeof error, code: typeof code } };
}

/** The only answer in which the two APIs of users-api differ. */
const toFunctional = (answer: Answer): Answer =>
  answer.request.startsWith('DELETE') && answer.status === 200
    ? { ...answer, status: 204, type: undefined, body: '' }
    : answer;

/** Returns the services that differ on a store. NestJS has the stores of the Fastify service. */
function serversFor(store: StoreKind): readonly UsersServer[] {
  return SERVERS.filter(({ name, stores }) => {
    if (name === AGAIN.name || (name === 'nest' && store !== STORES[0])) return false;
    return stores.includes(store.name);
  });
}

describe('the same requests', () => {
  let expected: readonly Answer[];

  beforeAll(async () => {
    const [memory = expect.unreachable()] = STORES;
    expected = await play(BASELINE, memory);
  });

  it('get the documented statuses', () => {
    const statuses = expected.map(({ request, status }) => `${status} ${request}`);
    expect(statuses).toEqual(
      STEPS.map(({ status }, index) => `${status} ${expected[index]?.request}`),
    );
  });

  it.each(
    STORES.flatMap((store) =>
      serversFor(store).map((server) => ({
        ...{ server, store, title: `${server.title} on ${store.title}` },
      })),
    ),
  )('get the same answers from $title', async ({ server, store }) => {
    expect((await play(server, store)).map(toFunctional)).toEqual(expected);
  });
});

/** Returns all workloads for the first store, and the one of all kinds of requests for the others. */
function workloadsOf(store: StoreKind) {
  const workloads = createWorkloads(USERS);
  return store === STORES[0] ? workloads : workloads.filter(({ name }) => name === 'mix');
}

/** Every service answers the same requests above. Two show that they can be measured. */
const MEASURED = [BASELINE.name, 'users-api-class'];

describe.each(STORES)('$title', (store) => {
  it.each(workloadsOf(store))('measures $name on several services', async (workload) => {
    const servers = SERVERS.filter(({ name }) => MEASURED.includes(name));
    const turns = { slice: 5, warmUp: 5, connections: 2 };
    const options = { node: process.execPath, users: USERS, ...turns };
    const comparison = compareUsers(workload, store, servers, databases, options);
    const { rows } = await compare(comparison, 2);
    expect(rows).toHaveLength(MEASURED.length);
    for (const row of rows) {
      expect(quantileOf(row, 'throughput', 0.5)).toBeGreaterThan(0);
      expect(quantileOf(row, 'cpu', 0.5)).toBeGreaterThan(0);
      expect(quantileOf(row, 'users', 0)).toBeGreaterThanOrEqual(USERS);
    }
  });

  it('measures delays and memory with many users', async () => {
    const options = { node: process.execPath, users: 300, seconds: 0.1 };
    const rows = await measureStore(store, databases, options);
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(quantileOf(row, 'live', 0)).toBeGreaterThan(0);
      expect(quantileOf(row, 'one', 0)).toBeGreaterThan(0);
      expect(quantileOf(row, 'idle', 0)).toBeGreaterThan(0);
    }
    const requests = rows.map((row) => quantileOf(row, 'requests', 0) > 0);
    expect(requests).toEqual([false, true, true, true]);
  });
});
