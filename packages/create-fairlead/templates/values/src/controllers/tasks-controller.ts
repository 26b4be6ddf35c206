import { defineController } from '@fairlead/controllers';
import { NotFoundError } from '@fairlead/core';
import { z } from 'zod';
// #if !auth
import { ApiKeyGuard } from '../api-key.ts';
// #endif
import { NewTask, Task, TaskChanges } from '../schemas.ts';
import { Tasks } from '../tasks.ts';

const params = z.object({ id: z.coerce.number().int().positive() });
const Count = z.coerce.number().int().min(0);
const Page = z.object({ offset: Count.default(0), limit: Count.min(1).max(100).default(20) });
// #if !auth
const open = { public: 'Everyone may read the tasks.' };
const guards = [ApiKeyGuard];
// #endif

export const tasksController = defineController('/tasks', {
  inject: { tasks: Tasks },
  routes: ({ get, post, patch, delete: del }) => ({
    list: get(
      '/',
      {
        // #if !auth
        ...open,
        // #endif
        query: Page,
        response: z.array(Task),
      },
      ({ query }, { tasks }) => tasks.list(query.offset, query.limit),
    ),

    show: get(
      '/:id',
      {
        // #if !auth
        ...open,
        // #endif
        params,
        response: Task,
      },
      async (ctx, { tasks }) => (await tasks.find(ctx.params.id)) ?? notFound(ctx.params.id),
    ),

    create: post(
      '/',
      {
        // #if !auth
        guards,
        // #endif
        body: NewTask,
        response: { 201: Task },
      },
      ({ body }, { tasks }) => tasks.create(body),
    ),

    update: patch(
      '/:id',
      {
        // #if !auth
        guards,
        // #endif
        params,
        body: TaskChanges,
        response: Task,
      },
      async ({ params: { id }, body }, { tasks }) => (await tasks.update(id, body)) ?? notFound(id),
    ),

    delete: del(
      '/:id',
      {
        // #if !auth
        guards,
        // #endif
        params,
        status: 204,
      },
      async ({ params: { id } }, { tasks }) => {
        if (!(await tasks.delete(id))) notFound(id);
      },
    ),
  }),
});

function notFound(id: number): never {
  throw new NotFoundError(`There is no task ${id}.`);
}
