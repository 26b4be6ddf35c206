import {
  type ApplicationOptions,
  type Context,
  createApp,
  type RouteOptions,
} from '@fairlead/core';
import { z } from 'zod';
import { type Operation, USER_COUNTS } from './benchmarks.js';

const User = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.enum(['admin', 'member']),
  isActive: z.boolean(),
  logins: z.number(),
  address: z.object({ city: z.string(), zip: z.string() }),
  tags: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** What the schema of the responses describes. */
export const Users = z.object({ users: z.array(User), total: z.number() });

function createUsers(count: number, more: object): object {
  const users = Array.from({ length: count }, (_, index) => ({
    id: `0195f3c2-7c1e-7b3a-9c2d-${String(index).padStart(12, '0')}`,
    name: `Ada Lovelace ${index}`,
    email: `ada.${index}@example.com`,
    role: index % 9 === 0 ? 'admin' : 'member',
    isActive: index % 2 === 0,
    logins: index,
    ...more,
    address: { city: 'London', zip: `N${index}` },
    tags: ['mathematics', 'engines'],
    createdAt: new Date(1_700_000_000_000 + index).toISOString(),
    updatedAt: new Date(1_750_000_000_000 + index).toISOString(),
  }));
  return { users, total: count };
}

/**
 * Creates the operations that respond with users in JSON.
 *
 * @param route - The options of the route.
 * @param more - Members of each user that the schema does not describe.
 */
export async function respondOperations(
  options: ApplicationOptions,
  route: RouteOptions,
  more: object = {},
): Promise<Readonly<Record<string, () => Operation>>> {
  const ctx = await new Promise<Context>((resolve, reject) => {
    const app = createApp(options).get('/', route, (one: unknown) => {
      // Otherwise, the response would be sent.
      (one as Context).takeOver();
      resolve(one as Context);
    });
    app.request('/').catch(reject);
  });
  return Object.fromEntries(
    USER_COUNTS.map((count) => [
      `respond-${count}`,
      () => {
        const values = Array.from({ length: 8 }, () => createUsers(count, more));
        let turn = 0;
        return () => {
          turn += 1;
          ctx.json(values[turn % values.length]);
          return ctx.responseBody;
        };
      },
    ]),
  );
}
