import type { Document } from '../client/index.js';
import { type Direction, SchemaComparison, type Severity } from './schemas/changes.js';
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

/** What the comparisons of two documents share. */
export class Comparison {
  readonly changes: Change[] = [];
  readonly #schemas: Readonly<Record<Direction, SchemaComparison>>;

  /** @param today - Decides whether a sunset has passed. Such as `2026-07-31`. */
  constructor(
    readonly before: Document,
    readonly after: Document,
    readonly today: string,
  ) {
    this.#schemas = {
      request: new SchemaComparison(before, 'request'),
      response: new SchemaComparison(before, 'response'),
    };
  }

  add(severity: Severity, place: Place, message: string): void {
    this.changes.push({ severity, ...place, message });
  }

  /** Returns what compares the schemas of one direction. */
  schemas(direction: Direction): SchemaComparison {
    return this.#schemas[direction];
  }

  /** Compares two schemas, and adds their changes. */
  addSchemas(before: Part, after: Part, place: Place & { readonly direction: Direction }): void {
    for (const { member, ...change } of this.schemas(place.direction).compare(before, after)) {
      this.changes.push({ ...place, ...(member !== '' && { member }), ...change });
    }
  }
}

/** Returns the less severe of two. */
export function atMost(severity: Severity, most: Severity): Severity {
  const order: readonly Severity[] = ['safe', 'maybe', 'breaking'];
  return order.indexOf(severity) > order.indexOf(most) ? most : severity;
}
