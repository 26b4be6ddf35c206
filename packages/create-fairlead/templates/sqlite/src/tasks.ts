// #if compiled
import { Inject, Service } from '@fairlead/di';
// #endif
import { DATABASE, type Database } from './database.js';
import { type NewTask, Task, type TaskChanges } from './schemas.js';

/** The tasks in an SQLite file. */
// #if compiled
@Service()
// #endif
export class Tasks {
  // #if compiled
  constructor(@Inject(DATABASE) private readonly database: Database) {}
  // #endif
  // #if stripped
  static readonly inject = [DATABASE] as const;

  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }
  // #endif

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
