import { Inject, Service } from '@fairlead/di';
import { z } from 'zod';
import { DATABASE, type Database } from './database.js';

export const Task = z
  .object({ id: z.int(), title: z.string(), done: z.boolean(), createdAt: z.iso.datetime() })
  .meta({ id: 'Task' });
const Title = z.string().trim().min(1).max(200);
export const NewTask = z.object({ title: Title }).meta({ id: 'NewTask' });
export const TaskChanges = NewTask.extend({ done: z.boolean() })
  .partial()
  .meta({ id: 'TaskChanges' });

export type Task = z.infer<typeof Task>;
export type NewTask = z.infer<typeof NewTask>;
export type TaskChanges = z.infer<typeof TaskChanges>;

/** The tasks in an SQLite file. */
@Service()
export class Tasks {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  list(offset: number, limit: number): Task[] {
    return this.database.read(({ listTasks }) => listTasks.all(limit, offset)).map(toTask);
  }

  find(id: number): Task | undefined {
    const row = this.database.read(({ findTask }) => findTask.get(id));
    return row && toTask(row);
  }

  async create({ title }: NewTask): Promise<Task> {
    return toTask(await this.database.write('createTask', title, new Date().toISOString()));
  }

  async update(id: number, { title, done }: TaskChanges): Promise<Task | undefined> {
    const isDone = done === undefined ? null : Number(done);
    const row = await this.database.write('updateTask', title ?? null, isDone, id);
    return row && toTask(row);
  }

  /** Returns whether the task existed. */
  async delete(id: number): Promise<boolean> {
    return (await this.database.write('deleteTask', id)) !== undefined;
  }
}

/** Converts a row. SQLite stores booleans as numbers. */
function toTask(row: object | undefined): Task {
  return Task.parse({ ...row, done: Object(row).done === 1 });
}
