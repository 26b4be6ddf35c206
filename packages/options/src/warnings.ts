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
 * Prints a startup warning. It can be wrong, so its message must end with how to silence it.
 *
 * @param code - Stable and documented, such as `FAIRLEAD_ORDER`.
 */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'FairleadWarning', code });
}
