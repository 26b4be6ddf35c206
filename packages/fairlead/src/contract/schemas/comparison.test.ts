import { describe, expect, it } from 'vitest';
import { linesOfSchemas } from '../../../test/support/contract.js';

const text = { type: 'string' };
const integer = { type: 'integer' };

function object(properties: object, required: readonly string[] = [], others: object = {}) {
  return { type: 'object', properties, ...(required.length > 0 && { required }), ...others };
}

const cat = object({ kind: { const: 'cat' }, lives: integer }, ['kind']);
const dog = object({ kind: { const: 'dog' }, name: text }, ['kind']);
const fish = object({ kind: { const: 'fish' } }, ['kind']);

const inRange = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });

type Row = readonly [
  name: string,
  before: unknown,
  after: unknown,
  request: readonly string[],
  response: readonly string[],
];

describe('a comparison of schemas', () => {
  it.each<Row>([
    [
      'a required member',
      object({ a: text }),
      object({ a: text }, ['a']),
      ['breaking: member "a" is required now'],
      ['safe: member "a" is required now'],
    ],
    [
      'an optional member',
      object({ a: text }, ['a']),
      object({ a: text }),
      ['safe: member "a" is optional now'],
      ['breaking: member "a" may be absent now'],
    ],
    [
      'a new required member',
      object({}),
      object({ a: text }, ['a']),
      ['breaking: member "a" is new, and required'],
      ['safe: member "a" is new'],
    ],
    [
      'a required member that no schema describes',
      object({ a: text }),
      object({ a: text }, ['z']),
      ['breaking: member "z" is required now'],
      ['safe: member "z" is required now'],
    ],
    [
      'a new optional member',
      object({ a: text }),
      object({ a: text, b: text }),
      ['safe: member "b" is new'],
      ['safe: member "b" is new'],
    ],
    [
      'an optional member that is gone',
      object({ a: text, b: text }),
      object({ a: text }),
      ['maybe: member "b" is gone: what clients send may be ignored'],
      ['maybe: member "b" is gone'],
    ],
    [
      'a required member that is gone',
      object({ a: text, b: text }, ['b']),
      object({ a: text }),
      ['maybe: member "b" is gone: what clients send may be ignored'],
      ['breaking: member "b" is gone'],
    ],
    [
      'a nested member',
      object({ a: object({ b: { type: 'array', items: object({ c: text }) } }) }),
      object({ a: object({ b: { type: 'array', items: object({ c: integer }) } }) }),
      ['breaking: member "a.b[].c" is integer now, was string'],
      ['breaking: member "a.b[].c" is integer now, was string'],
    ],
    [
      'a wider type',
      integer,
      { type: 'number' },
      ['safe: is number now, was integer'],
      ['breaking: is number now, was integer'],
    ],
    [
      'null',
      text,
      { type: ['string', 'null'] },
      ['safe: can be null now'],
      ['breaking: can be null now'],
    ],
    [
      'null that is gone',
      { anyOf: [text, { type: 'null' }] },
      text,
      ['breaking: cannot be null anymore'],
      ['safe: cannot be null anymore'],
    ],
    [
      'any value',
      text,
      {},
      ['safe: is anything now, was string'],
      ['breaking: is anything now, was string'],
    ],
    [
      'no value',
      text,
      false,
      ['breaking: can have no value anymore'],
      ['safe: can have no value anymore'],
    ],
    [
      'values of a list',
      { enum: ['a', 'b'] },
      { enum: ['b', 'c'] },
      ['breaking: cannot be "a" anymore', 'safe: can be "c" now'],
      ['safe: cannot be "a" anymore', 'breaking: can be "c" now'],
    ],
    [
      'a constant that becomes a list',
      { const: 'a' },
      { enum: ['a', 'b'] },
      ['safe: can be "b" now'],
      ['breaking: can be "b" now'],
    ],
    [
      'a list of values where there was none',
      text,
      { ...text, enum: ['a'] },
      ['breaking: must be "a" now'],
      ['safe: must be "a" now'],
    ],
    [
      'a list of values that is gone',
      { ...text, enum: ['a'] },
      text,
      ['safe: can be any string now, was "a"'],
      ['breaking: can be any string now, was "a"'],
    ],
    [
      'a range',
      inRange(1, 5),
      inRange(2, 9),
      ['breaking: has the minimum 2 now, was 1', 'safe: has the maximum 9 now, was 5'],
      ['safe: has the minimum 2 now, was 1', 'breaking: has the maximum 9 now, was 5'],
    ],
    [
      'a range without its limit',
      { type: 'number', minimum: 1 },
      { type: 'number', exclusiveMinimum: 1 },
      ['breaking: has the minimum above 1 now, was 1'],
      ['safe: has the minimum above 1 now, was 1'],
    ],
    [
      'a multiple',
      { ...integer, multipleOf: 2 },
      { ...integer, multipleOf: 4 },
      ['breaking: must be a multiple of 4 now'],
      ['safe: must be a multiple of 4 now'],
    ],
    [
      'a length',
      { ...text, minLength: 1 },
      { ...text, maxLength: 5 },
      [
        'safe: has no minimum length anymore, was 1',
        'breaking: has the maximum length 5 now, was none',
      ],
      [
        'breaking: has no minimum length anymore, was 1',
        'safe: has the maximum length 5 now, was none',
      ],
    ],
    [
      'a pattern',
      text,
      { ...text, pattern: '^a' },
      ['breaking: must match the pattern ^a now'],
      ['safe: must match the pattern ^a now'],
    ],
    [
      'a pattern that may match everything',
      text,
      { ...text, pattern: '^[^]*$' },
      ['maybe: must match the pattern ^[^]*$ now'],
      ['safe: must match the pattern ^[^]*$ now'],
    ],
    [
      'another pattern',
      { ...text, pattern: '^a' },
      { ...text, pattern: '^b' },
      ['breaking: must match the pattern ^b now, was ^a'],
      ['maybe: must match the pattern ^b now, was ^a'],
    ],
    [
      'a format',
      text,
      { ...text, format: 'email' },
      ['breaking: must match the format email now'],
      ['safe: must match the format email now'],
    ],
    [
      'a wider format',
      { ...integer, format: 'int32' },
      { ...integer, format: 'int64' },
      ['safe: must match the format int64 now, was int32'],
      ['maybe: must match the format int64 now, was int32'],
    ],
    [
      'items',
      { type: 'array', items: text, maxItems: 3 },
      { type: 'array', items: text, minItems: 1, uniqueItems: true },
      [
        'breaking: has the minimum number of items 1 now, was 0',
        'safe: has no maximum number of items anymore, was 3',
        'breaking: must have different items now',
      ],
      [
        'safe: has the minimum number of items 1 now, was 0',
        'breaking: has no maximum number of items anymore, was 3',
        'safe: must have different items now',
      ],
    ],
    [
      'an item of a tuple',
      { type: 'array', prefixItems: [text, integer] },
      { type: 'array', prefixItems: [text, text] },
      ['breaking: member "[1]" is string now, was integer'],
      ['breaking: member "[1]" is string now, was integer'],
    ],
    [
      'certain items',
      { type: 'array', contains: text },
      { type: 'array', contains: text, minContains: 2 },
      ['breaking: has the minimum number of certain items 2 now, was 1'],
      ['safe: has the minimum number of certain items 2 now, was 1'],
    ],
    [
      'values of a map',
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: integer },
      ['breaking: member "*" is integer now, was string'],
      ['breaking: member "*" is integer now, was string'],
    ],
    [
      'a required member that becomes one of a map',
      object({ a: text }, ['a']),
      object({ b: text }, [], { additionalProperties: text }),
      [
        'safe: member "a" is optional now',
        'safe: member "b" is new',
        'safe: member "*" is described now',
      ],
      [
        'breaking: member "a" may be absent now',
        'safe: member "b" is new',
        'maybe: member "*" is described now',
      ],
    ],
    [
      'a member of a map that stays required',
      object({ a: text }, ['a']),
      { type: 'object', required: ['a'], additionalProperties: text },
      [],
      [],
    ],
    [
      'an object that becomes closed',
      object({ a: text }),
      object({ a: text }, [], { additionalProperties: false }),
      ['maybe: refuses members that it does not describe now'],
      ['safe: refuses members that it does not describe now'],
    ],
    [
      'a map that becomes closed',
      { type: 'object' },
      { type: 'object', additionalProperties: false },
      ['breaking: refuses members that it does not describe now'],
      ['safe: refuses members that it does not describe now'],
    ],
    [
      'a new member of a closed object',
      object({ a: text }, [], { additionalProperties: false }),
      object({ a: text, b: text }, [], { additionalProperties: false }),
      ['safe: member "b" is new'],
      ['maybe: member "b" is new'],
    ],
    [
      'a member that a closed object has not anymore',
      object({ a: text, b: text }, [], { additionalProperties: false }),
      object({ a: text }, [], { additionalProperties: false }),
      ['breaking: member "b" is refused now'],
      ['maybe: member "b" is gone'],
    ],
    [
      'a member that depends on another one',
      object({ a: text, b: text }),
      object({ a: text, b: text }, [], { dependentRequired: { a: ['b'] } }),
      ['breaking: needs "b" if it has "a" now'],
      ['safe: needs "b" if it has "a" now'],
    ],
    [
      'a default',
      { ...text, default: 'a' },
      { ...text, default: 'b' },
      ['maybe: has the default "b" now, was "a"'],
      [],
    ],
    [
      'a deprecation',
      object({ a: text }),
      object({ a: { ...text, deprecated: true } }),
      ['safe: member "a" is deprecated now'],
      ['safe: member "a" is deprecated now'],
    ],
    [
      'a member that clients must not send anymore',
      object({ a: text }, ['a']),
      object({ a: { ...text, readOnly: true } }, ['a']),
      ['maybe: member "a" is read-only now: what clients send may be ignored'],
      [],
    ],
    [
      'a member that clients have to send now',
      object({ a: { ...text, readOnly: true } }, ['a']),
      object({ a: text }, ['a']),
      ['breaking: member "a" is not read-only anymore, and required'],
      [],
    ],
    [
      'a member that clients never send',
      object({ a: { ...text, readOnly: true } }, ['a']),
      object({ a: { ...integer, readOnly: true } }, ['a']),
      [],
      ['breaking: member "a" is integer now, was string'],
    ],
    [
      'a member that clients do not receive anymore',
      object({ a: text }, ['a']),
      object({ a: { ...text, writeOnly: true } }, ['a']),
      [],
      ['breaking: member "a" is write-only now'],
    ],
    [
      'a new alternative',
      { oneOf: [cat, dog] },
      { oneOf: [fish, dog, cat] },
      ['safe: can be an object with kind: "fish" now'],
      ['breaking: can be an object with kind: "fish" now'],
    ],
    [
      'an alternative that is gone',
      { anyOf: [cat, dog] },
      dog,
      ['breaking: is not an object with kind: "cat" anymore'],
      ['safe: is not an object with kind: "cat" anymore'],
    ],
    [
      'an alternative that another one includes',
      { anyOf: [inRange(1, 100), inRange(50, 200)] },
      inRange(1, 200),
      ['safe: member "(integer)" has the maximum 200 now, was 100'],
      ['maybe: member "(integer)" has the maximum 200 now, was 100'],
    ],
    [
      'alternatives that together are as wide',
      inRange(1, 200),
      { anyOf: [inRange(1, 100), inRange(101, 200)] },
      ['maybe: member "(integer)" has the maximum 100 now, was 200'],
      ['safe: member "(integer)" has the maximum 100 now, was 200'],
    ],
    [
      'a member of an alternative',
      { oneOf: [cat, dog] },
      { oneOf: [dog, { ...cat, required: ['kind', 'lives'] }] },
      ['breaking: member "(kind: "cat").lives" is required now'.replaceAll('"cat"', '\\"cat\\"')],
      ['safe: member "(kind: "cat").lives" is required now'.replaceAll('"cat"', '\\"cat\\"')],
    ],
    [
      'a new optional member of an alternative',
      { oneOf: [cat, dog] },
      { oneOf: [cat, object({ kind: { const: 'dog' }, name: text, age: integer }, ['kind'])] },
      ['safe: member "(kind: \\"dog\\").age" is new'],
      ['safe: member "(kind: \\"dog\\").age" is new'],
    ],
    [
      'a further condition',
      { allOf: [object({ a: text })] },
      { allOf: [object({ a: text }), object({ b: text }, ['b'])] },
      ['breaking: member "b" is new, and required'],
      ['safe: member "b" is new'],
    ],
    [
      'a condition that cannot be compared',
      object({ a: text }),
      object({ a: text }, [], { if: { required: ['a'] }, [`th${'en'}`]: { required: ['b'] } }),
      ['maybe: has a condition with if now'],
      ['safe: has a condition with if now'],
    ],
    [
      'an exclusion',
      text,
      { ...text, not: { const: '' } },
      ['breaking: has a condition with not now'],
      ['safe: has a condition with not now'],
    ],
    [
      'names of members',
      object({ a: text }),
      object({ a: text }, [], { propertyNames: { pattern: '^a' } }),
      ['maybe: has a condition with propertyNames now'],
      ['safe: has a condition with propertyNames now'],
    ],
    [
      'a number of members',
      object({ a: text, b: text }),
      object({ a: text, b: text }, [], { maxProperties: 1 }),
      ['breaking: has the maximum number of members 1 now, was none'],
      ['safe: has the maximum number of members 1 now, was none'],
    ],
    [
      'an upper limit that is excluded',
      { type: 'number', maximum: 1 },
      { type: 'number', exclusiveMaximum: 1 },
      ['breaking: has the maximum below 1 now, was 1'],
      ['safe: has the maximum below 1 now, was 1'],
    ],
    [
      'members whose names match a pattern',
      object({}, [], { patternProperties: { '^x': text } }),
      object({}, [], { patternProperties: { '^x': integer } }),
      ['breaking: member "/^x/" is integer now, was string'],
      ['breaking: member "/^x/" is integer now, was string'],
    ],
    [
      'a pattern that a described member matches',
      object({ xa: text }),
      object({ xa: text }, [], { patternProperties: { '^x': { ...text, minLength: 1 } } }),
      [
        'breaking: member "xa" has the minimum length 1 now, was 0',
        'maybe: member "/^x/" is described now',
      ],
      [
        'safe: member "xa" has the minimum length 1 now, was 0',
        'safe: member "/^x/" is described now',
      ],
    ],
    [
      'members that no part describes',
      object({ a: text }),
      object({ a: text }, [], { unevaluatedProperties: false }),
      ['maybe: has a condition with unevaluatedProperties now'],
      ['safe: has a condition with unevaluatedProperties now'],
    ],
    [
      'items that no part describes',
      { type: 'array' },
      { type: 'array', unevaluatedItems: false },
      ['maybe: has a condition with unevaluatedItems now'],
      ['safe: has a condition with unevaluatedItems now'],
    ],
    [
      'a dynamic reference',
      text,
      { $dynamicRef: '#node' },
      ['safe: is anything now, was string', 'maybe: has changed in a way that cannot be compared'],
      ['breaking: is anything now, was string'],
    ],
    [
      'a pattern that refuses a value of a list',
      { enum: ['a', 'B'] },
      { ...text, pattern: '^[a-z]$' },
      ['breaking: cannot be "B" anymore', 'safe: can be any string now, was "a" or "B"'],
      ['safe: cannot be "B" anymore', 'breaking: can be any string now, was "a" or "B"'],
    ],
    [
      'a value that is longer than before',
      { ...text, maxLength: 3 },
      { enum: ['a', 'long one'] },
      ['breaking: must be "a" or "long one" now', 'safe: can be "long one" now'],
      ['safe: must be "a" or "long one" now', 'breaking: can be "long one" now'],
    ],
    [
      'a format that is gone',
      { ...text, format: 'date' },
      text,
      ['safe: need not match the format date anymore'],
      ['breaking: need not match the format date anymore'],
    ],
    [
      'another format',
      { ...text, format: 'date' },
      { ...text, format: 'date-time' },
      ['breaking: must match the format date-time now, was date'],
      ['breaking: must match the format date-time now, was date'],
    ],
    [
      'a format that nobody knows',
      text,
      { ...text, format: 'color' },
      ['maybe: must match the format color now'],
      ['safe: must match the format color now'],
    ],
    [
      'an alternative without the members of all others',
      object({ id: text, size: integer }, ['id', 'size']),
      {
        anyOf: [
          object({ id: text, size: integer }, ['id', 'size']),
          object({ id: text, deleted: { const: true } }, ['id', 'deleted']),
        ],
      },
      ['safe: can be an object with deleted: true now'],
      ['breaking: can be an object with deleted: true now'],
    ],
    [
      'an alternative that the others do not replace',
      { anyOf: [object({ a: text }, ['a']), object({ b: text }, ['b'])] },
      object({ a: text }, ['a']),
      ['breaking: is not an object with b anymore'],
      ['safe: is not an object with b anymore'],
    ],
    [
      'a number instead of an integer, without the limits of integers',
      inRange(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      { type: 'number' },
      ['safe: is number now, was integer'],
      ['breaking: is number now, was integer'],
    ],
    [
      'a default of a member that was required',
      object({ a: text }, ['a']),
      object({ a: { ...text, default: 'x' } }),
      ['safe: member "a" is optional now', 'safe: member "a" has the default "x" now'],
      ['breaking: member "a" may be absent now'],
    ],
    [
      'a default of a member that was optional',
      object({ a: text }),
      object({ a: { ...text, default: 'x' } }),
      ['maybe: member "a" has the default "x" now'],
      [],
    ],
    [
      'a response that may have further members',
      object({ a: text }, [], { additionalProperties: false }),
      object({ a: text }, [], { additionalProperties: {} }),
      ['safe: can have members that it does not describe now'],
      ['maybe: can have members that it does not describe now'],
    ],
    [
      'another discriminator',
      { oneOf: [cat, dog], discriminator: { propertyName: 'kind' } },
      { oneOf: [cat, dog], discriminator: { propertyName: 'type' } },
      ['maybe: has another discriminator'],
      ['maybe: has another discriminator'],
    ],
  ])('reports %s', (_name, before, after, request, response) => {
    expect(linesOfSchemas(before, after)).toEqual({ request, response });
  });

  it.each<readonly [name: string, before: unknown, after: unknown]>([
    ['texts for people', { ...text, title: 'A' }, { ...text, title: 'B', examples: ['a'] }],
    ['a union of types', { type: ['string', 'null'] }, { anyOf: [text, { type: 'null' }] }],
    ['the order of alternatives', { anyOf: [cat, dog] }, { anyOf: [dog, cat] }],
    ['an equal alternative', { anyOf: [cat, cat, dog] }, { anyOf: [cat, dog] }],
    ['a schema around another one', text, { allOf: [text] }],
    ['a list of one value', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['all booleans', { type: 'boolean' }, { enum: [true, false] }],
    ['a range as a list', inRange(1, 3), { enum: [1, 2, 3] }],
    ['alternatives of a small range', inRange(1, 20), { anyOf: [inRange(1, 10), inRange(11, 20)] }],
    [
      'the spelling of a pattern',
      { ...text, pattern: '^[a-z0-9]{1,}\\d{1,9}$' },
      { ...text, pattern: '^[0-9a-z]+[0-9]{1,9}$' },
    ],
    ['limits of integers', inRange(1, 4), { ...integer, exclusiveMinimum: 0, exclusiveMaximum: 5 }],
    [
      'a part that is moved',
      object({ a: text, b: text }),
      { allOf: [object({ a: text }), object({ b: text })] },
    ],
    ['a limit of another type', text, { ...text, maximum: 5 }],
    [
      'names in another order',
      object({ a: text, b: text }, ['a', 'b']),
      object({ b: text, a: text }, ['b', 'a']),
    ],
  ])('does not report %s', (_name, before, after) => {
    expect(linesOfSchemas(before, after)).toEqual({ request: [], response: [] });
    expect(linesOfSchemas(after, before)).toEqual({ request: [], response: [] });
  });

  it('follows references, also recursive ones', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = (value: object) => ({
      Node: object({ value, next: ref('Node') }, ['value']),
      Cat: cat,
      Dog: object({ kind: { const: 'dog' }, name: value }, ['kind']),
    });
    const components = [schemas(text), schemas(integer)];
    const changed = ['breaking: member "value" is integer now, was string'];
    expect(linesOfSchemas(ref('Node'), ref('Node'), components)).toEqual({
      request: changed,
      response: changed,
    });
    const same = object({ value: text, next: ref('Node') }, ['value']);
    expect(linesOfSchemas(ref('Node'), same, components.slice(0, 1)).request).toEqual([]);
    const pets = object({ pets: { type: 'array', items: { oneOf: [ref('Cat'), ref('Dog')] } } });
    expect(linesOfSchemas(pets, pets, components).response).toEqual([
      'breaking: member "pets[](Dog).name" is integer now, was string',
    ]);
  });

  it('does not prove that a value fits a schema by that schema itself', () => {
    const loop = { $ref: '#/components/schemas/Loop' };
    const components = [{ Loop: { anyOf: [loop, integer] } }];
    expect(linesOfSchemas(text, loop, components).request).toContain(
      'maybe: has changed in a way that cannot be compared',
    );
  });

  it.each([
    ['one member', (next: object) => object({ a: next }), 1_000],
    ['two members', (next: object) => object({ a: next, b: next }), 30],
    ['alternatives', (next: object) => ({ anyOf: [object({ a: next }), object({ b: next })] }), 20],
  ])('reports a change behind many schemas with %s', (_name, around, length) => {
    const ref = (index: number) => ({ $ref: `#/components/schemas/S${index}` });
    const schemas = (last: object) =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `S${index}`,
          index === length - 1 ? last : around(ref(index + 1)),
        ]),
      );
    const { request } = linesOfSchemas(ref(0), ref(0), [schemas(text), schemas(integer)]);
    expect(request[0]).toMatch(/^(?:breaking|maybe): /);
    expect(request.length).toBeLessThanOrEqual(200);
    const same = linesOfSchemas(ref(0), ref(0), [schemas(text), schemas(text)]);
    expect(same.request).toEqual([]);
  });
});
