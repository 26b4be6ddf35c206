import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anything,
  arrayOf,
  boolean,
  describeValue,
  either,
  findOptionProblems,
  fn,
  hasMethods,
  hideProperties,
  integer,
  isPlainObject,
  type Kinds,
  milliseconds,
  nearestName,
  nonEmptyString,
  numberMessages,
  object,
  oneOf,
  positiveMilliseconds,
  routeDocumentation,
  setWithin,
  string,
} from './index.js';

interface ParserOptions {
  readonly limit?: number | string;
  readonly rawBody?: boolean;
  readonly type?: string;
}

const KINDS: Kinds<ParserOptions> = {
  limit: either(integer(0, undefined, 'number of bytes'), string),
  rawBody: boolean,
  type: nonEmptyString,
};

const problemsOf = (options: object | undefined) => findOptionProblems('json()', options, KINDS);

describe('findOptionProblems', () => {
  it.each([undefined, {}, { limit: 5 }, { limit: '1mb', rawBody: true, type: undefined }])(
    'finds none in %o',
    (options) => {
      expect(problemsOf(options)).toEqual([]);
    },
  );

  it('names the nearest option', () => {
    expect(problemsOf({ limti: 5 })).toEqual([
      "json() has no option 'limti'. Did you mean 'limit'?",
    ]);
  });

  it('prefers the option that other libraries call by the name', () => {
    const kinds: Kinds<{ keys?: unknown; secure?: boolean }> = { keys: anything, secure: boolean };
    const problemOf = (known: Partial<typeof kinds>) =>
      findOptionProblems<object>('session()', { secret: 'x' }, known);

    expect(problemOf(kinds)).toEqual(["session() has no option 'secret'. Did you mean 'keys'?"]);
    expect(problemOf({ secure: boolean })).toEqual([
      "session() has no option 'secret'. Did you mean 'secure'?",
    ]);
  });

  it('lists the options when none is similar', () => {
    expect(problemsOf({ colour: 5 })).toEqual([
      "json() has no option 'colour'. Remove it, or use limit, rawBody or type.",
    ]);
  });

  it('refuses every option of a call that has none', () => {
    expect(findOptionProblems<object>('@Get()', { a: 1 }, {})).toEqual([
      "@Get() has no option 'a'. Remove it.",
    ]);
  });

  it('reports every problem', () => {
    expect(problemsOf({ limti: 5, rawBody: 'yes', type: '' })).toEqual([
      "json() has no option 'limti'. Did you mean 'limit'?",
      "rawBody of json() must be true or false: got 'yes'.",
      "type of json() must be a non-empty string: got ''.",
    ]);
  });

  it('does not know the members of Object.prototype', () => {
    expect(problemsOf({ toString: 1, constructor: 2 })).toHaveLength(2);
  });

  it.each<[unknown, string[]]>([
    [[404, 599], []],
    [{ 404: ['USER_NOT_FOUND'], 409: [] }, []],
    [{ 404: 'GONE' }, ["get() cannot use 'GONE' as errors[404]. Did you mean ['GONE']?"]],
    [
      { GONE: 404 },
      ["get() cannot use 'GONE' as a status of errors. Did you mean { 404: ['GONE'] }?"],
    ],
    [
      { 200: ['OK'] },
      ["get() cannot use '200' as a status of errors. Use an integer from 400 to 599."],
    ],
    [
      { 404: [''], 409: [1] },
      [
        "get() cannot use [''] as errors[404]. Use an array of non-empty strings, such as ['USER_NOT_FOUND'].",
        "get() cannot use [1] as errors[409]. Use an array of non-empty strings, such as ['USER_NOT_FOUND'].",
      ],
    ],
    [
      [404, 'GONE'],
      [
        "errors of get() must be an array of statuses from 400 to 599, or the codes of each status: { 404: ['USER_NOT_FOUND'] }: got [404, 'GONE'].",
      ],
    ],
  ])('explains the parts of errors that are wrong in %j', (errors, problems) => {
    const { errors: known } = routeDocumentation;
    const found = findOptionProblems('get()', { errors }, { errors: known });
    expect(found).toEqual(problems);
  });

  it.each([
    ['1mb', "options of json() must be an object: got '1mb'."],
    [[], 'options of json() must be an object: got [].'],
    [null, 'options of json() must be an object: got null.'],
    [Map, 'options of json() must be an object: got the class Map.'],
  ])('refuses %o instead of an object', (options, problem) => {
    expect(findOptionProblems('json()', options as object, KINDS)).toEqual([problem]);
  });
});

describe('kinds', () => {
  it.each([
    [anything, [null, 1, 'a'], []],
    [boolean, [true, false], [0, 'true', null]],
    [fn, [() => 1, Map], ['a', {}]],
    [object, [{}, new Map()], [[], null, () => 1]],
    [string, ['', 'a'], [1]],
    [nonEmptyString, ['a'], ['', 1]],
    [milliseconds, [0, 2 ** 31 - 1], [-1, 0.5, 2 ** 31, '5', Number.NaN]],
    [positiveMilliseconds, [1, 2 ** 31 - 1], [0, 1.5, 2 ** 31, '5']],
    [integer(1), [1, 2 ** 53 - 1], [0, 1.5, 2 ** 53, '1']],
    [integer(200, 599), [200, 599], [199, 600]],
    [oneOf('a', false), ['a', false], ['b', true, undefined]],
    [arrayOf(string, 'an array of strings'), [[], ['a']], ['a', ['a', 1]]],
    [either(boolean, string), [true, 'a'], [1]],
  ])('%o accepts and refuses', (tested, accepted, refused) => {
    expect(accepted.filter((value) => !tested.accepts(value))).toEqual([]);
    expect(refused.filter((value) => tested.accepts(value))).toEqual([]);
  });

  it.each([
    [integer(0), 'a non-negative integer'],
    [integer(0, undefined, 'number of bytes'), 'a non-negative integer number of bytes'],
    [integer(1), 'an integer of at least 1'],
    [integer(200, 599), 'an integer from 200 to 599'],
    [milliseconds, 'an integer number of milliseconds from 0 to 2147483647'],
    [oneOf('singleton', 'transient', 'request'), "'singleton', 'transient' or 'request'"],
    [either(boolean, string, fn), 'true or false, a string or a function'],
  ])('%o describes itself', (described, description) => {
    expect(described.description).toBe(description);
  });
});

describe('nearestName', () => {
  it.each([
    ['limti', 'limit'],
    ['LIMIT', 'limit'],
    ['raw_body', 'rawBody'],
    ['typ', 'type'],
    ['middlewares', undefined],
    ['', undefined],
    // An edit away from a candidate that is too long to compare.
    ['x'.repeat(64), undefined],
    ['x'.repeat(66), undefined],
  ])('%s → %s', (name, expected) => {
    expect(nearestName(name, ['limit', 'rawBody', 'type', 'x'.repeat(65)])).toBe(expected);
  });

  it('finds a name after any single edit', () => {
    const names = ['middleware', 'interceptors', 'controllers', 'validationStatus'];
    const edit = fc.tuple(fc.constantFrom(...names), fc.nat(9), fc.constantFrom('', 'x', 'xy'));
    fc.assert(
      fc.property(edit, ([name, index, text]) => {
        const edited = name.slice(0, index) + text + name.slice(index + 1);
        expect(nearestName(edited, names)).toBe(name);
      }),
    );
  });
});

describe('describeValue', () => {
  class UserDto {}

  it.each([
    ['a', "'a'"],
    ['x'.repeat(61), `'${'x'.repeat(60)}…'`],
    [1, '1'],
    [2n, '2n'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('a'), 'Symbol(a)'],
    [[], '[]'],
    [['a', 1], "['a', 1]"],
    [[{}], 'an array'],
    [['x'.repeat(60)], 'an array'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [new UserDto(), 'an instance of UserDto'],
    [Promise.resolve(), 'an instance of Promise'],
    [UserDto, 'the class UserDto'],
    [function handler() {}, 'the function handler'],
    [() => 1, 'a function'],
    [Object.freeze(function handler() {}), 'the function handler'],
    [Object.freeze(class UserDto {}), 'the class UserDto'],
  ])('%o → %s', (value, text) => {
    expect(describeValue(value)).toBe(text);
  });

  it('ignores a static member of a class called name', () => {
    class Named {}
    Object.defineProperty(Named, 'name', { value: Symbol('x') });
    expect(describeValue(new Named())).toBe('an object');
  });
});

it('numbers messages below a title, aligned with their first lines', () => {
  const messages = Array.from({ length: 10 }, (_, index) => `Problem ${index}.`);
  const text = numberMessages('10 problems.', ['One.\n  Fix: two.', ...messages.slice(1)]);

  expect(text).toContain('10 problems.\n\n   1. One.\n        Fix: two.\n\n   2. Problem 1.');
  expect(text).toContain('\n\n  10. Problem 9.');
});

it('hides properties of errors from inspection', () => {
  const error = Object.assign(new Error('several problems'), { problems: ['first'], code: 'X' });
  hideProperties(error, 'problems', 'missing');

  expect(error.problems).toEqual(['first']);
  expect(Object.keys(error)).toEqual(['code']);
});

it('keeps the newest entries of a map', () => {
  const map = new Map<string, number>();
  for (const [index, key] of ['a', 'b', 'a', 'c', 'd'].entries()) setWithin(map, 2, key, index);
  expect([...map]).toEqual([
    ['c', 3],
    ['d', 4],
  ]);
});

it('accepts objects with methods', () => {
  const accepts = hasMethods('info', 'error');
  const info = () => undefined;

  expect(accepts({ info, error: info })).toBe(true);
  expect([{ info }, { info, error: 'no' }, info, null, 'a'].filter(accepts)).toEqual([]);
});

it('tells object literals of any realm from instances', () => {
  const foreign: unknown = runInNewContext('({})');
  const plain = [{}, Object.create(null), foreign];

  expect(plain.filter(isPlainObject)).toHaveLength(3);
  expect([[], new Map(), null, () => 1, 'a'].filter(isPlainObject)).toEqual([]);
});
