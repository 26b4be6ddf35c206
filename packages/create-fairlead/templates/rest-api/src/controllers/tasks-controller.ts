import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@fairlead/controllers';
import { NotFoundError } from '@fairlead/core';
import { z } from 'zod';
import { NewTask, Task, TaskChanges } from '../schemas.js';
import { Tasks } from '../tasks.js';

const Id = z.coerce.number().int().positive();
const Count = z.coerce.number().int().min(0);
const Page = z.object({ offset: Count.default(0), limit: Count.min(1).max(100).default(20) });
// biome-ignore lint/correctness/noUnusedVariables: One of two remains. #if !auth
const about = { tags: ['tasks'], public: 'Everyone may use the tasks until there are accounts.' };
// #endif
// biome-ignore lint/suspicious/noRedeclare: One of two remains. #if auth
const about = { tags: ['tasks'] };
// #endif

@Controller('/tasks')
export class TasksController {
  constructor(private readonly tasks: Tasks) {}

  @Get('/', { summary: 'List tasks', ...about, response: z.array(Task) })
  list(@Query({ schema: Page }) { offset, limit }: z.infer<typeof Page>) {
    return this.tasks.list(offset, limit);
  }

  @Get('/:id', { summary: 'Show a task', ...about, response: Task })
  async show(@Param('id', { schema: Id }) id: number) {
    return (await this.tasks.find(id)) ?? notFound(id);
  }

  @Post('/', { summary: 'Create a task', ...about, response: { 201: Task } })
  create(@Body({ schema: NewTask }) input: NewTask) {
    return this.tasks.create(input);
  }

  @Patch('/:id', { summary: 'Change a task', ...about, response: Task })
  async update(
    @Param('id', { schema: Id }) id: number,
    @Body({ schema: TaskChanges }) changes: TaskChanges,
  ) {
    return (await this.tasks.update(id, changes)) ?? notFound(id);
  }

  @Delete('/:id', { summary: 'Delete a task', ...about, status: 204 })
  async delete(@Param('id', { schema: Id }) id: number) {
    if (!(await this.tasks.delete(id))) notFound(id);
  }
}

function notFound(id: number): never {
  throw new NotFoundError(`There is no task ${id}.`);
}
