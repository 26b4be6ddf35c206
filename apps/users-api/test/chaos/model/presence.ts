import type { Span } from './span.js';
import { Violation } from './violation.js';

/** A request to delete. With the outcome `unknown` it may have taken effect until its `end`. */
export interface Deletion {
  readonly start: number;
  end: number;
  outcome: 'in flight' | 'done' | 'not found' | 'unknown' | 'not done';
}

const POSSIBLE: ReadonlySet<Deletion['outcome']> = new Set(['in flight', 'done', 'unknown']);

/** Tracks whether a user exists. A user is created once and deleted at most once. */
export class Presence {
  readonly createStart: number;
  /** The moment from which the user is known to exist. */
  #createdBy = Number.POSITIVE_INFINITY;
  /** The moment from which the user is known to be deleted. */
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

  /** Whether the user certainly exists during the whole span. */
  surelyDuring(span: Span): boolean {
    return this.#createdBy < span.start && !this.#mayBeGoneBy(span.end);
  }

  /** Whether the user may exist at some moment of the span. */
  maybeDuring(span: Span): boolean {
    return this.createStart < span.end && this.#goneBy >= span.start;
  }

  /**
   * Records a request that showed the user.
   *
   * @throws {Violation} When the user was gone before the request began.
   */
  seePresent(span: Span): void {
    if (this.#goneBy < span.start) {
      throw new Violation(`it appears although it was gone by ${this.#goneBy}`);
    }
    this.#createdBy = Math.min(this.#createdBy, span.end);
    for (const deletion of this.#deletions) {
      if (deletion.outcome === 'unknown' && deletion.end < span.start)
        deletion.outcome = 'not done';
    }
  }

  /**
   * Records a request that did not find the user.
   *
   * @throws {Violation} When the user exists and no request can have deleted it.
   */
  seeAbsent(span: Span): void {
    if (this.#createdBy >= span.start) return;
    if (!this.#mayBeGoneBy(span.end)) {
      throw new Violation('it is missing although no request can have deleted it');
    }
    this.#goneBy = Math.min(this.#goneBy, span.end);
  }

  /** Records a deletion that the client is about to send. */
  beginDeletion(start: number): Deletion {
    const deletion: Deletion = { start, end: Number.POSITIVE_INFINITY, outcome: 'in flight' };
    this.#deletions.push(deletion);
    return deletion;
  }

  /**
   * Records a successful deletion.
   *
   * @throws {Violation} When the user was already gone, or another deletion succeeded too.
   */
  deleted(deletion: Deletion, span: Span): void {
    if (this.#deletions.some(({ outcome }) => outcome === 'done')) {
      throw new Violation('two deletions succeeded');
    }
    if (this.#goneBy < span.start) {
      throw new Violation(`a deletion succeeded although it was gone by ${this.#goneBy}`);
    }
    deletion.outcome = 'done';
    deletion.end = span.end;
    this.#goneBy = Math.min(this.#goneBy, span.end);
  }

  /**
   * Records a deletion without effect: the user was not found, or the request failed.
   *
   * @throws {Violation} When the user is gone although no deletion can have removed it.
   */
  notDeleted(deletion: Deletion, outcome: 'not found' | 'not done', span: Span): void {
    deletion.outcome = outcome;
    deletion.end = span.end;
    if (outcome === 'not found') this.seeAbsent(span);
    if (this.#goneBy < Number.POSITIVE_INFINITY && !this.#mayBeGoneBy(span.end)) {
      throw new Violation('it is gone although no deletion succeeded');
    }
  }

  #mayBeGoneBy(end: number): boolean {
    return this.#deletions.some(({ start, outcome }) => start < end && POSSIBLE.has(outcome));
  }
}
