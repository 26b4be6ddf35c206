/** What every server answers from, so that all answers are equal. */

export const HELLO = 'Hello, World!';

/** What each of the ten middlewares does. */
export function countHop(holder: object): void {
  const state: { hops?: unknown } = holder;
  state.hops = Number(state.hops ?? 0) + 1;
}

/** The JSON schema of the answer to `json`. */
export const MESSAGE_SCHEMA = {
  type: 'object',
  properties: { message: { type: 'string' } },
} as const;

/** The JSON schema of the answer to `param`. */
export const ID_SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' } },
} as const;

/** The names of thirty resources with seven routes each; with `GET /` they make 211 routes. */
export const RESOURCES: readonly string[] = [
  ...['accounts', 'addresses', 'articles', 'attachments', 'carts', 'categories', 'comments'],
  ...['companies', 'contacts', 'customers', 'devices', 'documents', 'events', 'groups'],
  ...['invoices', 'issues', 'labels', 'locations', 'messages', 'notes', 'orders', 'payments'],
  ...['products', 'projects', 'reports', 'reviews', 'teams', 'tickets', 'users', 'webhooks'],
];

/** Method, path and parameters of the seven routes of a resource; `:id` is written as Express does. */
export const RESOURCE_ROUTES = [
  ['get', ''],
  ['post', ''],
  ['get', '/:id'],
  ['put', '/:id'],
  ['delete', '/:id'],
  ['get', '/:id/history'],
  ['get', '/:id/history/:version'],
] as const;

/** A body of about one kilobyte. */
export const ORDER = {
  id: 'b8f2f3c1-8a44-4c0e-9d0c-0b8a6a1f5a11',
  customer: { name: 'Ada Lovelace', email: 'ada@example.org', company: 'Analytical Engines Ltd' },
  note: 'Please ring twice; the bell is older than the house and needs some patience. '.repeat(2),
  paid: true,
  total: 1_234.5,
  items: [...Array(8).keys()].map((index) => ({
    sku: `ENGINE-PART-${1_000 + index}`,
    title: `Brass wheel number ${index}`,
    quantity: index + 1,
    price: 12.25 * (index + 1),
  })),
};

/** A user as one would write it by hand. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A hundred users in a plain list. */
export const USERS: readonly User[] = [...Array(100).keys()].map((index) => ({
  id: `5f0c6d3e-0000-4000-8000-${String(index).padStart(12, '0')}`,
  name: `User ${index}`,
  email: `user-${index}@example.org`,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
  updatedAt: new Date(Date.UTC(2026, 5, 1, 0, 0, index)),
}));

/** One page of {@link USERS}. */
export interface UserPage {
  readonly data: readonly User[];
  readonly meta: { readonly total: number; readonly page: number; readonly limit: number };
}

/**
 * @param page - As it stands in the query; 1 unless it is a number.
 * @param limit - As it stands in the query; 10 unless it is a number.
 */
export function pageOfUsers(page: string | undefined, limit: string | undefined): UserPage {
  const number = Number(page) || 1;
  const size = Number(limit) || 10;
  const start = (number - 1) * size;
  return {
    data: USERS.slice(start, start + size),
    meta: { total: USERS.length, page: number, limit: size },
  };
}

/** The JSON schema of {@link UserPage}, for servers that compile a writer from one. */
export const USER_PAGE_SCHEMA = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          email: { type: 'string' },
          createdAt: { type: 'string', format: 'date-time' },
          updatedAt: { type: 'string', format: 'date-time' },
        },
      },
    },
    meta: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        page: { type: 'integer' },
        limit: { type: 'integer' },
      },
    },
  },
} as const;

/** The token that guards let through. */
export const AUTHORIZATION = 'Bearer secret';

/** What the guarded routes answer: with two times, as most that is kept in a store. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const createdAt = new Date(Date.UTC(2026, 0, 1));
const updatedAt = new Date(Date.UTC(2026, 5, 1));

/** The service that is injected, and called by hand where there is no injection. */
export class Items {
  find(id: string): Item {
    return { id, name: `Item ${id}`, tags: ['first', 'second'], createdAt, updatedAt };
  }

  create(input: { readonly name: string }): Item {
    return { id: '7', name: input.name, tags: ['created'], createdAt, updatedAt };
  }
}

/** The JSON schema of {@link Item}. */
export const ITEM_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
  },
} as const;
