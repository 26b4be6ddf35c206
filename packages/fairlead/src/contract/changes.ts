import type { Document } from '../client/index.js';
import { SchemaComparison } from './schemas/comparison.js';
import type { Direction, Severity } from './schemas/findings.js';
import type { Part } from './schemas/part.js';

/** A difference between two documents. */
export interface Change {
  readonly severity: Severity;
  /** Method and path, such as `POST /users`, the name of a webhook, or `all operations`. */
  readonly operation: string;
  /** Who sends what has changed; undefined for what both need to know. */
  readonly direction?: Direction;
  /** Such as `request body`, `query parameter "page"` or `response 200`; empty for the operation itself. */
  readonly place: string;
  /** Such as `address.city`; undefined for the place itself. */
  readonly member?: string;
  /** A sentence without its subject. */
  readonly message: string;
}

/** A part of an operation, whose changes are being collected. */
export interface Place {
  readonly operation: string;
  readonly direction?: Direction;
  readonly place: string;
}

/** A part that one side sends. */
export interface SentPlace extends Place {
  readonly direction: Direction;
}

/** What the comparisons of two documents share. */
export class Comparison {
  readonly changes: Change[] = [];
  readonly #schemas: Readonly<Record<Direction, SchemaComparison>>;
  readonly #texts: Readonly<Record<Direction, SchemaComparison>>;

  /** @param today - Decides whether a sunset has passed. Such as `2026-07-31`. */
  constructor(
    readonly before: Document,
    readonly after: Document,
    readonly today: string,
  ) {
    const create = (isText: boolean) => ({
      request: new SchemaComparison(before, 'request', isText),
      response: new SchemaComparison(before, 'response', isText),
    });
    [this.#schemas, this.#texts] = [create(false), create(true)];
  }

  add(severity: Severity, place: Place, message: string): void {
    this.changes.push({ severity, ...place, message });
  }

  /** Returns what compares the schemas of one direction. */
  schemas(direction: Direction): SchemaComparison {
    return this.#schemas[direction];
  }

  /**
   * Compares two schemas, and adds their changes.
   *
   * @param isText - Whether numbers and booleans are sent as texts.
   * @param wasPresent - Whether the sender never left the value out.
   */
  addSchemas(
    before: Part,
    after: Part,
    place: SentPlace,
    isText = false,
    wasPresent = false,
  ): void {
    const schemas = (isText ? this.#texts : this.#schemas)[place.direction];
    for (const { member, ...change } of schemas.compare(before, after, wasPresent)) {
      this.changes.push({ ...place, ...(member !== '' && { member }), ...change });
    }
  }
}
