import { contains, PLACES } from '../../src/mistake.js';
import type { Result } from './make-mistakes.js';

/** Matches messages of the JavaScript engine about code that the developer has not written. */
const INTERNAL =
  /^\S+ is not a function|\S\.\S+ is not a function|\S+ is not iterable|Cannot (?:read properties|destructure)|Private element|without 'new'/;

/** Describes each difference between what a mistake wants and what it gets. */
export function describeDifferences(result: Result): string[] {
  const { area, title, wanted, place, message, compilerErrors } = result;
  const differences: string[] = [];
  const differ = (where: string, expected: unknown, actual: string): void => {
    differences.push(`${area}: ${title}: ${where}: expected ${String(expected)}, got ${actual}`);
  };
  const { compiler } = wanted;
  if (compiler === undefined) {
    for (const error of compilerErrors) differ('compiler', 'no error', error);
  } else if (!compilerErrors.some((error) => contains(error, compiler))) {
    differ('compiler', compiler, compilerErrors.join(' ') || 'no error');
  }
  for (const expected of PLACES) {
    const part = wanted[expected];
    if (part === undefined) continue;
    const isInternal =
      expected === 'startup' && INTERNAL.test(message) && !INTERNAL.test(String(part));
    const isReported =
      place === expected && (place === 'never' || contains(message, part)) && !isInternal;
    if (!isReported) differ(expected, part, `${place}: ${message.trim() || 'nothing'}`);
  }
  return differences;
}
