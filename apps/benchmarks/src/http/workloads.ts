import { AUTHORIZATION, HELLO, ORDER, pageOfUsers, RESOURCES } from './fixtures.js';

/** One request of a workload, and the answer that every server has to give. */
export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** Media type without parameters. */
  readonly type: string;
  readonly answer: string;
}

/** The same task for every server. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  /** Sent in turn; their answers have equal lengths. */
  readonly exchanges: readonly Exchange[];
}

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

const guarded = { Authorization: AUTHORIZATION };

/** Everything that the plain servers are measured with. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'plaintext',
    title: 'GET of a text',
    exchanges: [{ method: 'GET', path: '/', status: 200, type: 'text/plain', answer: HELLO }],
  },
  {
    name: 'json',
    title: 'GET of a small JSON object',
    exchanges: [get('/', { message: HELLO })],
  },
  {
    name: 'param',
    title: 'GET with a parameter, among 211 routes',
    exchanges: RESOURCES.map((name, index) =>
      get(`/${name}/${1_000 + index}`, { id: `${1_000 + index}` }),
    ),
  },
  {
    name: 'post',
    title: 'POST of 1 KB JSON, parsed and echoed',
    exchanges: [post('/orders', ORDER, ORDER)],
  },
  {
    name: 'async-10',
    title: 'Ten asynchronous middlewares, then JSON',
    exchanges: [get('/', { hops: 10 })],
  },
  {
    name: 'sync-10',
    title: 'Ten synchronous middlewares, then JSON',
    exchanges: [get('/', { hops: 10 })],
  },
  {
    name: 'page',
    title: 'Page of ten users with Date objects',
    exchanges: [get('/users?page=3&limit=10', pageOfUsers('3', '10'))],
  },
  {
    name: 'class-get',
    title: 'GET: guard, parameter, injected service',
    exchanges: [
      get('/items/42', { id: '42', name: 'Item 42', tags: ['first', 'second'] }, guarded),
    ],
  },
  {
    name: 'class-post',
    title: 'POST: guard, body, injected service',
    exchanges: [
      post('/items', { name: 'Wheel' }, { id: '7', name: 'Wheel', tags: ['created'] }, guarded),
    ],
  },
];
