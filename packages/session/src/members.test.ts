import { cases, codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMembers, isEqual, type Members, merge, parseMembers } from './members.js';

const name = fc.constantFrom('a', 'b', 'c', '1', '__proto__');
const members: fc.Arbitrary<Members> = fc
  .array(fc.tuple(name, fc.constantFrom('1', '2', '3')))
  .map((entries) => new Map(entries));

describe('formatMembers', () => {
  it('is reversed by parseMembers', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: codePoint }), fc.json())), (entries) => {
        const given = parseMembers(
          JSON.parse(formatMembers(new Map(entries.map(([key, text]) => [key, text])))),
        );
        expect(isEqual(parseMembers(JSON.parse(formatMembers(given))), given)).toBe(true);
        expect(given.size).toBe(new Map(entries).size);
      }),
      { numRuns: cases(30) },
    );
  });
});

describe('merge', () => {
  it('applies every change of both, or names a member that both changed, unless both deleted it', () => {
    fc.assert(
      fc.property(members, members, members, (base, mine, theirs) => {
        const names = new Set([...base.keys(), ...mine.keys(), ...theirs.keys()]);
        const conflicts = [...names].filter((one) => {
          const [before, ours, other] = [base, mine, theirs].map((each) => each.get(one));
          return ours !== before && other !== before && (ours ?? other) !== undefined;
        });
        const merged = merge(base, mine, theirs);
        if (typeof merged === 'string') {
          expect(conflicts).toContain(merged);
          return;
        }
        expect(conflicts).toEqual([]);
        for (const one of names) {
          const isMine = mine.get(one) !== base.get(one);
          expect(merged.get(one)).toBe((isMine ? mine : theirs).get(one));
        }
      }),
    );
  });
});
