import { describe, expect, it } from 'vitest';
import { findOptionProblems } from './check-options.js';
import { anything, boolean, either, integer, type Kinds, nonEmptyString, string } from './kinds.js';
import { routeDocumentation } from './route-options.js';

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
