import { type Document, isNode, listOf, nodeOf } from '../../client/index.js';
import { type Case, isScalar, isTrivial, type Limit, TYPES, type Type } from './case.js';
import { canonical, type Part, partOf } from './part.js';
import { containsOf, Prover } from './prover.js';

/** Which side sends the values: clients send those of requests, and receive those of responses. */
export type Direction = 'request' | 'response';

/** Whether a change can break a client that followed the old document. `maybe` if the document does not tell. */
export type Severity = 'breaking' | 'maybe' | 'safe';

/** A difference between two schemas. */
export interface SchemaChange {
  readonly severity: Severity;
  /** The member, such as `address.city` or `tags[]`; empty for the value itself. */
  readonly member: string;
  /** A sentence without its subject. */
  readonly message: string;
}

/** How likely it is that there are values of one side that the other side does not have. */
type Doubt = 0 | 1 | 2;

const SEVERITIES = ['safe', 'maybe', 'breaking'] as const;

interface Finding {
  doubt: Doubt;
  readonly member: string;
  readonly message: string;
  /** Whether it is about more than which values are valid. */
  readonly isMeaning: boolean;
}

/** The most changes of one schema that are worth reading. */
const MAX_CHANGES = 200;

/** Keywords that are compared as a whole, each with those that belong to it. */
const OPAQUE: readonly (readonly [keyword: string, ...others: string[]])[] = [
  ['not'],
  ['if', 'then', 'else'],
  ['unevaluatedProperties'],
  ['unevaluatedItems'],
  ['contentSchema'],
];

/** Those about members that a schema may not describe. */
const OF_MEMBERS = [['propertyNames'], ['dependentSchemas']] as const;

/** Finds the differences between schemas of two documents. */
export class SchemaComparison {
  readonly #direction: Direction;
  readonly #prover: Prover;
  readonly #visiting = new Set<string>();
  #findings: Finding[] = [];

  /**
   * @param before - The old document, for schemas that are made.
   * @param direction - Who sends the values.
   * @param isText - Whether numbers and booleans are sent as texts, as in a query.
   */
  constructor(before: Document, direction: Direction, isText = false) {
    this.#direction = direction;
    this.#prover = new Prover(before, direction === 'request' ? 'readOnly' : 'writeOnly', isText);
  }

  /** Lists the changes from one schema to another. If all are safe, the values of the sender fit the receiver. */
  compare(before: Part, after: Part): readonly SchemaChange[] {
    const findings = this.#compare([before], [after], '').slice(0, MAX_CHANGES);
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

  get #isRequest(): boolean {
    return this.#direction === 'request';
  }

  /**
   * Records a difference.
   *
   * @param narrower - Whether values may have become invalid.
   * @param wider - Whether values may have become valid.
   */
  #add(member: string, message: string, narrower: Doubt, wider: Doubt): void {
    const doubt = this.#isRequest ? narrower : wider;
    this.#findings.push({ doubt, member, message, isMeaning: false });
  }

  /** Records a difference whose severity does not depend on which values are valid. */
  #addMeaning(member: string, message: string, doubt: Doubt): void {
    this.#findings.push({ doubt, member, message, isMeaning: true });
  }

  /** Collects what a function records. */
  #collect(record: () => void): Finding[] {
    const outer = this.#findings;
    this.#findings = [];
    record();
    const found = this.#findings;
    this.#findings = outer;
    return found;
  }

  #compare(before: readonly Part[], after: readonly Part[], member: string): readonly Finding[] {
    const { equality } = this.#prover;
    const [one] = before;
    const [other] = after;
    if (before.length === 1 && after.length === 1 && one && other && equality.holds(one, other))
      return [];
    const key = `${before.map(({ id }) => id).join()} ${after.map(({ id }) => id).join()}`;
    if (this.#visiting.has(key) || this.#visiting.size > 40) return [];
    this.#visiting.add(key);
    const isNarrow = this.#prover.allWithin(before, after);
    const isWide = this.#prover.allWithin(after, before);
    const isHarmless = this.#isRequest ? isNarrow : isWide;
    const found = this.#collect(() => this.#describe(before, after, member));
    this.#visiting.delete(key);
    const kept = isNarrow && isWide ? found.filter(({ isMeaning }) => isMeaning) : found;
    if (isHarmless) {
      for (const finding of kept) if (!finding.isMeaning) finding.doubt = 0;
    } else if (!kept.some(({ doubt, isMeaning }) => doubt > 0 && !isMeaning)) {
      const message = 'has changed in a way that cannot be compared';
      kept.push({ doubt: 1, member, message, isMeaning: false });
    }
    return kept;
  }

  #recurse(before: readonly Part[], after: readonly Part[], member: string): void {
    this.#findings.push(...this.#compare(before, after, member));
  }

  #describe(before: readonly Part[], after: readonly Part[], member: string): void {
    const all = [this.#prover.casesOf(before), this.#prover.casesOf(after)] as const;
    const [olds, news] = all;
    this.#describeAnnotations(before, after, member);
    if (olds.length === 0 || news.length === 0) {
      if (news.length > 0) this.#add(member, 'can have a value now', 0, 2);
      if (olds.length > 0) this.#add(member, 'can have no value anymore', 2, 0);
      return;
    }
    const [wasNull, isNull] = all.map((cases) => cases.some(({ types }) => types.has('null')));
    const [some, others] = all.map((cases) => cases.map(withoutNull).filter((one) => !one.isEmpty));
    if (some === undefined || others === undefined) return;
    if (some.length > 0 && others.length > 0) {
      const isAny = (cases: readonly Case[]) =>
        cases.some(({ types }) => types.size === TYPES.length);
      // Otherwise the types tell it.
      if (isAny(olds) === isAny(news)) {
        if (isNull && !wasNull) this.#add(member, 'can be null now', 0, 2);
        if (wasNull && !isNull) this.#add(member, 'cannot be null anymore', 2, 0);
      }
      this.#describeCases(some, others, after, before, member);
    } else this.#describeCases(olds, news, after, before, member);
  }

  /** Describes what schemas tell beside which values are valid. */
  #describeAnnotations(before: readonly Part[], after: readonly Part[], member: string): void {
    const [was, is] = [before, after].map((parts) => annotationsOf(parts));
    if (was === undefined || is === undefined) return;
    if (this.#isRequest && was.default !== is.default) {
      const message =
        is.default === undefined
          ? `has no default anymore, was ${was.default}`
          : `has the default ${is.default} now${was.default === undefined ? '' : `, was ${was.default}`}`;
      this.#addMeaning(member, message, 1);
    }
    if (is.deprecated && !was.deprecated) this.#addMeaning(member, 'is deprecated now', 0);
    if (was.deprecated && !is.deprecated) this.#addMeaning(member, 'is not deprecated anymore', 0);
    if (was.discriminator !== is.discriminator) {
      const isOther = was.discriminator !== undefined && is.discriminator !== undefined;
      const now =
        is.discriminator === undefined ? 'no discriminator anymore' : 'a discriminator now';
      this.#addMeaning(
        member,
        isOther ? 'has another discriminator' : `has ${now}`,
        isOther ? 1 : 0,
      );
    }
    for (const [keyword, noun] of MEANINGS) {
      if (was[keyword] === is[keyword]) continue;
      this.#addMeaning(
        member,
        `has another ${noun}: ${is[keyword] ?? 'none'}, was ${was[keyword] ?? 'none'}`,
        1,
      );
    }
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
    const receivers = this.#isRequest ? after : before;
    const receiving = this.#isRequest ? news : olds;
    /** How sure it is that values of a case are refused, although other cases may accept them. */
    const doubtOf = (one: Case, partner?: Case): Doubt => {
      if (receivers.every((part) => this.#prover.proves(one, part))) return 0;
      const others = receiving.filter((other) => other !== partner);
      return others.every((other) => this.#prover.areDisjoint(one, other)) ? 2 : 1;
    };
    for (const [was, is] of pairs) {
      const found = this.#collect(() =>
        this.#describeCase(was, is, `${member}${optionOf(is, was)}`),
      );
      const most = this.#isRequest ? doubtOf(was, is) : doubtOf(is, was);
      for (const finding of found) {
        if (!finding.isMeaning && finding.doubt > most) finding.doubt = most;
      }
      this.#findings.push(...found);
    }
    for (const one of gone) {
      this.#add(
        member,
        `is not ${describeCase(one)} anymore`,
        this.#isRequest ? doubtOf(one) : 0,
        0,
      );
    }
    for (const one of added) {
      this.#add(member, `can be ${describeCase(one)} now`, 0, this.#isRequest ? 0 : doubtOf(one));
    }
  }

  /** Finds out which alternative has become which. Leaves out equal ones. */
  #match(olds: readonly Case[], news: readonly Case[]) {
    const gone = [...olds];
    const added = [...news];
    const pairs: (readonly [old: Case, now: Case])[] = [];
    const take = (fits: (old: Case, now: Case) => boolean, isEqual = false): void => {
      for (const old of [...gone]) {
        const matching = added.filter((now) => fits(old, now));
        const [now] = matching;
        if (now === undefined) continue;
        gone.splice(gone.indexOf(old), 1);
        added.splice(added.indexOf(now), 1);
        if (!isEqual) pairs.push([old, now]);
      }
    };
    const within = (one: Case, other: Case) => this.#prover.allWithin(one.parts, other.parts);
    take((old, now) => within(old, now) && within(now, old), true);
    take((old, now) => old.label !== undefined && old.label === now.label);
    take((old, now) => {
      const tag = tagOf(old);
      return tag !== undefined && tag === tagOf(now);
    });
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
    if (was !== is) {
      this.#add(member, `is ${is} now, was ${was}`, this.#lacks(now, old), this.#lacks(old, now));
    }
    if (common.length === 0) return;
    if (this.#describeValues(old, now, member)) return;
    const has = (...types: readonly Type[]) => types.some((type) => common.includes(type));
    if (has('integer', 'fraction')) this.#describeNumbers(old, now, member);
    if (has('string')) this.#describeTexts(old, now, member);
    if (has('string', 'integer', 'fraction')) this.#describeFormats(old, now, member);
    if (has('array')) this.#describeArrays(old, now, member);
    if (has('object')) this.#describeObjects(old, now, member);
    for (const keywords of OPAQUE) this.#describeOpaque(old, now, keywords, member);
  }

  /** Returns whether a case lacks types of another one. */
  #lacks(one: Case, { types }: Case): Doubt {
    const lost = [...types].filter((type) => !one.types.has(type));
    if (lost.length === 0) return 0;
    const isText = this.#prover.isText && one.types.has('string') && lost.every(isScalar);
    return isText ? 1 : 2;
  }

  /** Returns whether there is nothing else to compare. */
  #describeValues(old: Case, now: Case, member: string): boolean {
    const [was, is] = [old.values, now.values];
    if (was === undefined && is === undefined) return false;
    if (was === undefined) this.#add(member, `must be ${listValues(is)} now`, 2, 0);
    else if (is === undefined) {
      this.#add(member, `can be any ${describeTypes(now.types)} now, was ${listValues(was)}`, 0, 2);
    } else {
      const [texts, others] = [was, is].map((all) => all.map((value) => canonical(value)));
      const gone = (texts ?? []).filter((text) => others?.includes(text) === false);
      const added = (others ?? []).filter((text) => texts?.includes(text) === false);
      if (gone.length > 0) this.#add(member, `cannot be ${joinOr(gone)} anymore`, 2, 0);
      if (added.length > 0) this.#add(member, `can be ${joinOr(added)} now`, 0, 2);
    }
    return true;
  }

  #describeNumbers(old: Case, now: Case, member: string): void {
    this.#describeLimit('minimum', old.lower, now.lower, 1, member);
    this.#describeLimit('maximum', old.upper, now.upper, -1, member);
    const [was, is] = [old, now].map((one) =>
      one
        .numbers('multipleOf')
        .filter((step) => step !== 1 || one.types.has('fraction'))
        .sort(),
    );
    if (was === undefined || is === undefined || canonical(was) === canonical(is)) return;
    const isWithin = (inner: readonly number[], outer: readonly number[]): Doubt =>
      outer.every((step) => inner.some((one) => one % step === 0)) ? 0 : 2;
    const text =
      is.length === 0
        ? 'need not be a multiple of a number anymore'
        : `must be a multiple of ${is.join(' and ')} now`;
    this.#add(member, text, isWithin(was, is), isWithin(is, was));
  }

  #describeLimit(name: string, was: Limit, is: Limit, sign: 1 | -1, member: string): void {
    if (was.value === is.value && was.isExclusive === is.isExclusive) return;
    const difference = (is.value - was.value) * sign;
    const isTighter = difference > 0 || (is.value === was.value && is.isExclusive);
    const show = ({ value, isExclusive }: Limit) => {
      if (!Number.isFinite(value)) return 'none';
      return isExclusive ? `${value}, excluded` : String(value);
    };
    const text = `has the ${name} ${show(is)} now, was ${show(was)}`;
    const fixed = Number.isFinite(is.value) ? text : `has no ${name} anymore, was ${show(was)}`;
    this.#add(member, fixed, isTighter ? 2 : 0, isTighter ? 0 : 2);
  }

  /** Describes the least or the most of something. */
  #describeCount(noun: string, was: number, is: number, sign: 1 | -1, member: string): void {
    const limit = (value: number): Limit => ({ value, isExclusive: false });
    if (sign === 1 && is === 0) {
      if (was > 0) this.#add(member, `has no ${noun} anymore, was ${was}`, 0, 2);
    } else this.#describeLimit(noun, limit(was), limit(is), sign, member);
  }

  #describeTexts(old: Case, now: Case, member: string): void {
    this.#describeCount(
      'minimum length',
      old.least('minLength'),
      now.least('minLength'),
      1,
      member,
    );
    this.#describeCount('maximum length', old.most('maxLength'), now.most('maxLength'), -1, member);
    const wasFree = [...old.texts('pattern')].every(isTrivial) && old.texts('format').size === 0;
    const [was, is] = [old, now].map(
      (one) => new Set([...one.texts('pattern')].filter((pattern) => !isTrivial(pattern))),
    );
    this.#describeSet('pattern', was ?? new Set(), is ?? new Set(), wasFree ? 2 : 1, member);
  }

  #describeFormats(old: Case, now: Case, member: string): void {
    this.#describeSet('format', old.texts('format'), now.texts('format'), 1, member);
  }

  /** @param added - How sure it is that the first condition of its kind refuses values. */
  #describeSet(
    noun: string,
    was: ReadonlySet<string>,
    is: ReadonlySet<string>,
    added: Doubt,
    member: string,
  ): void {
    const fresh = [...is].filter((text) => !was.has(text));
    const gone = [...was].filter((text) => !is.has(text));
    if (fresh.length === 0 && gone.length === 0) return;
    const text =
      fresh.length === 0
        ? `need not match the ${noun} ${gone.join(' and ')} anymore`
        : `must match the ${noun} ${fresh.join(' and ')} now${gone.length === 0 ? '' : `, was ${gone.join(' and ')}`}`;
    const narrower = fresh.length === 0 ? 0 : gone.length === 0 ? added : 1;
    this.#add(member, text, narrower, gone.length === 0 ? 0 : 1);
  }

  #describeArrays(old: Case, now: Case, member: string): void {
    this.#describeCount(
      'minimum number of items',
      old.least('minItems'),
      now.least('minItems'),
      1,
      member,
    );
    this.#describeCount(
      'maximum number of items',
      old.most('maxItems'),
      now.most('maxItems'),
      -1,
      member,
    );
    const [was, is] = [old, now].map((one) =>
      one.all('uniqueItems').some(([, value]) => value === true),
    );
    if (is && !was) this.#add(member, 'must have different items now', 2, 0);
    if (was && !is) this.#add(member, 'can have equal items now', 0, 2);
    this.#describeContains(old, now, member);
    const length = Math.max(old.length, now.length);
    for (let index = 0; index < length; index += 1) {
      this.#recurse(old.item(index), now.item(index), `${member}[${index}]`);
    }
    this.#recurse(old.item(length), now.item(length), `${member}[]`);
  }

  #describeObjects(old: Case, now: Case, member: string): void {
    this.#describeCount(
      'minimum number of members',
      old.least('minProperties'),
      now.least('minProperties'),
      1,
      member,
    );
    this.#describeCount(
      'maximum number of members',
      old.most('maxProperties'),
      now.most('maxProperties'),
      -1,
      member,
    );
    for (const name of new Set([...old.names, ...now.names])) {
      this.#describeMember(old, now, name, `${member}${member === '' ? '' : '.'}${name}`);
    }
    for (const name of now.required) {
      const isNamed = old.names.has(name) || now.names.has(name);
      if (!isNamed && !old.required.has(name))
        this.#add(`${member}${member === '' ? '' : '.'}${name}`, 'is required now', 2, 0);
    }
    for (const name of old.required) {
      const isNamed = old.names.has(name) || now.names.has(name);
      if (!isNamed && !now.required.has(name))
        this.#add(`${member}${member === '' ? '' : '.'}${name}`, 'is optional now', 0, 2);
    }
    this.#describeOthers(old, now, member);
    this.#describePatterns(old, now, member);
    this.#describeDependencies(old, now, member);
    for (const keywords of OF_MEMBERS) this.#describeOpaque(old, now, keywords, member, true);
  }

  #describeMember(old: Case, now: Case, name: string, member: string): void {
    const isSent = (one: Case) => one.names.has(name) && !one.hides(name);
    const [was, is] = [isSent(old), isSent(now)];
    const { hides } = this.#prover;
    const hidden = hides === 'readOnly' ? 'read-only' : 'write-only';
    if (!was && !is) return;
    if (!was) {
      const isNeeded = now.required.has(name);
      const before = old.hides(name) ? `is not ${hidden} anymore` : 'is new';
      const message = isNeeded && this.#isRequest ? `${before}, and required` : before;
      if (old.hasOthers) this.#recurse(old.member(name) ?? [], now.member(name) ?? [], member);
      if (isNeeded && this.#isRequest) this.#add(member, message, 2, 0);
      else if (old.isClosed && !this.#isRequest) this.#add(member, message, 0, 1);
      else this.#addMeaning(member, message, 0);
      return;
    }
    if (!is) {
      const isHidden = now.hides(name);
      if (now.hasOthers && !isHidden) {
        this.#recurse(old.member(name) ?? [], now.member(name) ?? [], member);
        return;
      }
      const gone = isHidden ? `is ${hidden} now` : 'is gone';
      if (this.#isRequest && now.isClosed && !isHidden) this.#add(member, 'is refused now', 2, 0);
      else if (this.#isRequest)
        this.#addMeaning(member, `${gone}: what clients send may be ignored`, 1);
      else if (old.required.has(name)) this.#add(member, gone, 0, 2);
      else this.#addMeaning(member, gone, 1);
      return;
    }
    const [wasNeeded, isNeeded] = [old.required.has(name), now.required.has(name)];
    if (isNeeded && !wasNeeded) this.#add(member, 'is required now', 2, 0);
    if (wasNeeded && !isNeeded)
      this.#add(member, this.#isRequest ? 'is optional now' : 'may be absent now', 0, 2);
    const [before, after] = [old.member(name), now.member(name)];
    if (before === undefined && after !== undefined)
      this.#add(member, 'can have a value now', 0, 2);
    else if (after === undefined && before !== undefined)
      this.#add(member, 'can have no value anymore', 2, 0);
    else this.#recurse(before ?? [], after ?? [], member);
  }

  /** Describes the members that schemas do not name. */
  #describeOthers(old: Case, now: Case, member: string): void {
    const place = `${member}${member === '' ? '' : '.'}*`;
    if (now.isClosed && !old.isClosed) {
      const message = 'refuses members that it does not describe now';
      if (old.hasOthers || old.others !== undefined) this.#add(member, message, 2, 0);
      else this.#addMeaning(member, message, this.#isRequest ? 1 : 0);
    } else if (old.isClosed && !now.isClosed) {
      const message = 'can have members that it does not describe now';
      if (now.hasOthers || now.others !== undefined) this.#add(member, message, 0, 1);
      else this.#addMeaning(member, message, 0);
    } else if (old.others !== undefined && now.others !== undefined)
      this.#recurse(old.others, now.others, place);
    else if (old.others !== undefined && old.hasOthers)
      this.#addMeaning(place, 'are not described anymore', this.#isRequest ? 1 : 0);
    else if (now.others !== undefined && now.hasOthers && now.others.length > 0)
      this.#add(place, 'are described now', 0, 1);
  }

  #describePatterns(old: Case, now: Case, member: string): void {
    const [was, is] = [old, now].map(({ patterns }) =>
      Map.groupBy(patterns, ([pattern]) => pattern),
    );
    if (was === undefined || is === undefined) return;
    for (const pattern of new Set([...was.keys(), ...is.keys()])) {
      const place = `${member}${member === '' ? '' : '.'}/${pattern}/`;
      const [before, after] = [was, is].map((all) => all.get(pattern)?.map(([, part]) => part));
      if (before !== undefined && after !== undefined) this.#recurse(before, after, place);
      else if (after !== undefined)
        this.#addMeaning(place, 'are described now', this.#isRequest ? 1 : 0);
      else this.#addMeaning(place, 'are not described anymore', this.#isRequest ? 0 : 1);
    }
  }

  #describeOpaque(
    old: Case,
    now: Case,
    keywords: readonly [keyword: string, ...others: string[]],
    member: string,
    isMeaning = false,
  ): void {
    const [keyword] = keywords;
    const { equality } = this.#prover;
    const own = (one: Case) => one.all(keyword).filter(([part]) => !isMade(part, keyword));
    const [was, is] = [own(old), own(now)];
    const isSame =
      was.length === is.length &&
      was.every(([part]) =>
        is.some(([other]) => keywords.every((one) => equality.sameKeyword(part, other, one))),
      );
    if (isSame) return;
    const add = (message: string, narrower: Doubt, wider: Doubt) => {
      if (isMeaning) this.#addMeaning(member, message, this.#isRequest ? narrower : wider);
      else this.#add(member, message, narrower, wider);
    };
    if (was.length === 0) add(`has a condition with ${keyword} now`, 1, 0);
    else if (is.length === 0) add(`has no condition with ${keyword} anymore`, 0, 1);
    else add(`has another condition with ${keyword}`, 1, 1);
  }

  #describeContains(old: Case, now: Case, member: string): void {
    const { equality } = this.#prover;
    const [was, is] = [old, now].map((one) => one.all('contains').map(([part]) => part));
    const [before] = was ?? [];
    const [after] = is ?? [];
    if (before === undefined && after === undefined) return;
    if (before === undefined || after === undefined) {
      const message = `need${after === undefined ? ' not' : 's'} certain items ${after === undefined ? 'anymore' : 'now'}`;
      this.#add(
        member,
        after === undefined ? message.replace('need not', 'needs no') : message,
        after === undefined ? 0 : 2,
        after === undefined ? 2 : 0,
      );
      return;
    }
    if (!equality.sameKeyword(before, after, 'contains')) {
      this.#describeOpaque(old, now, ['contains'], member);
      return;
    }
    const [[least, most], [newLeast, newMost]] = [containsOf(before), containsOf(after)];
    this.#describeCount('minimum number of certain items', least, newLeast, 1, member);
    this.#describeCount('maximum number of certain items', most, newMost, -1, member);
  }

  #describeDependencies(old: Case, now: Case, member: string): void {
    const read = (one: Case) =>
      new Set(
        one
          .all('dependentRequired')
          .flatMap(([, value]) =>
            Object.entries(nodeOf(value)).flatMap(([name, names]) =>
              listOf(names).map(
                (needed) => `${JSON.stringify(needed)} if it has ${JSON.stringify(name)}`,
              ),
            ),
          ),
      );
    const [was, is] = [read(old), read(now)];
    for (const text of is) if (!was.has(text)) this.#add(member, `needs ${text} now`, 2, 0);
    for (const text of was)
      if (!is.has(text)) this.#add(member, `need not have ${text} anymore`, 0, 2);
  }
}

/** Whether a schema only excludes other alternatives. */
function isMade({ schema }: Part, keyword: string): boolean {
  return keyword === 'not' && Object.keys(schema).length === 1;
}

function withoutNull(one: Case): Case {
  if (!one.types.has('null')) return one;
  const { values } = one;
  if (values !== undefined) return one.and({ enum: values.filter((value) => value !== null) });
  return one.and({ type: ['boolean', 'number', 'string', 'array', 'object'] });
}

/** Annotations that tell how values are written or read. */
const MEANINGS = [
  ['contentMediaType', 'media type'],
  ['contentEncoding', 'encoding'],
] as const;

/** What a schema tells beside which values are valid, as text. */
interface Annotations {
  readonly default: string | undefined;
  readonly discriminator: string | undefined;
  readonly contentMediaType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly deprecated: boolean;
}

function annotationsOf(parts: readonly Part[]): Annotations {
  const nodes: Readonly<Record<string, unknown>>[] = [];
  const seen = new Set<Part>();
  const visit = (part: Part): void => {
    const { document, schema } = part;
    if (schema === false || seen.has(part)) return;
    seen.add(part);
    nodes.push(schema);
    if (typeof schema.$ref === 'string') visit(partOf(document, document.find(schema.$ref)));
    for (const one of listOf(schema.allOf)) visit(partOf(document, one));
  };
  for (const part of parts) visit(part);
  const textOf = (keyword: string): string | undefined => {
    const node = nodes.find((one) => one[keyword] !== undefined);
    return node === undefined ? undefined : canonical(node[keyword]);
  };
  return {
    default: textOf('default'),
    discriminator: textOf('discriminator'),
    contentMediaType: textOf('contentMediaType'),
    contentEncoding: textOf('contentEncoding'),
    deprecated: nodes.some(({ deprecated }) => deprecated === true),
  };
}

/** The members of an alternative that have one value each, which tell it apart. */
function tagOf(one: Case): string | undefined {
  const tags = one.all('properties').flatMap(([{ document }, members]) =>
    Object.entries(nodeOf(members)).flatMap(([name, member]) => {
      const { schema } = partOf(document, member);
      const { const: value, enum: list } = isNode(schema) ? schema : {};
      const values = value === undefined ? listOf(list) : [value];
      return values.length === 1 ? `${name}: ${canonical(values[0])}` : [];
    }),
  );
  return tags.length === 0 ? undefined : tags.sort().join(', ');
}

function optionOf(one: Case, other: Case): string {
  const name = one.label ?? tagOf(one) ?? other.label;
  return `(${name ?? describeTypes(one.types)})`;
}

function describeCase(one: Case): string {
  const { label, values } = one;
  const tag = tagOf(one);
  if (label !== undefined) return label;
  if (values !== undefined) return listValues(values);
  const names = [...one.names].slice(0, SHOWN_NAMES).join(', ');
  if (tag !== undefined || names !== '') return `an object with ${tag ?? names}`;
  return withArticle(describeTypes(one.types));
}

function withArticle(noun: string): string {
  if (/ |^null$|^anything$/.test(noun)) return noun;
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

function describeTypes(types: ReadonlySet<Type>): string {
  if (types.size - Number(types.has('null')) === TYPES.length - 1) return 'anything';
  const names = [...types].filter(
    (type) => type !== 'fraction' && !(type === 'integer' && types.has('fraction')),
  );
  return joinOr(types.has('fraction') ? ['number', ...names] : names);
}

function listValues(values: readonly unknown[] = []): string {
  return joinOr(values.map((value) => canonical(value)));
}

/** The most members that describe an object. */
const SHOWN_NAMES = 3;

/** The most values that a message lists. */
const SHOWN = 8;

function joinOr(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN);
  const rest = texts.length - shown.length;
  const all = rest > 0 ? [...shown, `${rest} others`] : shown;
  const last = all.at(-1) ?? 'nothing';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} or ${last}`;
}
