import { describe, expect, it } from 'vitest';
import { InvalidPatternError } from '../errors/setup-error.js';
import { type PathRules, parsePattern, shapeOf } from './pattern.js';

const RULES: PathRules = { caseSensitive: true, strict: false };

describe('parsePattern', () => {
  it('parses static text, parameters and a final wildcard', () => {
    expect(parsePattern('/files/:owner/*path')).toEqual({
      text: '/files/:owner/*path',
      segments: [
        { kind: 'static', text: 'files' },
        { kind: 'param', names: ['owner'] },
        { kind: 'wildcard', names: ['path'] },
      ],
      names: ['owner', 'path'],
      endsInWildcard: true,
    });
  });

  it('names a wildcard without name *', () => {
    expect(parsePattern('/*').names).toEqual(['*']);
  });

  it.each(['', '/'])("parses '%s' as the root", (text) => {
    expect(parsePattern(text)).toEqual({
      text: '/',
      segments: [],
      names: [],
      endsInWildcard: false,
    });
  });

  it.each([
    ['/:file.png', ['file'], ['', '.png']],
    ['/:from-:to', ['from', 'to'], ['', '-', '']],
    ['/v:major.:minor', ['major', 'minor'], ['v', '.', '']],
    ['/:año%2fé', ['año'], ['', '%2F%C3%A9']],
    ['/:id%3Aarchive', ['id'], ['', ':archive']],
  ])('parses parameters with text around them in %s', (pattern, names, literals) => {
    expect(parsePattern(pattern).segments).toEqual([{ kind: 'affix', names, literals }]);
  });

  it('reads %3A and %2A as a colon and an asterisk', () => {
    expect(parsePattern('/%3Aid/%2a').segments).toEqual([
      { kind: 'static', text: ':id' },
      { kind: 'static', text: '*' },
    ]);
  });

  it('adds the leading slash', () => {
    expect(parsePattern('users').text).toBe('/users');
  });

  it('normalizes static text like a request path', () => {
    const texts = ['/caf%c3%a9', '/café', '/a b', '/%61'].map(
      (text) => parsePattern(text).segments,
    );
    expect(texts).toEqual([
      [{ kind: 'static', text: 'caf%C3%A9' }],
      [{ kind: 'static', text: 'caf%C3%A9' }],
      [{ kind: 'static', text: 'a%20b' }],
      [{ kind: 'static', text: 'a' }],
    ]);
  });

  it.each([
    ['/a//b', 'it has an empty segment. Use one slash between segments.'],
    ['//', 'it has an empty segment. Use one slash between segments.'],
    ['/*rest/b', "the wildcard '*rest' is not the last segment. Move it to the end."],
    [
      '/:',
      "':' has a colon without a name. Use ':name' with letters, digits and underscores, or write '%3A' for a colon.",
    ],
    [
      '/v1:',
      "'v1:' has a colon without a name. Use ':name' with letters, digits and underscores, or write '%3A' for a colon.",
    ],
    [
      '/:a:b',
      "':a:b' has two parameters without text between them. Separate them, as in ':from-:to'.",
    ],
    [
      '/*a.b',
      "'*a.b' is not a valid parameter. Use '*name' as a whole segment, with letters, digits and underscores.",
    ],
    [
      '/:id?',
      "':id?' has a modifier or a regular expression. Register a route for each form of the path, and check the value in the handler.",
    ],
    [
      '/:id(\\d+)',
      "':id(\\d+)' has a modifier or a regular expression. Register a route for each form of the path, and check the value in the handler.",
    ],
    ['/:id-:id', "the parameter 'id' appears twice. Rename one of them."],
    ['/:id/x/:id', "the parameter 'id' appears twice. Rename one of them."],
    ['/:id/*id', "the parameter 'id' appears twice. Rename one of them."],
    [
      '/100%',
      "'100%' contains a malformed escape. Percent-encode UTF-8, and write '%25' for a percent sign.",
    ],
    [
      '/%ff',
      "'%ff' contains a malformed escape. Percent-encode UTF-8, and write '%25' for a percent sign.",
    ],
  ])('rejects %s', (pattern, reason) => {
    expect(() => parsePattern(pattern)).toThrow(new InvalidPatternError(pattern, reason));
  });

  it('names the invalid pattern and the problem', () => {
    expect(() => parsePattern('/a//b')).toThrow(
      "The pattern '/a//b' is not valid: it has an empty segment. Use one slash between segments.",
    );
  });
});

describe('shapeOf', () => {
  const shape = (pattern: string, rules: Partial<PathRules> = {}) =>
    shapeOf(parsePattern(pattern), { ...RULES, ...rules });

  it.each([
    ['/users/:id', '/users/:name'],
    ['/files/*', '/files/*path'],
    ['/users', '/users/'],
    ['/users', '/%75sers'],
    ['/:a.png', '/:b.png'],
  ])('is the same for %s and %s', (one, other) => {
    expect(shape(one)).toBe(shape(other));
  });

  it.each([
    ['/users/:id', '/users/*id'],
    ['/users/:id', '/users/id'],
    ['/users', '/Users'],
    ['/', '/*'],
    ['/:a.png', '/:a'],
    ['/:a.png', '/%3A.png'],
    ['/:a', '/%3A'],
    ['/*', '/%2A'],
  ])('differs for %s and %s', (one, other) => {
    expect(shape(one)).not.toBe(shape(other));
  });

  it('follows the rules of the router', () => {
    expect(shape('/A', { caseSensitive: false })).toBe(shape('/a', { caseSensitive: false }));
    expect(shape('/a/', { strict: true })).not.toBe(shape('/a', { strict: true }));
  });
});
