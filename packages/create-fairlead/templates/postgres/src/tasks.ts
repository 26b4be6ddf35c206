// #if compiled
import { Inject, Service } from '@fairlead/di';
// #endif
import { DATABASE, type Database, type Query } from './database.js';
// #if jobs
import { JOBS, type Jobs } from './jobs.js';
// #endif
import type { NewTask, Task, TaskChanges } from './schemas.js';

interface Row extends Omit<Task, 'createdAt'> {
  readonly createdAt: Date;
}

const COLUMNS = 'id, title, done, created_at AS "createdAt"';

/** The tasks in PostgreSQL. Each change and its event are stored together, or not at all. */
// #if compiled
@Service()
// #endif
export class Tasks {
  // #if compiled !jobs
  constructor(@Inject(DATABASE) private readonly database: Database) {}
  // #endif
  // #if compiled jobs
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}
  // #endif
  // #if stripped !jobs
  static readonly inject = [DATABASE] as const;
  // #endif
  // biome-ignore lint/suspicious/noDuplicateClassMembers: One of two remains. #if stripped jobs
  static readonly inject = [DATABASE, JOBS] as const;
  // #endif
  // #if stripped

  private readonly database: Database;
  // #endif
  // #if stripped jobs
  private readonly jobs: Jobs;
  // #endif
  // #if stripped !jobs

  constructor(database: Database) {
    this.database = database;
  }
  // #endif
  // #if stripped jobs

  constructor(database: Database, jobs: Jobs) {
    this.database = database;
    this.jobs = jobs;
  }
  // #endif

  async list(offset: number, limit: number): Promise<Task[]> {
    const text = `SELECT ${COLUMNS} FROM tasks ORDER BY id LIMIT $1 OFFSET $2`;
    return (await this.database.query<Row>(text, [limit, offset])).map(toTask);
  }

  async find(id: number): Promise<Task | undefined> {
    const text = `SELECT ${COLUMNS} FROM tasks WHERE id = $1`;
    const [task] = (await this.database.query<Row>(text, [id])).map(toTask);
    return task;
  }

  async create({ title }: NewTask): Promise<Task> {
    const text = `INSERT INTO tasks (title) VALUES ($1) RETURNING ${COLUMNS}`;
    const task = await this.#change('created', text, [title]);
    if (task === undefined) throw new Error('The task was not inserted.');
    return task;
  }

  async update(id: number, { title, done }: TaskChanges): Promise<Task | undefined> {
    const text = `UPDATE tasks SET title = coalesce($2, title), done = coalesce($3, done)
                  WHERE id = $1 RETURNING ${COLUMNS}`;
    return this.#change('updated', text, [id, title, done]);
  }

  /** Returns whether the task existed. */
  async delete(id: number): Promise<boolean> {
    const text = `DELETE FROM tasks WHERE id = $1 RETURNING ${COLUMNS}`;
    return (await this.#change('deleted', text, [id])) !== undefined;
  }

  /** Changes a task and records the event, in one transaction. */
  #change(kind: string, text: string, values: readonly unknown[]): Promise<Task | undefined> {
    return this.database.transaction(async (query: Query) => {
      const [task] = (await query<Row>(text, values)).map(toTask);
      if (task === undefined) return undefined;
      await query('INSERT INTO task_events (task_id, kind) VALUES ($1, $2)', [task.id, kind]);
      // #if jobs
      // The job exists if and only if the transaction commits.
      if (kind === 'created') await this.jobs.taskCreated.enqueue(task);
      // #endif
      return task;
    });
  }
}

function toTask(row: Row): Task {
  return { ...row, createdAt: row.createdAt.toISOString() };
}
