import type { Document } from '../../client/index.js';
import { describeAnnotations } from './annotations.js';
import { describeArrays } from './arrays.js';
import { type Case, isScalar, TYPES, type Type } from './case.js';
import { resolve } from './equality.js';
import {
  type Direction,
  type Doubt,
  type Finding,
  Findings,
  type Severity,
  type Walk,
} from './findings.js';
import { describeObjects } from './objects.js';
import { describeOpaque } from './opaque.js';
import type { Part } from './part.js';
import { Prover } from './prover.js';
import { describeFormats, describeNumbers, describeTexts, describeValues } from './scalars.js';
import { describeCase, describeTypes, optionOf, tagOf } from './words.js';

/** A difference between two schemas. */
export interface SchemaChange {
  readonly severity: Severity;
  /** The member, such as `address.city` or `tags[]`; empty for the value itself. */
  readonly member: string;
  /** A sentence without its subject. */
  readonly message: string;
}

const SEVERITIES = ['safe', 'maybe', 'breaking'] as const;

/** How many schemas, each within the one before, it describes. */
const MAX_DEPTH = 40;

/** The most changes of one schema that are worth reading. */
const MAX_CHANGES = 200;

/** How many schemas within one schema it describes. */
const MAX_VISITS = 5_000;

/** Keywords that are compared as a whole, each with those that belong to it. */
const OPAQUE: readonly (readonly [keyword: string, ...others: string[]])[] = [
  ['not'],
  ['if', 'then', 'else'],
  ['unevaluatedProperties'],
  ['unevaluatedItems'],
  ['contentSchema'],
];

/** Returns as many findings as are worth reading. */
function mostSevere(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => other.doubt - one.doubt).slice(0, MAX_CHANGES);
}

/** Makes the changes safe that matter only if a value is absent, if it never was. */
function settle(
  findings: readonly Finding[],
  member: string,
  wasPresent: boolean,
): readonly Finding[] {
  for (const one of findings) {
    if (wasPresent && one.isOfAbsent && one.member === member) one.doubt = 0;
  }
  return findings;
}

/** Follows references that stand alone. */
function follow(part: Part): Part {
  return resolve(part) ?? part;
}

/** Returns the alternatives without null. */
function besideNull(cases: readonly Case[]): readonly Case[] {
  return cases.map(withoutNull).filter((one) => !one.isEmpty);
}

/** An alternative before and after. */
interface Pair {
  readonly old: Case;
  readonly now: Case;
  /** Whether the same values are valid. */
  readonly isEqual: boolean;
}

interface Matches {
  readonly pairs: readonly Pair[];
  readonly gone: readonly Case[];
  readonly added: readonly Case[];
}

/** Finds the differences between schemas of two documents. */
export class SchemaComparison {
  readonly #prover: Prover;
  readonly #findings: Findings;
  readonly #walk: Walk;
  readonly #visiting = new Set<string>();
  #visits = 0;

  /**
   * @param before - The old document, for schemas that are made.
   * @param direction - Who sends the values.
   * @param isText - Whether numbers and booleans are sent as texts, as in a query.
   */
  constructor(before: Document, direction: Direction, isText = false) {
    const isRequest = direction === 'request';
    this.#prover = new Prover(before, isRequest ? 'readOnly' : 'writeOnly', isText);
    this.#findings = new Findings(isRequest);
    this.#walk = {
      findings: this.#findings,
      prover: this.#prover,
      recurse: (old, now, member, wasPresent = false) =>
        this.#findings.push(settle(this.#compare(old, now, member), member, wasPresent)),
    };
  }

  /**
   * Lists the changes from one schema to another. If all are safe, the values of the sender fit the receiver.
   *
   * @param wasPresent - Whether the sender never left the value out.
   */
  compare(before: Part, after: Part, wasPresent = false): readonly SchemaChange[] {
    this.#prover.restart();
    this.#visits = 0;
    const findings = settle(this.#compare([before], [after], ''), '', wasPresent);
    return findings.map(({ doubt, member, message }) => ({
      severity: SEVERITIES[doubt] ?? 'safe',
      member,
      message,
    }));
  }

  /** Lists the alternatives of a schema. */
  casesOf(part: Part): readonly Case[] {
    return this.casesOfAll([part]);
  }

  /** Lists the alternatives of several schemas, all of which a value meets. */
  casesOfAll(parts: readonly Part[]): readonly Case[] {
    return this.#prover.casesOf(parts);
  }

  #compare(olds: readonly Part[], news: readonly Part[], member: string): readonly Finding[] {
    const [before, after] = [olds.map(follow), news.map(follow)];
    const { equality } = this.#prover;
    const [one] = before;
    const [other] = after;
    if (before.length === 1 && after.length === 1 && one && other && equality.holds(one, other))
      return [];
    const key = `${before.map(({ id }) => id).join()} ${after.map(({ id }) => id).join()}`;
    this.#visits += 1;
    const isTooMuch = this.#visiting.size > MAX_DEPTH || this.#visits > MAX_VISITS;
    if (this.#visiting.has(key) || isTooMuch) return [];
    this.#visiting.add(key);
    const isNarrow = this.#prover.allWithin(before, after);
    const isWide = this.#prover.allWithin(after, before);
    const isHarmless = this.#findings.isRequest ? isNarrow : isWide;
    const found = this.#findings.collect(() => this.#describe(before, after, member));
    this.#visiting.delete(key);
    const kept = isNarrow && isWide ? found.filter(({ isMeaning }) => isMeaning) : found;
    if (isHarmless) {
      for (const finding of kept) if (!finding.isMeaning) finding.doubt = 0;
    } else {
      if (kept.every(({ doubt }) => doubt === 0)) {
        const message = 'has changed in a way that cannot be compared';
        kept.push({ doubt: 1, member, message, isMeaning: false });
      }
      this.#raise(kept, this.#findings.isRequest ? [before, after] : [after, before]);
    }
    return kept.length > MAX_CHANGES ? mostSevere(kept) : kept;
  }

  /** Makes sure of what is doubtful, if a value without members shows that the receiver refuses some. */
  #raise(
    findings: readonly Finding[],
    [sent, received]: readonly [sent: readonly Part[], received: readonly Part[]],
  ): void {
    const doubtful = findings.filter(({ doubt, isMeaning }) => doubt === 1 && !isMeaning);
    if (doubtful.length === 0 || findings.some(({ doubt }) => doubt === 2)) return;
    const cases = this.#prover.casesOf(sent);
    // Otherwise, the value may be refused because of another member.
    const hasMembers = cases.some(({ types }) => types.has('object') || types.has('array'));
    if (hasMembers && findings.length > 1) return;
    if (!cases.some((one) => this.#prover.refutes(one, received))) return;
    for (const finding of doubtful) finding.doubt = 2;
  }

  #describe(before: readonly Part[], after: readonly Part[], member: string): void {
    const all = [this.#prover.casesOf(before), this.#prover.casesOf(after)] as const;
    const [olds, news] = all;
    describeAnnotations(this.#walk, before, after, member);
    if (olds.length === 0 || news.length === 0) {
      if (news.length > 0) this.#findings.add(member, 'can have a value now', 0, 2);
      if (olds.length > 0) this.#findings.add(member, 'can have no value anymore', 2, 0);
      return;
    }
    const [wasNull, isNull] = all.map((cases) => cases.some(({ types }) => types.has('null')));
    const [some, others] = [besideNull(olds), besideNull(news)];
    if (some.length > 0 && others.length > 0) {
      const isAny = (cases: readonly Case[]) =>
        cases.some(({ types }) => types.size === TYPES.length);
      // Otherwise the types tell it.
      if (isAny(olds) === isAny(news)) {
        if (isNull && !wasNull) this.#findings.add(member, 'can be null now', 0, 2);
        if (wasNull && !isNull) this.#findings.add(member, 'cannot be null anymore', 2, 0);
      }
      this.#describeCases(some, others, after, before, member);
    } else this.#describeCases(olds, news, after, before, member);
  }

  #describeCases(
    olds: readonly Case[],
    news: readonly Case[],
    after: readonly Part[],
    before: readonly Part[],
    member: string,
  ): void {
    const [old] = olds;
    const [now] = news;
    if (olds.length === 1 && news.length === 1 && old && now) {
      this.#describeCase(old, now, member);
      return;
    }
    const { pairs, gone, added } = this.#match(olds, news);
    const { isRequest } = this.#findings;
    const receivers = isRequest ? after : before;
    const receiving = isRequest ? news : olds;
    /** How sure it is that values of a case are refused, although other cases may accept them. */
    const doubtOf = (one: Case, partner?: Case): Doubt => {
      if (receivers.every((part) => this.#prover.proves(one, part))) return 0;
      const others = receiving.filter((other) => other !== partner);
      const isRefused =
        others.every((other) => this.#prover.areDisjoint(one, other)) ||
        this.#prover.refutes(one, receivers);
      return isRefused ? 2 : 1;
    };
    for (const { old: was, now: is, isEqual } of pairs) {
      const found = this.#findings.collect(() =>
        this.#describeCase(was, is, `${member}${optionOf(is, was)}`),
      );
      const most = isRequest ? doubtOf(was, is) : doubtOf(is, was);
      for (const finding of found) {
        if (!finding.isMeaning && finding.doubt > most) finding.doubt = most;
      }
      this.#findings.push(isEqual ? found.filter(({ isMeaning }) => isMeaning) : found);
    }
    // What other alternatives include has only been written in another way.
    const isNew = (one: Case, parts: readonly Part[]) =>
      !parts.every((part) => this.#prover.proves(one, part));
    for (const one of gone.filter((each) => isNew(each, after))) {
      const doubt = isRequest ? doubtOf(one) : 0;
      this.#findings.add(member, `is not ${describeCase(one)} anymore`, doubt, 0);
    }
    for (const one of added.filter((each) => isNew(each, before))) {
      const doubt = isRequest ? 0 : doubtOf(one);
      this.#findings.add(member, `can be ${describeCase(one)} now`, 0, doubt);
    }
  }

  /** Finds out which alternative has become which. */
  #match(olds: readonly Case[], news: readonly Case[]): Matches {
    const gone = [...olds];
    const added = [...news];
    const pairs: Pair[] = [];
    const take = (fits: (old: Case, now: Case) => boolean): void => {
      for (const old of [...gone]) {
        const now = added.find((one) => fits(old, one));
        if (now === undefined) continue;
        gone.splice(gone.indexOf(old), 1);
        added.splice(added.indexOf(now), 1);
        pairs.push({ old, now, isEqual: within(old, now) && within(now, old) });
      }
    };
    const within = (one: Case, other: Case) => this.#prover.allWithin(one.parts, other.parts);
    const isSame = (part: Part, other: Part | undefined) =>
      other !== undefined && this.#prover.equality.holds(part, other);
    take((old, now) => old.label !== undefined && old.label === now.label);
    take((old, now) => {
      const tag = tagOf(old);
      return tag !== undefined && tag === tagOf(now);
    });
    take(
      (old, now) =>
        old.parts.length === now.parts.length &&
        old.parts.every((part, index) => isSame(part, now.parts[index])),
    );
    take((old, now) => within(old, now) && within(now, old));
    take((old, now) => within(old, now) || within(now, old));
    const isAlike = (old: Case, now: Case) =>
      (old.label === undefined) === (now.label === undefined) &&
      [...old.types].join() === [...now.types].join();
    const only = (cases: readonly Case[], one: Case) =>
      cases.filter((other) => isAlike(one, other)).length === 1;
    take((old, now) => isAlike(old, now) && only(gone, now) && only(added, old));
    return { pairs, gone, added };
  }

  /** Compares values without alternatives. */
  #describeCase(old: Case, now: Case, member: string): void {
    const common = [...old.types].filter((type) => now.types.has(type));
    const [was, is] = [old, now].map(({ types }) => describeTypes(types));
    // A number that is sent as text may fit.
    const isSpelled = common.length === 0 && this.#prover.isText && now.types.has('string');
    const found = this.#findings.collect(() =>
      this.#describeKeywords(old, now, isSpelled ? ['string'] : common, member),
    );
    const isExplained = isSpelled && found.some(({ doubt }) => doubt > 0);
    if (was !== is) {
      const [narrower, wider] = [this.#lacks(now, old), this.#lacks(old, now)];
      const doubt = (one: Doubt): Doubt => (isExplained && one === 1 ? 0 : one);
      this.#findings.add(member, `is ${is} now, was ${was}`, doubt(narrower), doubt(wider));
    }
    this.#findings.push(found);
  }

  /** @param common - The types that both have. */
  #describeKeywords(old: Case, now: Case, common: readonly Type[], member: string): void {
    if (common.length === 0) return;
    if (describeValues(this.#walk, old, now, member)) return;
    const has = (...types: readonly Type[]) => types.some((type) => common.includes(type));
    if (has('integer', 'fraction')) describeNumbers(this.#walk, old, now, member);
    if (has('string')) describeTexts(this.#walk, old, now, member);
    if (has('string', 'integer', 'fraction')) describeFormats(this.#walk, old, now, member);
    if (has('array')) describeArrays(this.#walk, old, now, member);
    if (has('object')) describeObjects(this.#walk, old, now, member);
    for (const keywords of OPAQUE) describeOpaque(this.#walk, old, now, keywords, member);
  }

  /** Returns whether a case lacks types of another one. */
  #lacks(one: Case, { types }: Case): Doubt {
    const lost = [...types].filter((type) => !one.types.has(type));
    if (lost.length === 0) return 0;
    const isText = this.#prover.isText && one.types.has('string') && lost.every(isScalar);
    return isText ? 1 : 2;
  }
}

function withoutNull(one: Case): Case {
  if (!one.types.has('null')) return one;
  const { values } = one;
  if (values !== undefined) return one.and({ enum: values.filter((value) => value !== null) });
  return one.and({ type: ['boolean', 'number', 'string', 'array', 'object'] });
}
