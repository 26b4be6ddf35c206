import { z } from 'zod';

/** The data that every server responds with, so that all responses are equal. */

export const HELLO = 'Hello, World!';

/** The work of each of the ten middlewares. */
export function countHop(holder: object): void {
  const state: { hops?: unknown } = holder;
  state.hops = Number(state.hops ?? 0) + 1;
}

const STRING = { type: 'string' } as const;
const INTEGER = { type: 'integer' } as const;
const DATE = { type: 'string', format: 'date-time' } as const;

const objectOf = <Properties extends object>(properties: Properties) =>
  ({ type: 'object', properties }) as const;

const arrayOf = <Items extends object>(items: Items) => ({ type: 'array', items }) as const;

/** The JSON schema of the response to `json`. */
export const MESSAGE_SCHEMA = objectOf({ message: STRING });

/** The JSON schema of the response to `param`. */
export const ID_SCHEMA = objectOf({ id: STRING });

/** The names of thirty resources. Their seven routes each and `GET /` make 211 routes. */
export const RESOURCES: readonly string[] = [
  ...['accounts', 'addresses', 'articles', 'attachments', 'carts', 'categories', 'comments'],
  ...['companies', 'contacts', 'customers', 'devices', 'documents', 'events', 'groups'],
  ...['invoices', 'issues', 'labels', 'locations', 'messages', 'notes', 'orders', 'payments'],
  ...['products', 'projects', 'reports', 'reviews', 'teams', 'tickets', 'users', 'webhooks'],
];

/** The seven routes of a resource, with parameters in Express's syntax. */
export const RESOURCE_ROUTES = [
  ['get', ''],
  ['post', ''],
  ['get', '/:id'],
  ['put', '/:id'],
  ['delete', '/:id'],
  ['get', '/:id/history'],
  ['get', '/:id/history/:version'],
] as const;

/** A request body of about one kilobyte. */
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

/** A user with Date objects. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A hundred users. */
export const USERS: readonly User[] = [...Array(100).keys()].map((index) => ({
  id: `5f0c6d3e-0000-4000-8000-${String(index).padStart(12, '0')}`,
  name: `User ${index}`,
  email: `user-${index}@example.org`,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
  updatedAt: new Date(Date.UTC(2026, 5, 1, 0, 0, index)),
}));

/** A page of users. */
export interface UserPage {
  readonly data: readonly User[];
  readonly meta: { readonly total: number; readonly page: number; readonly limit: number };
}

/**
 * Returns one page of {@link USERS}.
 *
 * @param page - The text of the query parameter. 1 unless it is a number.
 * @param limit - The text of the query parameter. 10 unless it is a number.
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

const USER = { id: STRING, name: STRING, email: STRING, createdAt: DATE, updatedAt: DATE };

/** The JSON schema of {@link UserPage}. */
export const USER_PAGE_SCHEMA = objectOf({
  data: arrayOf(objectOf(USER)),
  meta: objectOf({ total: INTEGER, page: INTEGER, limit: INTEGER }),
});

/** The value of the Authorization header that guards accept. */
export const AUTHORIZATION = 'Bearer secret';

/** The response of the guarded routes. It has two Date objects, as most stored records do. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const createdAt = new Date(Date.UTC(2026, 0, 1));
const updatedAt = new Date(Date.UTC(2026, 5, 1));

/** The injected service. Servers without injection call it directly. */
export class Items {
  find(id: string): Item {
    return { id, name: `Item ${id}`, tags: ['first', 'second'], createdAt, updatedAt };
  }

  create(input: { readonly name: string }): Item {
    return { id: '7', name: input.name, tags: ['created'], createdAt, updatedAt };
  }
}

/** The JSON schema of {@link Item}. */
export const ITEM_SCHEMA = objectOf({
  ...{ id: STRING, name: STRING, tags: arrayOf(STRING) },
  ...{ createdAt: DATE, updatedAt: DATE },
});

/** Accepts an {@link ORDER}. */
export const Order = z.object({
  id: z.string().min(1),
  customer: z.object({ name: z.string().min(1), email: z.string().min(3), company: z.string() }),
  note: z.string(),
  paid: z.boolean(),
  total: z.number().min(0),
  items: z.array(
    z.object({
      ...{ sku: z.string().min(1), title: z.string().min(1) },
      ...{ quantity: z.int().min(1), price: z.number().min(0) },
    }),
  ),
});

/** The JSON schema of {@link Order}. */
export const ORDER_SCHEMA = jsonSchemaOf(Order);

/** Accepts the query of a search, and converts its numbers. */
export const Search = z.object({
  text: z.string().min(1),
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});

/** The JSON schema of a {@link Search}. */
export const SEARCH_SCHEMA = jsonSchemaOf(Search);

/** The response to `valid-get`. */
export const Found = z.object({ text: z.string(), page: z.int(), limit: z.int(), total: z.int() });

/** The JSON schema of {@link Found}. */
export const FOUND_SCHEMA = jsonSchemaOf(Found);

function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

/** Handles a valid {@link Search}. */
export function search({ text, page, limit }: z.infer<typeof Search>): z.infer<typeof Found> {
  return { text, page, limit, total: 0 };
}
