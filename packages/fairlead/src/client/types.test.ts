import { expect, it } from 'vitest';
import { intersection, type Reference, replaceReferences, type Type, union } from './types.js';

const list: Type = { kind: 'array', item: 'string' };
const reference: Reference = { kind: 'reference', target: '#/a', form: 'sent' };

it.each<[string, readonly Type[], Type]>([
  ['nothing is never', [], 'never'],
  ['one type is that type', ['string', 'string'], 'string'],
  ['unknown is unknown', ['string', 'unknown'], 'unknown'],
  ['never is the other type', ['never', 'string'], 'string'],
  ['equal types has them once', [list, { ...list }], list],
  [
    'unions is one union',
    [{ kind: 'union', types: ['string', 'null'] }, 'number', 'null'],
    { kind: 'union', types: ['string', 'null', 'number'] },
  ],
])('a union of %s', (_, types, joined) => {
  expect(union(types)).toEqual(joined);
});

it.each<[string, readonly Type[], Type]>([
  ['nothing is unknown', [], 'unknown'],
  ['one type is that type', ['string', 'string'], 'string'],
  ['never is never', ['string', 'never'], 'never'],
  ['unknown is the other type', ['unknown', list], list],
  [
    'intersections is one intersection',
    [{ kind: 'intersection', types: [reference, list] }, list],
    { kind: 'intersection', types: [reference, list] },
  ],
])('an intersection of %s', (_, types, joined) => {
  expect(intersection(types)).toEqual(joined);
});

it('a type without its references keeps its other parts', () => {
  const inner = intersection([reference, list]);
  const remove = () => undefined;
  expect(replaceReferences(union([inner, 'null']), remove)).toEqual(union([list, 'null']));
  expect(replaceReferences(reference, remove)).toBeUndefined();
  expect(replaceReferences(inner, () => ({ ...reference, form: 'received' }))).toEqual(
    intersection([{ ...reference, form: 'received' }, list]),
  );
});
