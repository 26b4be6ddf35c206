import { type Case, fits, isTrivial, type Limit, matches, typeOf } from './case.js';
import { canonical } from './equality.js';
import type { Doubt, Walk } from './findings.js';
import { canonicalPattern } from './pattern.js';
import { describeTypes, joinOr, listValues } from './words.js';

/** Returns whether there is nothing else to compare. */
export function describeValues(walk: Walk, old: Case, now: Case, member: string): boolean {
  const [was, is] = [old.values, now.values];
  if (was === undefined && is === undefined) return false;
  const refused = (one: Case, { parts, types }: Case) =>
    (one.values ?? [])
      // Otherwise, the types tell it.
      .filter((value) => types.has(typeOf(value)))
      .filter((value) => walk.prover.refutes(one.and({ const: value }), parts))
      .map((value) => canonical(value));
  if (was === undefined) {
    walk.findings.add(member, `must be ${listValues(is)} now`, 2, 0);
    const added = refused(now, old);
    if (added.length > 0) walk.findings.add(member, `can be ${joinOr(added)} now`, 0, 2);
  } else if (is === undefined) {
    const gone = refused(old, now);
    if (gone.length > 0) walk.findings.add(member, `cannot be ${joinOr(gone)} anymore`, 2, 0);
    walk.findings.add(
      member,
      `can be any ${describeTypes(now.types)} now, was ${listValues(was)}`,
      0,
      2,
    );
  } else {
    const textsOf = (all: readonly unknown[]) => all.map((value) => canonical(value));
    const [texts, others] = [textsOf(was), textsOf(is)];
    const gone = texts.filter((text) => !others.includes(text));
    const added = others.filter((text) => !texts.includes(text));
    if (gone.length > 0) walk.findings.add(member, `cannot be ${joinOr(gone)} anymore`, 2, 0);
    if (added.length > 0) walk.findings.add(member, `can be ${joinOr(added)} now`, 0, 2);
  }
  return true;
}

export function describeNumbers(walk: Walk, old: Case, now: Case, member: string): void {
  // The limits of safe integers belong to the type, which has changed.
  const isOther = old.types.has('fraction') !== now.types.has('fraction');
  const isKnown = (limit: Limit) => isOther && Math.abs(limit.value) === Number.MAX_SAFE_INTEGER;
  const limits = [
    ['minimum', old.lower, now.lower, 1],
    ['maximum', old.upper, now.upper, -1],
  ] as const;
  for (const [name, was, is, sign] of limits) {
    const isTold = [was, is].every((limit) => isKnown(limit) || !Number.isFinite(limit.value));
    if (!isTold) describeLimit(walk, name, was, is, sign, member);
  }
  const stepsOf = (one: Case) =>
    one
      .numbers('multipleOf')
      .filter((step) => step !== 1 || one.types.has('fraction'))
      .sort();
  const [was, is] = [stepsOf(old), stepsOf(now)];
  if (canonical(was) === canonical(is)) return;
  const isWithin = (inner: readonly number[], outer: readonly number[]): Doubt =>
    outer.every((step) => inner.some((one) => one % step === 0)) ? 0 : 2;
  const text =
    is.length === 0
      ? 'need not be a multiple of a number anymore'
      : `must be a multiple of ${is.join(' and ')} now`;
  walk.findings.add(member, text, isWithin(was, is), isWithin(is, was));
}

/** Texts of which most patterns refuse one. */
const SAMPLES = ['', ' ', '0', 'a', '-', '\n', 'Aa0 -'];

export function describeTexts(walk: Walk, old: Case, now: Case, member: string): void {
  describeCounts(walk, old, now, 'length', ['minLength', 'maxLength'], member);
  const patternsOf = (one: Case) =>
    new Set([...one.texts('pattern')].filter((pattern) => !isTrivial(pattern)));
  const was = patternsOf(old);
  const known = new Map([...was].map((pattern) => [canonicalPattern(pattern), pattern]));
  // What is only written in another way keeps its old spelling.
  const is = new Set(
    [...patternsOf(now)].map((pattern) => known.get(canonicalPattern(pattern)) ?? pattern),
  );
  const isFree = was.size === 0 && old.texts('format').size === 0;
  const refuses = (text: string) => [...is].some((pattern) => matches(pattern, text) === false);
  const samples = SAMPLES.filter((text) => old.parts.every((part) => fits(part, text)));
  describeSet(walk, 'pattern', was, is, isFree && samples.some(refuses) ? 2 : 1, member);
}

export function describeFormats(walk: Walk, old: Case, now: Case, member: string): void {
  describeSet(walk, 'format', old.texts('format'), now.texts('format'), 1, member);
}

/** Describes the least and the most of something. */
export function describeCounts(
  walk: Walk,
  old: Case,
  now: Case,
  noun: string,
  [least, most]: readonly [
    least: 'minLength' | 'minItems' | 'minProperties',
    most: 'maxLength' | 'maxItems' | 'maxProperties',
  ],
  member: string,
): void {
  describeCount(walk, `minimum ${noun}`, old.least(least), now.least(least), 1, member);
  describeCount(walk, `maximum ${noun}`, old.most(most), now.most(most), -1, member);
}

/** Describes the least or the most of something. */
export function describeCount(
  walk: Walk,
  noun: string,
  was: number,
  is: number,
  sign: 1 | -1,
  member: string,
): void {
  const limit = (value: number): Limit => ({ value, isExclusive: false });
  if (sign === 1 && is === 0) {
    if (was > 0) walk.findings.add(member, `has no ${noun} anymore, was ${was}`, 0, 2);
  } else describeLimit(walk, noun, limit(was), limit(is), sign, member);
}

function describeLimit(
  walk: Walk,
  name: string,
  was: Limit,
  is: Limit,
  sign: 1 | -1,
  member: string,
): void {
  if (was.value === is.value && was.isExclusive === is.isExclusive) return;
  const difference = (is.value - was.value) * sign;
  const isTighter = difference > 0 || (is.value === was.value && is.isExclusive);
  const show = ({ value, isExclusive }: Limit) => {
    if (!Number.isFinite(value)) return 'none';
    return isExclusive ? `${sign === 1 ? 'above' : 'below'} ${value}` : String(value);
  };
  const text = `has the ${name} ${show(is)} now, was ${show(was)}`;
  const fixed = Number.isFinite(is.value) ? text : `has no ${name} anymore, was ${show(was)}`;
  walk.findings.add(member, fixed, isTighter ? 2 : 0, isTighter ? 0 : 2);
}

/** @param added - How sure it is that the first condition of its kind refuses values. */
function describeSet(
  walk: Walk,
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
  walk.findings.add(member, text, narrower, gone.length === 0 ? 0 : 1);
}
