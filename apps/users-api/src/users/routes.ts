import { createRouter, type Router } from '@fairlead/core';
import { requireJson } from '../middleware/require-json.js';
import { andThen } from './awaitable.js';
import { readCreateInput, readUpdateInput, type UserLimits } from './input.js';
import { sendList } from './list.js';
import { locationOf } from './location.js';
import type { UserStore } from './store/user-store.js';
import { requireUser, userNotFound } from './user-not-found.js';
import { showUser } from './view.js';

/**
 * Builds the user API as functional routes.
 *
 * @param store - Store of the users.
 * @param limits - Maximum lengths of a name and an email.
 * @returns A router with list, show, create, update and delete, relative to its mount path.
 */
export function createUsersRouter(store: UserStore, limits: UserLimits): Router {
  return createRouter()
    .get('/', (ctx) => sendList(ctx, store))
    .get('/:id', (ctx) => {
      const { id } = ctx.params;
      return andThen(store.find(id), (user) => showUser(ctx, requireUser(user, id)));
    })
    .post('/', requireJson, (ctx) =>
      andThen(store.create(readCreateInput(ctx.body, limits)), (user) => {
        ctx.status = 201;
        ctx.set('Location', locationOf(ctx, user));
        return { data: user };
      }),
    )
    .put('/:id', requireJson, (ctx) => {
      const { id } = ctx.params;
      return andThen(store.update(id, readUpdateInput(ctx.body, limits)), (user) => ({
        data: requireUser(user, id),
      }));
    })
    .delete('/:id', (ctx) => {
      const { id } = ctx.params;
      return andThen(store.delete(id), (deleted) => {
        if (!deleted) throw userNotFound(id);
        ctx.status = 204;
      });
    });
}
