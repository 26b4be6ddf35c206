import { createRouter, type Router } from '@fairlead/core';
import { etag } from '@fairlead/middleware';
import { changeUser } from './change-user.js';
import { findUser } from './find-user.js';
import { ListQuery, NewUser, OPERATIONS, UserChanges } from './schemas.js';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';
import { sendList, showUser, toCreated, toEnvelope } from './view.js';

/**
 * Builds the user API as functional routes.
 *
 * @returns A router with list, show, create, update and delete, relative to its mount path.
 */
export function createUsersRouter(store: UserStore): Router {
  const { list, show, create, update, delete: remove } = OPERATIONS;
  return createRouter()
    .get('/', { ...list, operationId: 'listUsers', query: ListQuery }, (ctx) =>
      sendList(ctx, store, ctx.query),
    )
    .get('/:id', { ...show, operationId: 'showUser' }, etag(), async (ctx) =>
      showUser(ctx, await findUser(store, ctx.params.id)),
    )
    .post('/', { ...create, operationId: 'createUser', body: NewUser }, async (ctx) =>
      toCreated(ctx, await store.create(ctx.body)),
    )
    .put('/:id', { ...update, operationId: 'updateUser', body: UserChanges }, async (ctx) => {
      const { id } = ctx.params;
      const update = (expected?: User) => store.update(id, ctx.body, expected);
      return toEnvelope(ctx, await changeUser(ctx, store, id, update));
    })
    .delete('/:id', { ...remove, operationId: 'deleteUser', status: 204 }, async (ctx) => {
      const { id } = ctx.params;
      await changeUser(ctx, store, id, (expected) => store.delete(id, expected));
    });
}
