import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeParameter, decodeWildcard } from '../exchange/params.js';
import { joinPaths } from '../router/pattern.js';
import { normalizePath } from './target.js';

describe('normalizePath', () => {
  it.each([
    ['/users/7', '/users/7'],
    ['/%61dmin', '/admin'],
    ['/%2D%5f%7E', '/-_~'],
    ['/a%3Ab%40c%24%26%2B%2C%3B%3D', '/a:b@c$&+,;='],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/a%2fb', '/a%2Fb'],
    ['/a b"<>', '/a%20b%22%3C%3E'],
    ['/%25', '/%25'],
    ['/%2e%2E/', '/../'],
    ['//a//', '//a//'],
    ['/', '/'],
  ])('normalizes %s to %s', (path, normal) => {
    expect(normalizePath(path)).toBe(normal);
  });

  it.each(['/%', '/%a', '/%zz', '/%ff', '/%c3', '/%c0%af', '/%ed%a0%80', '/%00', '/a%00b', '/é'])(
    'refuses %s',
    (path) => {
      expect(normalizePath(path)).toBeUndefined();
    },
  );

  const segment = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));

  it('is the same for every spelling of a segment', () => {
    const escapeAll = (text: string) =>
      Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    fc.assert(
      fc.property(segment, (text) => {
        const shown = normalizePath(`/${escapeAll(text)}`);
        expect(shown).toBe(normalizePath(`/${encodeURIComponent(text)}`));
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.array(segment), (texts) => {
        const normal = normalizePath(`/${texts.map(encodeURIComponent).join('/')}`);
        expect(normalizePath(String(normal))).toBe(normal);
      }),
    );
  });

  it('keeps the text of every segment', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (texts) => {
        const normal = normalizePath(`/${texts.map(encodeURIComponent).join('/')}`);
        expect(normal?.slice(1).split('/').map(decodeParameter)).toEqual(texts);
      }),
    );
  });
});

describe('decodeWildcard', () => {
  it.each([
    ['a/b.txt', 'a/b.txt'],
    ['a%20b/%C3%A9', 'a b/é'],
    ['private%2Fx', 'private%2Fx'],
    ['private%252Fx', 'private%2Fx'],
    ['100%25', '100%'],
    ['', ''],
  ])('of %s is %s', (text, value) => {
    expect(decodeWildcard(text)).toBe(value);
  });

  it('has only the slashes of the path', () => {
    const piece = fc.oneof(fc.constantFrom('/', '%', '2F', '.'), fc.string({ unit: 'grapheme' }));
    const segment = fc.array(piece).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(segment), (texts) => {
        const value = decodeWildcard(texts.map(encodeURIComponent).join('/'));
        expect(value).toBe(texts.map((text) => text.replaceAll('/', '%2F')).join('/'));
      }),
    );
  });
});

describe('joinPaths', () => {
  it.each([
    [[], '/'],
    [['', '/'], '/'],
    [['/api', '/users'], '/api/users'],
    [['api/', '/users/'], '/api/users/'],
    [['/api', '', '/', ':id'], '/api/:id'],
    [['/api', '/'], '/api'],
  ])('of %j is %s', (parts, path) => {
    expect(joinPaths(...parts)).toBe(path);
  });

  it('keeps every segment, in order, and adds none', () => {
    const part = fc.stringMatching(/^[/a:*]{0,6}$/);
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const segments = parts.flatMap((text) => text.split('/')).filter((text) => text !== '');
        const path = joinPaths(...parts);
        expect(path).toMatch(/^\/(?!\/)/);
        expect(path).not.toContain('//');
        expect(path.split('/').filter((text) => text !== '')).toEqual(segments);
        expect(joinPaths(path)).toBe(path);
      }),
    );
  });
});
