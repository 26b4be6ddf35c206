import { type Context, createRouter, type Router } from '@fairlead/core';
import { requireJson } from '../middleware/require-json.js';
import { readCreateInput, readUpdateInput } from './input.js';
import { listUsers } from './list.js';
import { locationOf } from './location.js';
import type { UserStore } from './store/user-store.js';
import { foundUser, userNotFound } from './user-not-found.js';
import { showUser } from './view.js';

/**
 * Builds the user API from functions. Its paths are relative to where it is mounted.
 *
 * @param store - Where the users are.
 * @returns A router with list, show, create, update and delete.
 * @see Specification, "User API (functional-style routes)"
 */
export function createUsersRouter(store: UserStore): Router {
  return createRouter()
    .get('/', async (ctx) => {
      ctx.json(await listUsers(store, ctx.query));
    })
    .get('/:id', async (ctx) => {
      const id = idOf(ctx);
      showUser(ctx, foundUser(await store.find(id), id));
    })
    .post('/', requireJson, async (ctx) => {
      const user = await store.create(readCreateInput(ctx.body));
      ctx.status = 201;
      ctx.set('Location', locationOf(ctx, user));
      ctx.json({ data: user });
    })
    .put('/:id', requireJson, async (ctx) => {
      const id = idOf(ctx);
      const user = await store.update(id, readUpdateInput(ctx.body));
      ctx.json({ data: foundUser(user, id) });
    })
    .delete('/:id', async (ctx) => {
      const id = idOf(ctx);
      if (!(await store.delete(id))) throw userNotFound(id);
      ctx.status = 204;
    });
}

function idOf(ctx: Context): string {
  return ctx.params.id ?? '';
}
