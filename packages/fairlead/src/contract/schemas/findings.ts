import type { Part } from './part.js';
import type { Prover } from './prover.js';

/** Which side sends the values: clients send those of requests, and receive those of responses. */
export type Direction = 'request' | 'response';

/** Whether a change can break a client that followed the old document. `maybe` if the document does not tell. */
export type Severity = 'breaking' | 'maybe' | 'safe';

/** Whether there are values of one side that the other side does not have: no, maybe, or yes. */
export type Doubt = 0 | 1 | 2;

/** A difference between two schemas. */
export interface Finding {
  doubt: Doubt;
  /** Such as `address.city`. */
  readonly member: string;
  readonly message: string;
  /** Whether it is about more than which values are valid. */
  readonly isMeaning: boolean;
  /** Whether it is about a value that is absent. */
  readonly isOfAbsent?: true;
}

/** Collects differences. */
export class Findings {
  #list: Finding[] = [];

  /** @param isRequest - Whether clients send the values. */
  constructor(readonly isRequest: boolean) {}

  /**
   * Records a difference.
   *
   * @param narrower - Whether values may have become invalid.
   * @param wider - Whether values may have become valid.
   */
  add(member: string, message: string, narrower: Doubt, wider: Doubt): void {
    const doubt = this.isRequest ? narrower : wider;
    this.#list.push({ doubt, member, message, isMeaning: false });
  }

  /** Records a difference whose severity does not depend on which values are valid. */
  addMeaning(member: string, message: string, doubt: Doubt): void {
    this.#list.push({ doubt, member, message, isMeaning: true });
  }

  /** Records a difference that matters to those who leave a value out. */
  addOfAbsent(member: string, message: string): void {
    this.#list.push({ doubt: 1, member, message, isMeaning: true, isOfAbsent: true });
  }

  push(findings: readonly Finding[]): void {
    for (const finding of findings) this.#list.push(finding);
  }

  /** Returns what a function records, instead of keeping it. */
  collect(record: () => void): Finding[] {
    const outer = this.#list;
    this.#list = [];
    record();
    const found = this.#list;
    this.#list = outer;
    return found;
  }
}

/** What describes the parts of schemas. */
export interface Walk {
  readonly findings: Findings;
  readonly prover: Prover;
  /**
   * Compares the schemas of a member. A value meets all of its schemas.
   *
   * @param wasPresent - Whether the sender never left it out.
   */
  recurse(
    before: readonly Part[],
    after: readonly Part[],
    member: string,
    wasPresent?: boolean,
  ): void;
}
