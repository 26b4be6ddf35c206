import { defineController } from '@fairlead/controllers';
import { etag } from '@fairlead/middleware';
import { changeUser } from './change-user.js';
import { findUser } from './find-user.js';
import { ListQuery, NewUser, OPERATIONS, Success, UserChanges } from './schemas.js';
import { USER_STORE } from './store/user-store.js';
import type { User } from './user.js';
import { sendList, showUser, toCreated, toEnvelope } from './view.js';

const { list, show, create, update, delete: remove } = OPERATIONS;

/** The user API as a value. Discovery does not import this file. */
export const users = defineController('/users', {
  version: 'v2',
  inject: { store: USER_STORE },
  routes: (routes) => ({
    list: routes.get(
      '/',
      { ...list, operationId: 'listUsersV2', query: ListQuery },
      (ctx, { store }) => sendList(ctx, store, ctx.query),
    ),
    show: routes.get(
      '/:id',
      { ...show, operationId: 'showUserV2', middleware: [etag()] },
      async (ctx, { store }) => showUser(ctx, await findUser(store, ctx.params.id)),
    ),
    create: routes.post(
      '/',
      { ...create, operationId: 'createUserV2', body: NewUser },
      async (ctx, { store }) => toCreated(ctx, await store.create(ctx.body)),
    ),
    update: routes.put(
      '/:id',
      { ...update, operationId: 'updateUserV2', body: UserChanges },
      async (ctx, { store }) => {
        const { id } = ctx.params;
        const update = (expected?: User) => store.update(id, ctx.body, expected);
        return toEnvelope(ctx, await changeUser(ctx, store, id, update));
      },
    ),
    delete: routes.delete(
      '/:id',
      { ...remove, operationId: 'deleteUserV2', response: Success },
      async (ctx, { store }) => {
        const { id } = ctx.params;
        await changeUser(ctx, store, id, (expected) => store.delete(id, expected));
        return { success: true };
      },
    ),
  }),
});
