import {
  Body,
  Controller,
  createRouteMetadata,
  defineController,
  Get,
  Param,
  Post,
  Query,
  registerController,
  UseGuard,
} from '@fairlead/controllers';
import { createApp, createRouter, json } from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, secured } from '../src/index.js';

const Task = z.object({ id: z.number(), title: z.string() }).meta({ id: 'TaskOfValue' });
const NewTask = z.object({ title: z.string().min(1) });
const Id = z.object({ id: z.coerce.number().int() });
const Page = z.object({ page: z.coerce.number().int().default(1) });

const signedIn = secured(() => true, { name: 'basic', scheme: { type: 'http', scheme: 'basic' } });
const Public = createRouteMetadata<boolean>('Public', { guard: signedIn, exempts: (is) => is });

@Controller({ prefix: '/tasks', version: 'v1' })
@UseGuard(signedIn)
class TasksController {
  @Get('/', { tags: ['Tasks'], response: z.array(Task) })
  @Public(true)
  list(@Query({ schema: Page }) { page }: z.infer<typeof Page>) {
    return [{ id: page, title: 'Read' }];
  }

  @Get('/:id', { tags: ['Tasks'], summary: 'Find a task', response: Task })
  find(@Param({ schema: Id }) { id }: z.infer<typeof Id>) {
    return { id, title: 'Read' };
  }

  @Post('/', { tags: ['Tasks'], status: 201, response: Task, errors: { 409: ['TASK_EXISTS'] } })
  create(@Body({ schema: NewTask }) { title }: z.infer<typeof NewTask>) {
    return { id: 1, title };
  }
}

const tasks = defineController('/tasks', {
  version: 'v1',
  guards: [signedIn],
  tags: ['Tasks'],
  routes: ({ get, post }) => ({
    list: get(
      '/',
      { query: Page, response: z.array(Task), metadata: [Public(true)] },
      ({ query }) => [{ id: query.page, title: 'Read' }],
    ),
    find: get('/:id', { params: Id, summary: 'Find a task', response: Task }, ({ params }) => ({
      id: params.id,
      title: 'Read',
    })),
    create: post(
      '/',
      { body: NewTask, status: 201, response: Task, errors: { 409: ['TASK_EXISTS'] } },
      ({ body }) => ({ id: 1, title: body.title }),
    ),
  }),
});

it('describes a controller as a value like a class', () => {
  const describe = (controller: Constructor) => {
    const router = createRouter();
    registerController(router, controller, { container: createContainer() });
    const app = createApp().use(json()).route('/', router);
    return createDocument(app, { info: { title: 'Tasks', version: '1' } });
  };
  const document = describe(tasks);
  expect(document).toEqual(describe(TasksController));
  expect(document).toMatchObject({
    paths: {
      '/v1/tasks': {
        post: {
          tags: ['Tasks'],
          security: [{ basic: [] }],
          responses: {
            409: {
              content: {
                'application/problem+json': {
                  schema: { properties: { code: { enum: ['TASK_EXISTS'] } } },
                },
              },
            },
          },
        },
      },
      '/v1/tasks/{id}': { get: { summary: 'Find a task' } },
    },
  });
});
