import type { Span } from './span.js';
import { Violation } from './violation.js';

/** A request to delete. `unknown` was not answered, and may have been done until its `end`. */
export interface Deletion {
  readonly start: number;
  end: number;
  outcome: 'in flight' | 'done' | 'not found' | 'unknown' | 'not done';
}

const POSSIBLE: ReadonlySet<Deletion['outcome']> = new Set(['in flight', 'done', 'unknown']);

/** Whether one user exists: created once, deleted once. */
export class Presence {
  readonly createStart: number;
  /** From when on the user is known to have been created. */
  #createdBy = Number.POSITIVE_INFINITY;
  /** From when on the user is known to have been deleted. */
  #goneBy = Number.POSITIVE_INFINITY;
  readonly #deletions: Deletion[] = [];

  constructor(createStart: number) {
    this.createStart = createStart;
  }

  get createdBy(): number {
    return this.#createdBy;
  }

  get goneBy(): number {
    return this.#goneBy;
  }

  /** Whether the user exists during the whole of a span. */
  surelyDuring(span: Span): boolean {
    return this.#createdBy < span.start && !this.#mayBeGoneBy(span.end);
  }

  /** Whether the user may exist at a moment of a span. */
  maybeDuring(span: Span): boolean {
    return this.createStart < span.end && this.#goneBy >= span.start;
  }

  /** @throws {Violation} When the user was gone before the request began. */
  seePresent(span: Span): void {
    if (this.#goneBy < span.start) {
      throw new Violation(`it is shown, and was gone by ${this.#goneBy}`);
    }
    this.#createdBy = Math.min(this.#createdBy, span.end);
    for (const deletion of this.#deletions) {
      if (deletion.outcome === 'unknown' && deletion.end < span.start)
        deletion.outcome = 'not done';
    }
  }

  /** @throws {Violation} When the user exists and nobody can have deleted it. */
  seeAbsent(span: Span): void {
    if (this.#createdBy >= span.start) return;
    if (!this.#mayBeGoneBy(span.end)) {
      throw new Violation('it is missing, and nobody can have deleted it');
    }
    this.#goneBy = Math.min(this.#goneBy, span.end);
  }

  /** A deletion is about to be sent. */
  beginDeletion(start: number): Deletion {
    const deletion: Deletion = { start, end: Number.POSITIVE_INFINITY, outcome: 'in flight' };
    this.#deletions.push(deletion);
    return deletion;
  }

  /**
   * A deletion was answered with success.
   *
   * @throws {Violation} When the user had been gone, or another deletion succeeded as well.
   */
  deleted(deletion: Deletion, span: Span): void {
    if (this.#deletions.some(({ outcome }) => outcome === 'done')) {
      throw new Violation('two deletions succeeded');
    }
    if (this.#goneBy < span.start) {
      throw new Violation(`a deletion succeeded, and it was gone by ${this.#goneBy}`);
    }
    deletion.outcome = 'done';
    deletion.end = span.end;
    this.#goneBy = Math.min(this.#goneBy, span.end);
  }

  /**
   * A deletion was not done: the user was not found, or the request never left.
   *
   * @throws {Violation} When the user is gone and no deletion can have removed it.
   */
  notDeleted(deletion: Deletion, outcome: 'not found' | 'not done', span: Span): void {
    deletion.outcome = outcome;
    deletion.end = span.end;
    if (outcome === 'not found') this.seeAbsent(span);
    if (this.#goneBy < Number.POSITIVE_INFINITY && !this.#mayBeGoneBy(span.end)) {
      throw new Violation('it is gone, and no deletion succeeded');
    }
  }

  #mayBeGoneBy(end: number): boolean {
    return this.#deletions.some(({ start, outcome }) => start < end && POSSIBLE.has(outcome));
  }
}
