/** A global symbol, so that two copies of a package share the marked values. */
const INTENDED = Symbol.for('fairlead:intended');

const shared = globalThis as typeof globalThis & { [INTENDED]?: WeakSet<object> };

/** Marks a value that a warning is about, so that the warning is not printed. Accepts frozen values. */
export function markIntended<Target extends object>(target: Target): Target {
  shared[INTENDED] ??= new WeakSet();
  shared[INTENDED].add(target);
  return target;
}

/** Whether a value is marked as intended. */
export function isIntended(value: unknown): boolean {
  return shared[INTENDED]?.has(Object(value)) ?? false;
}

/**
 * Explains that a time was probably meant in seconds, because it is much shorter than any useful one.
 *
 * @param sentence - What the time is for, such as `timeout(5) allows`.
 * @param time - In milliseconds. 0 often stands for no limit, so it is never suspicious.
 * @param least - The shortest useful time, in milliseconds.
 * @param target - What `intended()` takes.
 * @returns Undefined for a useful time.
 */
export function explainSeconds(
  sentence: string,
  time: number | undefined,
  least: number,
  target: string,
): string | undefined {
  if (time === undefined || time === 0 || time >= least) return undefined;
  return `${sentence} ${time} ${time === 1 ? 'millisecond' : 'milliseconds'}. If you mean seconds, multiply by 1,000; otherwise pass ${target} to intended().`;
}

/** The shortest useful timeout of a connection or a shutdown, in milliseconds. */
export const SHORTEST_TIMEOUT = 100;

/**
 * Prints a startup warning. It can be wrong, so its message must end with how to silence it.
 *
 * @param code - Stable and documented, such as `FAIRLEAD_ORDER`.
 */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'FairleadWarning', code });
}
