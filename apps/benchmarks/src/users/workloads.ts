import type { Exchange, Workload } from '../http/workloads.js';

/** Requests that are open at the same time while users are created and deleted. */
const CONCURRENCY = 64;

/** Users per page. */
export const PAGE_LENGTH = 10;
const JSON_TYPE = 'application/json';

/** A user in a response. */
export interface StoredUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Each exchange has texts of the same length for all users, so that lengths of responses are known. */
const fieldsOf = (index: number) => {
  const number = String(index).padStart(6, '0');
  return { name: `User number ${number}`, email: `user-${number}@example.org` };
};

const send = async (url: string, method: string, body?: object): Promise<Response> => {
  const headers = body === undefined ? {} : { 'Content-Type': JSON_TYPE };
  const response = await fetch(url, {
    ...{ method, headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (response.ok) return response;
  throw new Error(`${method} ${url} responds with ${response.status}: ${await response.text()}`);
};

/** Calls a function with each item, for some items at the same time. */
async function forEach<Item>(items: Iterable<Item>, use: (item: Item) => Promise<unknown>) {
  const iterator = items[Symbol.iterator]();
  const work = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await use(next.value);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** Creates users until there are as many as asked for. */
export async function createUsers(base: string, count: number): Promise<void> {
  await forEach(Array(count).keys(), async (index) => {
    const response = await send(`${base}/users`, 'POST', fieldsOf(index));
    await response.arrayBuffer();
  });
}

/** Returns the users of a page. */
export async function readPage(base: string, page: number, limit: number) {
  const response = await send(`${base}/users?page=${page}&limit=${limit}`, 'GET');
  return (await response.json()) as { data: StoredUser[]; meta: { total: number } };
}

/** Returns the number of users. */
export async function countUsers(base: string): Promise<number> {
  return (await readPage(base, 1, 1)).meta.total;
}

/** Deletes all users but the first ones. */
export async function deleteCreated(base: string, first: number): Promise<void> {
  for (;;) {
    const { data, meta } = await readPage(base, 2, first);
    if (meta.total === first) return;
    await forEach(data, async ({ id }) => {
      await (await send(`${base}/users/${id}`, 'DELETE')).arrayBuffer();
    });
  }
}

const respond = (value: unknown) => ({ type: JSON_TYPE, response: JSON.stringify(value) });
const toJson = (value: unknown) => ({
  ...{ headers: { 'Content-Type': JSON_TYPE }, body: JSON.stringify(value) },
});

/** Returns the request of a user. */
export function getOne(user: StoredUser): Exchange {
  const path = `/users/${user.id}`;
  return { method: 'GET', path, status: 200, volatile: true, ...respond({ data: user }) };
}

function getPage(users: readonly StoredUser[], index: number): Exchange {
  const data = users.slice(index * PAGE_LENGTH, (index + 1) * PAGE_LENGTH);
  const meta = { total: users.length, page: index + 1, limit: PAGE_LENGTH };
  const path = `/users?page=${meta.page}&limit=${PAGE_LENGTH}`;
  return { method: 'GET', path, status: 200, volatile: true, ...respond({ data, meta }) };
}

function put(user: StoredUser): Exchange {
  const { name, email } = user;
  const path = `/users/${user.id}`;
  return {
    ...{ method: 'PUT', path, status: 200, volatile: true },
    ...toJson({ name, email }),
    ...respond({ data: user }),
  };
}

/** Returns the request that creates a copy of the first user. */
export function post([user]: readonly StoredUser[]): Exchange {
  return {
    ...{ method: 'POST', path: '/users', status: 201, volatile: true },
    ...toJson({ name: user?.name, email: user?.email }),
    ...respond({ data: user }),
  };
}

/** Returns the index of a user or page. Successive steps are far apart, and each index comes once. */
const spread = (step: number, count: number) => (step * 7_919) % count;

/** Creates the exchanges of a workload, given all users in the order of their creation. */
type CreateExchanges = (users: readonly StoredUser[]) => readonly Exchange[];

const pagesOf = (users: readonly unknown[]) => users.length / PAGE_LENGTH;

const at = (users: readonly StoredUser[], step: number): StoredUser => {
  const user = users[spread(step, users.length)];
  if (user === undefined) throw new RangeError('The store has no users.');
  return user;
};

/** One request of twenty creates a user, another one updates a user. */
const mixed: CreateExchanges = (users) =>
  users.map((_, step) => {
    if (step % 20 === 0) return post(users);
    if (step % 20 === 10) return put(at(users, step));
    return step % 2 === 0 ? getOne(at(users, step)) : getPage(users, spread(step, pagesOf(users)));
  });

/**
 * Creates all workloads of a users service.
 *
 * @param count - The number of users in the store. Turns must not create so many that their number
 *   gets more digits.
 */
export function createWorkloads(count: number): readonly Workload[] {
  const workload = (name: string, title: string, create: CreateExchanges): Workload => ({
    ...{ name, title },
    async prepare(base) {
      await createUsers(base, count);
      return create((await readPage(base, 1, count)).data);
    },
  });
  return [
    workload('get', 'GET one user', (users) => users.map((_, step) => getOne(at(users, step)))),
    workload('page', 'GET a page of ten users', (users) =>
      Array.from({ length: pagesOf(users) }, (_, step) =>
        getPage(users, spread(step, pagesOf(users))),
      ),
    ),
    workload('put', 'PUT a user', (users) => users.map((_, step) => put(at(users, step)))),
    workload('post', 'POST a user', (users) => [post(users)]),
    workload('mix', '45 % GET one, 45 % pages, 5 % PUT, 5 % POST', mixed),
  ];
}
