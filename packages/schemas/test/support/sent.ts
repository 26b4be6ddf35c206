import { expect } from 'vitest';
import { compileDescribed } from '../../src/strip-undescribed.js';

/** More objects in a row than a filter is generated for. */
const TIMES = 12;

/**
 * Returns what a client receives of a value that is JSON. The first object is read by a loop over its members, and
 * the last ones by generated filters, which must send the same.
 */
export function sent(schema: object, value: unknown): unknown {
  const { keep } = compileDescribed(schema);
  const write = () => JSON.stringify(keep === undefined ? value : keep(value));
  const first = write();
  for (let count = 1; count < TIMES; count += 1) expect(write()).toBe(first);
  return JSON.parse(first);
}
