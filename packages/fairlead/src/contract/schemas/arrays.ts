import type { Case } from './case.js';
import type { Walk } from './findings.js';
import { describeOpaque } from './opaque.js';
import { containsOf } from './prover.js';
import { describeCount, describeCounts } from './scalars.js';

export function describeArrays(walk: Walk, old: Case, now: Case, member: string): void {
  describeCounts(walk, old, now, 'number of items', ['minItems', 'maxItems'], member);
  const [was, is] = [old, now].map((one) =>
    one.all('uniqueItems').some(([, value]) => value === true),
  );
  if (is && !was) walk.findings.add(member, 'must have different items now', 2, 0);
  if (was && !is) walk.findings.add(member, 'can have equal items now', 0, 2);
  describeContains(walk, old, now, member);
  const length = Math.max(old.length, now.length);
  for (let index = 0; index < length; index += 1) {
    walk.recurse(old.item(index), now.item(index), `${member}[${index}]`);
  }
  walk.recurse(old.item(length), now.item(length), `${member}[]`);
}

function describeContains(walk: Walk, old: Case, now: Case, member: string): void {
  const { equality } = walk.prover;
  const [was, is] = [old, now].map((one) => one.all('contains').map(([part]) => part));
  const [before] = was ?? [];
  const [after] = is ?? [];
  if (before === undefined && after === undefined) return;
  if (before === undefined) {
    walk.findings.add(member, 'needs certain items now', 2, 0);
    return;
  }
  if (after === undefined) {
    walk.findings.add(member, 'needs no certain items anymore', 0, 2);
    return;
  }
  if (!equality.sameKeyword(before, after, 'contains')) {
    describeOpaque(walk, old, now, ['contains'], member);
    return;
  }
  const [[least, most], [newLeast, newMost]] = [containsOf(before), containsOf(after)];
  describeCount(walk, 'minimum number of certain items', least, newLeast, 1, member);
  describeCount(walk, 'maximum number of certain items', most, newMost, -1, member);
}
