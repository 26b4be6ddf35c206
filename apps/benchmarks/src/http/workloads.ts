import type { Exchange } from './exchange.js';
import { AUTHORIZATION, HELLO, Items, ORDER, pageOfUsers, RESOURCES } from './fixtures.js';
import { createUser, getUser, listUsers } from './users-exchanges.js';

/** The same task for every server. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  /**
   * Brings a fresh server to where it can be measured.
   *
   * @param base - URL of the server, with what precedes its paths.
   * @returns What is sent in turn; the paths follow the base.
   */
  prepare(base: string): Promise<readonly Exchange[]>;
}

const fixed =
  (...exchanges: readonly Exchange[]) =>
  async () =>
    exchanges;

const JSON_TYPE = 'application/json';

function get(path: string, value: unknown, headers: Record<string, string> = {}): Exchange {
  return {
    ...{ method: 'GET', path, headers, status: 200, type: JSON_TYPE },
    answer: JSON.stringify(value),
  };
}

function post(
  path: string,
  body: unknown,
  value: unknown,
  headers: Record<string, string> = {},
): Exchange {
  return {
    ...{ method: 'POST', path, body: JSON.stringify(body), status: 200, type: JSON_TYPE },
    headers: { 'Content-Type': JSON_TYPE, ...headers },
    answer: JSON.stringify(value),
  };
}

const items = new Items();

const WHEEL = { name: 'Wheel' };

const guarded = { Authorization: AUTHORIZATION };

/** Everything that is measured over HTTP. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'plaintext',
    title: 'GET of a text',
    prepare: fixed({ method: 'GET', path: '/', status: 200, type: 'text/plain', answer: HELLO }),
  },
  {
    name: 'json',
    title: 'GET of a small JSON object',
    prepare: fixed(get('/', { message: HELLO })),
  },
  {
    name: 'param',
    title: 'GET with a parameter, among 211 routes',
    prepare: fixed(
      ...RESOURCES.map((name, index) =>
        get(`/${name}/${1_000 + index}`, { id: `${1_000 + index}` }),
      ),
    ),
  },
  {
    name: 'post',
    title: 'POST of 1 KB JSON, parsed and echoed',
    prepare: fixed(post('/orders', ORDER, ORDER)),
  },
  {
    name: 'async-10',
    title: 'Ten asynchronous middlewares, then JSON',
    prepare: fixed(get('/', { hops: 10 })),
  },
  {
    name: 'sync-10',
    title: 'Ten synchronous middlewares, then JSON',
    prepare: fixed(get('/', { hops: 10 })),
  },
  {
    name: 'page',
    title: 'Page of ten users with Date objects',
    prepare: fixed(get('/users?page=3&limit=10', pageOfUsers('3', '10'))),
  },
  {
    name: 'class-get',
    title: 'GET: guard, parameter, injected service',
    prepare: fixed(get('/items/42', items.find('42'), guarded)),
  },
  {
    name: 'class-post',
    title: 'POST: guard, body, injected service',
    prepare: fixed(post('/items', WHEEL, items.create(WHEEL), guarded)),
  },
  { name: 'users-list', title: 'users-api: page of ten users of a hundred', prepare: listUsers },
  { name: 'users-get', title: 'users-api: one user', prepare: getUser },
  { name: 'users-create', title: 'users-api: create a user', prepare: createUser },
];
