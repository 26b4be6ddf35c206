import { describe, expect, it } from 'vitest';
import { type PathRules, parsePattern } from './pattern.js';
import { handlesMethod, Tree } from './tree.js';

const DEFAULT: PathRules = { caseSensitive: true, strict: false };

/** A tree of patterns for GET; each value is the pattern itself. */
function treeOf(patterns: readonly string[], rules: Partial<PathRules> = {}): Tree<string> {
  const tree = new Tree<string>({ ...DEFAULT, ...rules });
  for (const pattern of patterns) tree.insert('GET', parsePattern(pattern), pattern);
  return tree;
}

describe('find', () => {
  it.each([
    ['/users/me', '/users/me', []],
    ['/users/7', '/users/:id', ['7']],
    ['/users/7/posts', '/users/:id/posts', ['7']],
    ['/users/me/posts', '/users/:id/posts', ['me']],
    ['/users/me/pictures/1', '/users/*rest', ['me/pictures/1']],
    ['/users', '/users/*rest', ['']],
    ['/other', '/*', ['other']],
    ['/', '/*', ['']],
  ])(
    'takes %s to %s: static over :param over *wildcard, with backtracking',
    (path, value, rawParams) => {
      const patterns = ['/*', '/users/*rest', '/users/:id', '/users/:id/posts', '/users/me'];
      expect(treeOf(patterns).find('GET', path)).toEqual({ value, rawParams });
    },
  );

  it.each([
    ['/logo.png', '/:file.png', ['logo']],
    ['/me.png', '/me.png', []],
    ['/a-b.png', '/:file.png', ['a-b']],
    ['/a-b-c', '/:from-:to', ['a', 'b-c']],
    ['/.png', '/:any', ['.png']],
    ['/-x', '/:any', ['-x']],
    ['/--x', '/:from-:to', ['-', 'x']],
    ['/a%2Db', '/:any', ['a%2Db']],
    ['/user-7', '/user-:id', ['7']],
    ['/user-7/x', '/*', ['user-7/x']],
  ])(
    'takes %s to %s: static over parameters with text over :param, the longest text first',
    (path, value, rawParams) => {
      const patterns = ['/*', '/:any', '/:from-:to', '/:file.png', '/user-:id', '/me.png'];
      expect(treeOf(patterns).find('GET', path)).toEqual({ value, rawParams });
    },
  );

  it('does not split an escape at text between parameters', () => {
    const tree = treeOf(['/:a%2F:b']);
    expect(tree.find('GET', '/%2F%2F%2F')).toEqual({
      value: '/:a%2F:b',
      rawParams: ['%2F', '%2F'],
    });
    expect(tree.find('GET', '/%2F%2F')).toBeUndefined();
  });

  it('skips a pattern of higher precedence that lacks the method', () => {
    const tree = treeOf(['/users/me']);
    tree.insert('POST', parsePattern('/users/:id'), 'by id');
    expect(tree.find('POST', '/users/me')).toEqual({ value: 'by id', rawParams: ['me'] });
  });

  it('does not match a parameter with an empty segment', () => {
    expect(treeOf(['/users/:id', '/:a/:b/:c']).find('GET', '/users//x')).toBeUndefined();
  });

  it('finds GET for HEAD, and ALL for a method without a route', () => {
    const tree = treeOf(['/a']);
    tree.insert('ALL', parsePattern('/a'), 'all');
    expect(tree.find('HEAD', '/a')?.value).toBe('/a');
    expect(tree.find('PUT', '/a')?.value).toBe('all');
  });

  it('finds the HEAD route for HEAD', () => {
    const tree = treeOf(['/a']);
    tree.insert('HEAD', parsePattern('/a'), 'head');
    expect(tree.find('HEAD', '/a')?.value).toBe('head');
  });

  it('distinguishes texts with a common prefix', () => {
    const patterns = ['/team', '/teams', '/teams/:id', '/tea/*rest', '/te'];
    const tree = treeOf(patterns);
    const find = (path: string) => tree.find('GET', path);
    expect(patterns.map((path) => find(path)?.value)).toEqual(patterns);
    expect(['/t', '/teamsters', '/tens', '/teama/b'].map(find)).toEqual(Array(4).fill(undefined));
    expect(find('/tea/m')).toEqual({ value: '/tea/*rest', rawParams: ['m'] });
  });

  it('finds nothing below a static pattern', () => {
    expect(treeOf(['/a']).find('GET', '/a/b')).toBeUndefined();
  });

  it('finds nothing for *, which is not a path', () => {
    expect(treeOf(['/*']).find('GET', '*')).toBeUndefined();
  });

  it('finds nothing in an empty tree', () => {
    expect(treeOf([]).find('GET', '/')).toBeUndefined();
  });

  it('does not match the names of Object.prototype', () => {
    expect(treeOf(['/a']).find('GET', '/constructor/__proto__')).toBeUndefined();
  });
});

describe('trailing slashes', () => {
  it('are insignificant by default', () => {
    const tree = treeOf(['/a', '/b/', '/c/:id']);
    expect(tree.find('GET', '/a/')?.value).toBe('/a');
    expect(tree.find('GET', '/b')?.value).toBe('/b/');
    expect(tree.find('GET', '/c/7/')).toEqual({ value: '/c/:id', rawParams: ['7'] });
  });

  it('are significant when the router is strict', () => {
    const tree = treeOf(['/a', '/b/', '/c/:id', '/d', '/d/'], { strict: true });
    const find = (path: string) => tree.find('GET', path)?.value;
    expect([find('/a/'), find('/b'), find('/c/7/')]).toEqual([undefined, undefined, undefined]);
    expect([find('/a'), find('/b/'), find('/d'), find('/d/')]).toEqual(['/a', '/b/', '/d', '/d/']);
  });
});

describe('case', () => {
  it('is significant by default', () => {
    expect(treeOf(['/Users']).find('GET', '/users')).toBeUndefined();
  });

  it('is insignificant with caseSensitive: false, but parameters keep it', () => {
    const tree = treeOf(['/Users/:id'], { caseSensitive: false });
    expect(tree.find('GET', '/uSERS/AbC')).toEqual({ value: '/Users/:id', rawParams: ['AbC'] });
  });
});

describe('methods', () => {
  it('are those of every pattern that matches the path', () => {
    const tree = treeOf(['/users/me', '/other']);
    tree.insert('PUT', parsePattern('/users/:id'), '');
    tree.insert('DELETE', parsePattern('/*'), '');
    expect([...tree.methods('/users/me')].sort()).toEqual(['DELETE', 'GET', 'PUT']);
    expect([...tree.methods('/nowhere')]).toEqual(['DELETE']);
  });

  it('of * are those of the whole tree', () => {
    const tree = treeOf(['/users/:id/posts']);
    tree.insert('PUT', parsePattern('/a/*'), '');
    expect([...tree.methods('*')].sort()).toEqual(['GET', 'PUT']);
  });
});

describe('a pattern with routes for GET and ALL', () => {
  it.each([
    ['GET', 'get'],
    ['HEAD', 'get'],
    ['PUT', 'all'],
  ])('selects for %s the route of %s', (method, selected) => {
    const tree = new Tree<string>(DEFAULT);
    tree.insert('ALL', parsePattern('/a'), 'all');
    tree.insert('GET', parsePattern('/a'), 'get');
    expect(tree.find(method, '/a')?.value).toBe(selected);
  });

  it('selects nothing for a method without a route', () => {
    expect(treeOf(['/a']).find('POST', '/a')).toBeUndefined();
  });
});

describe('handlesMethod', () => {
  it.each([
    [['GET'], 'GET', true],
    [['GET'], 'HEAD', true],
    [['HEAD'], 'GET', false],
    [['ALL'], 'REPORT', true],
    [['PUT'], 'POST', false],
    [[], 'GET', false],
  ])('of %j for %s is %s', (methods, method, handled) => {
    expect(handlesMethod(new Set(methods), method)).toBe(handled);
  });
});
