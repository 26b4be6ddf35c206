import type { Exchange } from './exchange.js';

/** A user as users-api answers it. */
interface StoredUser {
  readonly id: string;
}

const JSON_TYPE = 'application/json';

async function seed(base: string): Promise<readonly StoredUser[]> {
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

const get = (path: string, value: unknown): Exchange => ({
  ...{ method: 'GET', path, status: 200, type: JSON_TYPE },
  answer: JSON.stringify(value),
});

/** Creates a hundred users, and asks for one page of them. */
export async function listUsers(base: string): Promise<readonly Exchange[]> {
  const users = await seed(base);
  const meta = { total: users.length, page: 3, limit: 10 };
  return [get('/users?page=3&limit=10', { data: users.slice(20, 30), meta })];
}

/** Creates a hundred users, and asks for some of them, one by one. */
export async function getUser(base: string): Promise<readonly Exchange[]> {
  const users = await seed(base);
  return users.slice(20, 30).map((user) => get(`/users/${user.id}`, { data: user }));
}

/** Creates users. */
export async function createUser(): Promise<readonly Exchange[]> {
  const input = { name: 'Ada Lovelace', email: 'ada@example.org' };
  const time = new Date(0).toISOString();
  const id = '00000000-0000-4000-8000-000000000000';
  const user = { id, ...input, createdAt: time, updatedAt: time };
  return [
    {
      ...{ method: 'POST', path: '/users', headers: { 'Content-Type': JSON_TYPE } },
      body: JSON.stringify(input),
      ...{ status: 201, type: JSON_TYPE, volatile: true },
      answer: JSON.stringify({ data: user }),
    },
  ];
}
