import fc, { type Arbitrary, PreconditionFailure } from 'fast-check';
import { type FuzzRule, Violation } from './violations.js';

/** What came of an exploration. */
export interface Exploration {
  /** With the smallest case that was found for it; at most one for each rule. */
  readonly violations: readonly Violation[];
  /** Cases that were generated but are none. */
  readonly skipped: number;
  /** Cases that were run. */
  readonly runs: number;
}

/** Cases that may be skipped for each that runs. */
const SKIPS = 10;

/** Attempts to find a smaller case. */
const SHRINKS = 300;

/**
 * Runs cases, and finds the smallest one for each rule that one of them breaks.
 *
 * @param run - Throws a {@link Violation} of a case, except for the rules that need no other one.
 */
export async function explore<Case>(
  cases: Arbitrary<Case>,
  run: (one: Case, known: ReadonlySet<FuzzRule>) => Promise<void>,
  {
    seed,
    runs,
    ignored,
  }: {
    readonly seed: number;
    readonly runs: number;
    readonly ignored: ReadonlySet<FuzzRule>;
  },
): Promise<Exploration> {
  const known = new Set(ignored);
  const violations: Violation[] = [];
  for (;;) {
    let smallest: Violation | undefined;
    let shrinks = 0;
    let isOver = false;
    const property = fc.asyncProperty(cases, async (one) => {
      if (isOver || (smallest !== undefined && ++shrinks > SHRINKS)) return;
      try {
        await run(one, known);
      } catch (error) {
        // Such as an error of the option authenticate.
        isOver = !(error instanceof Violation || error instanceof PreconditionFailure);
        if (!(error instanceof Violation)) throw error;
        // A smaller case must not break another rule.
        const isWanted =
          smallest === undefined ? !known.has(error.rule) : smallest.rule === error.rule;
        if (!isWanted) return;
        smallest = error;
        // Each attempt would take as long again.
        isOver = error.rule === 'no-response';
        throw error;
      }
    });
    const { numRuns, numSkips, errorInstance } = await fc.check(property, {
      seed,
      numRuns: runs,
      maxSkipsPerRun: SKIPS,
    });
    // Such as a mistake in this package.
    if (smallest === undefined && errorInstance !== null && errorInstance !== undefined)
      throw errorInstance;
    if (smallest === undefined) return { violations, skipped: numSkips, runs: numRuns };
    const found: Violation = smallest;
    violations.push(found);
    known.add(found.rule);
  }
}

/** Skips a case that cannot be run, such as one whose resource was not created. */
export function skip(): never {
  throw new PreconditionFailure();
}
