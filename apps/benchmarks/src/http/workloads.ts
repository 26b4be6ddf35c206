import { AUTHORIZATION, HELLO, Items, ORDER, pageOfUsers, RESOURCES, search } from './fixtures.js';

/** A request of a workload and the response that every server must send. */
export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** The media type of the response, without parameters. */
  readonly type: string;
  /** The body of the response. */
  readonly response: string;
  /** Whether responses differ in ids, times and totals. Their length is always the same. */
  readonly volatile?: boolean;
}

/** A task that servers are compared on. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  /**
   * Prepares a newly started server for the measurement.
   *
   * @param base - The URL that the paths are relative to.
   * @returns The requests, which are sent in turn.
   */
  prepare(base: string): Promise<readonly Exchange[]>;
}

/** Creates a workload that needs no preparation. */
const fixed = (name: string, title: string, ...exchanges: readonly Exchange[]): Workload => ({
  ...{ name, title },
  prepare: async () => exchanges,
});

const JSON_TYPE = 'application/json';

function get(path: string, value: unknown, headers: Record<string, string> = {}): Exchange {
  const response = JSON.stringify(value);
  return { method: 'GET', path, headers, status: 200, type: JSON_TYPE, response };
}

function post(
  path: string,
  body: unknown,
  value: unknown,
  headers: Record<string, string> = {},
): Exchange {
  return {
    ...get(path, value, { 'Content-Type': JSON_TYPE, ...headers }),
    ...{ method: 'POST', body: JSON.stringify(body) },
  };
}

const items = new Items();

const WHEEL = { name: 'Wheel' };

const guarded = { Authorization: AUTHORIZATION };

/** A user in a response of users-api. */
interface StoredUser {
  readonly id: string;
}

/** Creates a hundred users. */
async function createUsers(base: string): Promise<readonly StoredUser[]> {
  const users: StoredUser[] = [];
  for (const index of Array(100).keys()) {
    const response = await fetch(`${base}/users`, {
      method: 'POST',
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify({ name: `User ${index}`, email: `user-${index}@example.org` }),
    });
    const { data } = (await response.json()) as { data: StoredUser };
    users.push(data);
  }
  return users;
}

async function prepareList(base: string): Promise<readonly Exchange[]> {
  const users = await createUsers(base);
  const meta = { total: users.length, page: 3, limit: 10 };
  return [get('/users?page=3&limit=10', { data: users.slice(20, 30), meta })];
}

async function prepareGet(base: string): Promise<readonly Exchange[]> {
  const users = await createUsers(base);
  return users.slice(20, 30).map((user) => get(`/users/${user.id}`, { data: user }));
}

const ADA = { name: 'Ada Lovelace', email: 'ada@example.org' };
const TIME = new Date(0).toISOString();
const ID = '00000000-0000-4000-8000-000000000000';
const STORED_ADA = { id: ID, ...ADA, createdAt: TIME, updatedAt: TIME };

/** All HTTP workloads. */
export const WORKLOADS: readonly Workload[] = [
  fixed('plaintext', 'GET of a text', {
    ...{ method: 'GET', path: '/', status: 200, type: 'text/plain', response: HELLO },
  }),
  fixed('json', 'GET of a small JSON object', get('/', { message: HELLO })),
  fixed(
    'param',
    'GET with a parameter, among 211 routes',
    ...RESOURCES.map((name, index) => get(`/${name}/${1_000 + index}`, { id: `${1_000 + index}` })),
  ),
  fixed('post', 'POST of 1 KB JSON, parsed and echoed', post('/orders', ORDER, ORDER)),
  fixed('async-10', 'Ten asynchronous middlewares, then JSON', get('/', { hops: 10 })),
  fixed('sync-10', 'Ten synchronous middlewares, then JSON', get('/', { hops: 10 })),
  fixed(
    'page',
    'Page of ten users with Date objects',
    get('/users?page=3&limit=10', pageOfUsers('3', '10')),
  ),
  fixed(
    'class-get',
    'GET: guard, parameter, injected service',
    get('/items/42', items.find('42'), guarded),
  ),
  fixed(
    'class-post',
    'POST: guard, body, injected service',
    post('/items', WHEEL, items.create(WHEEL), guarded),
  ),
  fixed(
    'valid-get',
    'GET with a validated query',
    get('/search?text=wheel&page=3&limit=20', search({ text: 'wheel', page: 3, limit: 20 })),
  ),
  fixed('valid-post', 'POST of 1 KB JSON, validated and echoed', post('/orders', ORDER, ORDER)),
  { name: 'users-list', title: 'users-api: page of ten users of a hundred', prepare: prepareList },
  { name: 'users-get', title: 'users-api: one user', prepare: prepareGet },
  fixed('users-create', 'users-api: create a user', {
    ...post('/users', ADA, { data: STORED_ADA }),
    ...{ status: 201, volatile: true },
  }),
];
