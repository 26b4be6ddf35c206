import type { NewTask, Task, TaskChanges } from './schemas.ts';

/** The tasks, in memory. */
export class Tasks {
  static readonly inject = [] as const;

  readonly #tasks = new Map<number, Task>();
  #lastId = 0;

  list(offset: number, limit: number): Task[] {
    return [...this.#tasks.values()].slice(offset, offset + limit);
  }

  find(id: number): Task | undefined {
    return this.#tasks.get(id);
  }

  create({ title }: NewTask): Task {
    this.#lastId += 1;
    const task = { id: this.#lastId, title, done: false, createdAt: new Date().toISOString() };
    this.#tasks.set(task.id, task);
    return task;
  }

  update(id: number, changes: TaskChanges): Task | undefined {
    const task = this.#tasks.get(id);
    if (task === undefined) return undefined;
    const changed = { ...task, ...changes };
    this.#tasks.set(id, changed);
    return changed;
  }

  /** Returns whether the task existed. */
  delete(id: number): boolean {
    return this.#tasks.delete(id);
  }
}
