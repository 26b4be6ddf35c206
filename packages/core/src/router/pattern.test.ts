import { describe, expect, it } from 'vitest';
import { normalizeSegment } from '../server/target.js';
import { InvalidPatternError } from '../setup/setup-error.js';
import { type PathRules, parsePattern, parsePrefix, renameFix, shapeOf } from './pattern.js';

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

  it.each(['año', 'größe', '名前', 'नाम', '_id', 'e\u0301tat'])(
    'allows the parameter and the wildcard %s',
    (name) => {
      expect(parsePattern(`/:${name}/*${name}s`).names).toEqual([name, `${name}s`]);
    },
  );

  it.each(['c++', '$metadata', 'a~b@c', "!&',;=", '.well-known', 'v1.0', '...', '"a"', '日本'])(
    'reads %s as static text',
    (text) => {
      const [segment] = parsePattern(text).segments;
      expect(segment).toEqual({ kind: 'static', text: normalizeSegment(text) });
    },
  );

  it('adds the leading slash', () => {
    expect(parsePattern('users').text).toBe('/users');
  });

  it('normalizes static text like a request path', () => {
    const texts = ['/caf%c3%a9', '/café', '/a%20b', '/%61'].map(
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
    [
      '/*rest/b',
      "the wildcard '*rest' is not the last segment. Move it to the end, or use ':name' for one segment.",
    ],
    [
      '/users/:',
      "':' contains a colon without a name. Use ':name' with letters, digits and underscores, starting with a letter, or write '%3A' for a colon.",
    ],
    [
      '/v1:',
      "'v1:' contains a colon without a name. Use ':name' with letters, digits and underscores, starting with a letter, or write '%3A' for a colon.",
    ],
    [
      '/:a:b',
      "':a:b' contains two parameters without text between them. Separate them, as in ':from-:to', or write '%3A' for a colon.",
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
    ['/a%00', "'a%00' contains '%00', which the path of a request must not contain. Remove it."],
  ])('rejects %s', (pattern, reason) => {
    expect(() => parsePattern(pattern)).toThrow(new InvalidPatternError(pattern, reason));
  });

  const REST = "Use '*name' as the whole last segment for the rest of the path";
  const FORM = 'pass an array with each form of the path';
  const VALUE = `Use ':name' and check its value with a schema or in the handler, ${FORM}`;
  const BRACKETS = `Use ':name' for a parameter, ':name?' for an optional one at the end, '*name' for the rest of the path, ${FORM}`;

  it.each([
    ['/assets*', 'assets*', "'*'", REST, 'assets%2A'],
    ['/**', '**', "'*'", REST, '%2A%2A'],
    ['/a/*.png', '*.png', "'*'", REST, '%2A.png'],
    ['/:id*', ':id*', "'*'", REST, ':id%2A'],
    ['/:id+', ':id+', "'+'", REST, ':id%2B'],
    ['/a?', 'a?', "'?'", `P${FORM.slice(1)}`, 'a%3F'],
    ['/a/:id?.json', ':id?.json', "'?'", `P${FORM.slice(1)}`, ':id%3F.json'],
    ['/a#b', 'a#b', "'#'", 'Remove the fragment, which clients never send', 'a%23b'],
    ['/(.*)', '(.*)', "'('", VALUE, '%28.%2A%29'],
    ['/x/(\\d+)', '(\\d+)', "'('", VALUE, '%28%5Cd+%29'],
    ['/:id(\\d+)', ':id(\\d+)', "'('", VALUE, ':id%28%5Cd%2B%29'],
    ['/users(/:id)', 'users(', "'('", VALUE, 'users%28'],
    ['/a|b', 'a|b', "'|'", VALUE, 'a%7Cb'],
    ['/^a$', '^a$', "'^'", VALUE, '%5Ea$'],
    ['/:id$', ':id$', "'$'", VALUE, ':id%24'],
    ['\\users', '\\users', "'\\'", VALUE, '%5Cusers'],
    ['/{id}', '{id}', "'{'", "Use ':id'", '%7Bid%7D'],
    ['/[größe]', '[größe]', "'['", "Use ':größe'", '%5Bgröße%5D'],
    ['/<id>', '<id>', "'<'", "Use ':id'", '%3Cid%3E'],
    ['/a{/:opt}', 'a{', "'{'", BRACKETS, 'a%7B'],
    ['/:id{[0-9]+}', ':id{[0-9]+}', "'{'", BRACKETS, ':id%7B%5B0-9%5D%2B%7D'],
    ['/[...slug]', '[...slug]', "'['", BRACKETS, '%5B...slug%5D'],
    ['/users ', 'users ', 'whitespace', 'Remove it', 'users%20'],
    ['/a\t/b', 'a\t', 'whitespace', 'Remove it', 'a%09'],
    ['/a\u00a0b', 'a\u00a0b', 'whitespace', 'Remove it', 'a%C2%A0b'],
  ])('rejects the syntax of %j', (pattern, part, found, fix, escaped) => {
    const reason = `'${part}' contains ${found}. ${fix}, or write '${escaped}' to match the text literally.`;
    expect(() => parsePattern(pattern)).toThrow(new InvalidPatternError(pattern, reason));
    expect(() => parsePattern(escaped)).not.toThrow();
  });

  it.each([
    [
      '/admin*',
      'admin*',
      "'*'",
      'Remove it, because a prefix matches every path below it',
      'admin%2A',
    ],
    [
      '/(v1|v2)',
      '(v1|v2)',
      "'('",
      "Use ':name' for a parameter, one prefix for each form of the path",
      '%28v1%7Cv2%29',
    ],
    ['/{id}', '{id}', "'{'", "Use ':id'", '%7Bid%7D'],
    ['/a#b', 'a#b', "'#'", 'Remove the fragment, which clients never send', 'a%23b'],
    ['/users ', 'users ', 'whitespace', 'Remove it', 'users%20'],
  ])('rejects the syntax of the prefix %j', (pattern, part, found, fix, escaped) => {
    const reason = `'${part}' contains ${found}. ${fix}, or write '${escaped}' to match the text literally.`;
    expect(() => parsePrefix(pattern)).toThrow(new InvalidPatternError(pattern, reason));
    expect(() => parsePrefix(escaped)).not.toThrow();
  });

  it.each([
    [
      '/search?q=:q',
      "it has a query. Use '/search', and read the query with ctx.query or @Query().",
    ],
    ['https://a.example:8080/users?x=1', "it is a URL. Use only its path, '/users'."],
    ['HTTP://a.example', "it is a URL. Use only its path, '/'."],
    [
      './users',
      "clients resolve the segment '.' before they send a path. Write the path without it.",
    ],
    [
      '/a/../b',
      "clients resolve the segment '..' before they send a path. Write the path without it.",
    ],
    [
      '/%2E%2e',
      "clients resolve the segment '%2E%2e' before they send a path. Write the path without it.",
    ],
  ])('rejects %s, which is more than a path', (pattern, reason) => {
    expect(() => parsePattern(pattern)).toThrow(new InvalidPatternError(pattern, reason));
  });

  it.each([
    [/^\/users/, 'an instance of RegExp'],
    [['/a', '/b'], "['/a', '/b']"],
    [undefined, 'undefined'],
    [Object.create(null), 'an object'],
  ])('rejects %o, which is not a string', (pattern, description) => {
    const reason = "it is not a string. Pass a path such as '/users/:id'.";
    expect(() => Reflect.apply(parsePattern, undefined, [pattern])).toThrow(
      new InvalidPatternError(description, reason),
    );
  });

  it.each([
    ['/:user-id', 'user-id', "write ':userId' instead of ':user-id' in the path, and use 'userId'"],
    ['/:2nd-a', '2nd-a', "write ':_2ndA' instead of ':2nd-a' in the path, and use '_2ndA'"],
    ['/:id', 'user-id', undefined],
    ['/:userId', 'userId', undefined],
  ])('explains for %s how to rename %s', (pattern, name, fix) => {
    expect(renameFix(pattern, name)).toBe(fix);
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
