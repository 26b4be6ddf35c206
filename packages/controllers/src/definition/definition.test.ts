import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinPath } from './route-path.js';

const part = fc.stringMatching(/^[/a:*]{0,6}$/);

describe('joinPath', () => {
  it.each([
    [[], '/'],
    [['', undefined], '/'],
    [['/'], '/'],
    [['api', 'v1', 'users', ':id'], '/api/v1/users/:id'],
    [['/api/', '//users//', '/'], '/api/users'],
    [['/files', '/*rest'], '/files/*rest'],
  ])('joins %j to %s', (parts, path) => {
    expect(joinPath(...parts)).toBe(path);
  });

  it('does not depend on the grouping of the parts', () => {
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        expect(joinPath(joinPath(a, b), c)).toBe(joinPath(a, joinPath(b, c)));
        expect(joinPath(joinPath(a))).toBe(joinPath(a));
      }),
    );
  });

  it('keeps every segment, in order, and adds none', () => {
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const segments = parts.flatMap((text) => text.split('/')).filter((text) => text !== '');
        const path = joinPath(...parts);
        expect(path).toMatch(/^\/(?!\/)/);
        expect(path.split('/').filter((text) => text !== '')).toEqual(segments);
        expect(path).not.toMatch(/\/\/|.\/$/);
      }),
    );
  });
});
