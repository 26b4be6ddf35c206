import { NotFoundError } from '@fairlead/core';
import { z } from 'zod';

export const NewNote = z.object({ text: z.string().trim().min(1).max(1_000) });
export const Note = NewNote.extend({ id: z.int(), createdAt: z.iso.datetime() });

export type NewNote = z.infer<typeof NewNote>;
export type Note = z.infer<typeof Note>;

/** The current time, which tests replace. */
export class Clock {
  static readonly inject = [] as const;

  now(): Date {
    return new Date();
  }
}

/** The notes, in memory. */
export class Notes {
  static readonly inject = [Clock] as const;

  readonly #clock: Clock;
  readonly #notes = new Map<number, Note>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  list(): Note[] {
    return [...this.#notes.values()];
  }

  find(id: number): Note {
    return this.#notes.get(id) ?? notFound(id);
  }

  create({ text }: NewNote): Note {
    this.#lastId += 1;
    const note = { id: this.#lastId, text, createdAt: this.#clock.now().toISOString() };
    this.#notes.set(note.id, note);
    return note;
  }

  delete(id: number): void {
    if (!this.#notes.delete(id)) notFound(id);
  }
}

function notFound(id: number): never {
  throw new NotFoundError(`There is no note ${id}.`);
}
