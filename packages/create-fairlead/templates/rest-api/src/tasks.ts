import { Inject, Service, token } from '@fairlead/di';
import { openSqlite } from '@fairlead/store';
import { z } from 'zod';

export const Task = z
  .object({ id: z.int(), title: z.string(), done: z.boolean(), createdAt: z.iso.datetime() })
  .meta({ id: 'Task' });
export const NewTask = z
  .object({ title: z.string().trim().min(1).max(200) })
  .meta({ id: 'NewTask' });
export const TaskChanges = NewTask.extend({ done: z.boolean() })
  .partial()
  .meta({ id: 'TaskChanges' });

export type Task = z.infer<typeof Task>;
export type NewTask = z.infer<typeof NewTask>;
export type TaskChanges = z.infer<typeof TaskChanges>;

export type Database = Pick<ReturnType<typeof openDatabase>, 'read' | 'write' | 'check'>;
export const DATABASE = token<Database>('Database');

const COLUMNS = 'id, title, done, created_at AS createdAt';

/** The tasks in an SQLite file. */
@Service()
export class Tasks {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  list(offset: number, limit: number): Task[] {
    return this.database.read(({ list }) => list.all(limit, offset)).map(toTask);
  }

  find(id: number): Task | undefined {
    const row = this.database.read(({ find }) => find.get(id));
    return row && toTask(row);
  }

  async create({ title }: NewTask): Promise<Task> {
    return toTask(await this.database.write('create', title, new Date().toISOString()));
  }

  async update(id: number, { title, done }: TaskChanges): Promise<Task | undefined> {
    const isDone = done === undefined ? null : Number(done);
    const row = await this.database.write('update', title ?? null, isDone, id);
    return row && toTask(row);
  }

  /** Returns whether the task existed. */
  async delete(id: number): Promise<boolean> {
    return (await this.database.write('delete', id)) !== undefined;
  }
}

export function openDatabase(path: string) {
  return openSqlite(path, {
    program: 'tasks',
    setting: 'DATABASE_PATH',
    applicationId: 0x7461736b, // "task" in ASCII
    // To change the schema, append a migration. Never edit one that you have released.
    migrations: [
      `CREATE TABLE tasks (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         title TEXT NOT NULL,
         done INTEGER NOT NULL DEFAULT 0,
         created_at TEXT NOT NULL
       ) STRICT`,
    ],
    statements: {
      create: `INSERT INTO tasks (title, created_at) VALUES (?, ?) RETURNING ${COLUMNS}`,
      update: `UPDATE tasks SET title = coalesce(?, title), done = coalesce(?, done)
               WHERE id = ? RETURNING ${COLUMNS}`,
      delete: 'DELETE FROM tasks WHERE id = ? RETURNING id',
    },
    prepare: (database) => ({
      list: database.prepare(`SELECT ${COLUMNS} FROM tasks ORDER BY id LIMIT ? OFFSET ?`),
      find: database.prepare(`SELECT ${COLUMNS} FROM tasks WHERE id = ?`),
    }),
  });
}

/** Converts a row. SQLite stores booleans as numbers. */
function toTask(row: object | undefined): Task {
  const task = Object(row);
  return Task.parse({ ...task, done: task.done === 1 });
}
