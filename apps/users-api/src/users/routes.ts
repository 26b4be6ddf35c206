import { createRouter, type Router } from '@fairlead/core';
import { requireJson } from '../middleware/require-json.js';
import { andThen } from './awaitable.js';
import { sendList } from './list.js';
import { locationOf } from './location.js';
import { ListQuery, NewUser, OPERATIONS, UserChanges } from './schemas.js';
import type { UserStore } from './store/user-store.js';
import { summarizeIssues } from './summarize-issues.js';
import { requireUser, userNotFound } from './user-not-found.js';
import { showUser } from './view.js';

/**
 * Builds the user API as functional routes.
 *
 * @param store - Store of the users.
 * @returns A router with list, show, create, update and delete, relative to its mount path.
 */
export function createUsersRouter(store: UserStore): Router {
  const { list, show, create, update, delete: remove } = OPERATIONS;
  return createRouter()
    .get('/', { ...list, operationId: 'listUsers', query: ListQuery }, (ctx) =>
      sendList(ctx, store, ctx.query),
    )
    .get('/:id', { ...show, operationId: 'showUser' }, (ctx) => {
      const { id } = ctx.params;
      return andThen(store.find(id), (user) => showUser(ctx, requireUser(user, id)));
    })
    .post(
      '/',
      { ...create, operationId: 'createUser', body: NewUser },
      requireJson,
      summarizeIssues,
      (ctx) =>
        andThen(store.create(ctx.body), (user) => {
          ctx.set('Location', locationOf(ctx, user));
          return { data: user };
        }),
    )
    .put(
      '/:id',
      { ...update, operationId: 'updateUser', body: UserChanges },
      requireJson,
      summarizeIssues,
      (ctx) => {
        const { id } = ctx.params;
        return andThen(store.update(id, ctx.body), (user) => ({ data: requireUser(user, id) }));
      },
    )
    .delete('/:id', { ...remove, operationId: 'deleteUser', status: 204 }, (ctx) => {
      const { id } = ctx.params;
      return andThen(store.delete(id), (deleted) => {
        if (!deleted) throw userNotFound(id);
      });
    });
}
