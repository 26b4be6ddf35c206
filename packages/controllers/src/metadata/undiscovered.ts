/** A global symbol, so that two copies of this package know of the same classes. */
const UNDISCOVERED = Symbol.for('fairlead:undiscovered-controllers');

const shared = globalThis as typeof globalThis & { [UNDISCOVERED]?: Set<object> };

shared[UNDISCOVERED] ??= new Set();

/** The classes with `@Controller()` that discovery has not found, and that are not registered either. */
export const undiscovered: Set<object> = shared[UNDISCOVERED];
