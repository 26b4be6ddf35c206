import type { Case } from './case.js';
import type { Doubt, Walk } from './findings.js';
import type { Part } from './part.js';

export function describeOpaque(
  walk: Walk,
  old: Case,
  now: Case,
  keywords: readonly [keyword: string, ...others: string[]],
  member: string,
  isMeaning = false,
): void {
  const [keyword] = keywords;
  const { equality } = walk.prover;
  const own = (one: Case) => one.all(keyword).filter(([part]) => !isMade(part, keyword));
  const [was, is] = [own(old), own(now)];
  const isSame =
    was.length === is.length &&
    was.every(([part]) =>
      is.some(([other]) => keywords.every((one) => equality.sameKeyword(part, other, one))),
    );
  if (isSame) return;
  const add = (message: string, narrower: Doubt, wider: Doubt) => {
    if (isMeaning)
      walk.findings.addMeaning(member, message, walk.findings.isRequest ? narrower : wider);
    else walk.findings.add(member, message, narrower, wider);
  };
  if (was.length === 0) add(`has a condition with ${keyword} now`, 1, 0);
  else if (is.length === 0) add(`has no condition with ${keyword} anymore`, 0, 1);
  else add(`has another condition with ${keyword}`, 1, 1);
}

/** Whether a schema only excludes other alternatives. */
function isMade({ schema }: Part, keyword: string): boolean {
  return keyword === 'not' && Object.keys(schema).length === 1;
}
