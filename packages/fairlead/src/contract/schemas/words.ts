import { joinWords } from '@fairlead/options';
import { isNode, listOf, nodeOf } from '../../client/index.js';
import type { Case, Type } from './case.js';
import { TYPES } from './case.js';
import { canonical } from './equality.js';
import { partOf } from './part.js';

/** Returns the path of a member. */
export function pathOf(member: string, name: string): string {
  return member === '' ? name : `${member}.${name}`;
}

/** The members of an alternative that have one value each, which tell it apart. */
export function tagOf(one: Case): string | undefined {
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

export function optionOf(one: Case, other: Case): string {
  const name = one.label ?? tagOf(one) ?? other.label;
  return `(${name ?? describeTypes(one.types)})`;
}

export function describeCase(one: Case): string {
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

export function describeTypes(types: ReadonlySet<Type>): string {
  if (types.size - Number(types.has('null')) === TYPES.length - 1) return 'anything';
  const names = [...types].filter(
    (type) => type !== 'fraction' && !(type === 'integer' && types.has('fraction')),
  );
  return joinOr(types.has('fraction') ? ['number', ...names] : names);
}

export function listValues(values: readonly unknown[] = []): string {
  return joinOr(values.map((value) => canonical(value)));
}

/** The most members that describe an object. */
const SHOWN_NAMES = 3;

/** The most values that a message lists. */
const SHOWN = 8;

export function joinOr(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN);
  const rest = texts.length - shown.length;
  return joinWords(rest > 0 ? [...shown, `${rest} others`] : shown, 'or') || 'nothing';
}
