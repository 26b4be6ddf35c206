import type { Locate } from './call-site.js';

/** A global symbol, so that copies and packages share the locations. */
const LOCATIONS = Symbol.for('fairlead:locations');
const shared: typeof globalThis & { [LOCATIONS]?: WeakMap<object, Locate> } = globalThis;

/**
 * Remembers where the application has registered a value.
 *
 * @returns The same value.
 */
export function setLocation<Target extends object>(target: Target, locate: Locate): Target {
  shared[LOCATIONS] ??= new WeakMap();
  shared[LOCATIONS].set(target, locate);
  return target;
}

/** Returns how to find where a value was registered, if {@link setLocation} was called. */
export function locatorOf(target: object): Locate | undefined {
  return shared[LOCATIONS]?.get(target);
}

/** The options of a route that generated documents leave out. */
export interface HiddenRoute {
  readonly hidden: true;
  readonly public?: string;
}

/**
 * Returns the options of a route that a package registers for its user, and documents nowhere. Messages then show the
 * call of the user instead of that in the package.
 *
 * @param reason - Why everyone may call the route, if its user says so.
 */
export function hiddenRouteAt(locate: Locate | undefined, reason?: string): HiddenRoute {
  const options: HiddenRoute = Object.freeze({
    hidden: true,
    ...(reason !== undefined && { public: reason }),
  });
  if (locate !== undefined) setLocation(options, locate);
  return options;
}

/** Formats where a value was registered as the last line of a message; empty if it is unknown. */
export function atLine(target: object | undefined): string {
  return formatLocation(target && locatorOf(target));
}

/** Formats a location as the last line of a message; empty if it is unknown. */
export function formatLocation(locate: Locate | undefined): string {
  const location = locate?.();
  return location === undefined ? '' : `\n  At: ${location}`;
}
