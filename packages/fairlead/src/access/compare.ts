import type { PathRules } from '@fairlead/core';
import { describeBelow, describeNeeds, describeWay, implies, missingWays } from './chains.js';
import type { Lock, LockedRoute, LockedStep } from './lock.js';

/** A difference between a lock and an application. */
export interface Difference {
  /** Whether more requests pass than the lock says. */
  readonly kind: 'weaker' | 'changed';
  /** Such as `GET /users/:id`. */
  readonly route: string;
  /** A sentence without the route. */
  readonly message: string;
}

/**
 * Compares an application with a lock. What a guard does inside is not compared.
 *
 * @param builtIn - The routes whose reason a package brings. A lock leaves them out unless something guards them.
 * @param rules - How the paths of present routes are compared; by default, with their case and without a slash at the
 *   end.
 * @returns What is weaker first; empty if nothing has changed.
 */
export function compare(
  lock: Lock,
  present: Lock,
  builtIn: ReadonlySet<string>,
  rules: ReadonlyMap<string, PathRules>,
): readonly Difference[] {
  const names = renamed(lock, present, rules);
  const earlier = new Map([...names].map(([old, now]) => [now, old]));
  const routes = [...new Set([...lock.keys(), ...present.keys()])].sort();
  const all = routes.flatMap((route): readonly Difference[] => {
    if (names.has(route)) return [];
    const [before, after] = [lock.get(earlier.get(route) ?? route), present.get(route)];
    const changed = (message: string) => [{ kind: 'changed', route, message } as const];
    if (after === undefined) return changed('is gone.');
    if (before !== undefined) return compareRoute(route, before, after);
    if (builtIn.has(route) && after.steps.length === 0) return [];
    return changed(`is new: ${describeRoute(after)}.`);
  });
  return [
    ...all.filter(({ kind }) => kind === 'weaker'),
    ...all.filter(({ kind }) => kind === 'changed'),
  ];
}

/** How prefixes are compared, and paths by default. */
const USUAL: PathRules = { caseSensitive: true, strict: false };

/** All ways to compare paths. */
const RULES: readonly PathRules[] = [true, false].flatMap((caseSensitive) =>
  [true, false].map((strict) => ({ caseSensitive, strict })),
);

/**
 * Finds the routes with another name that handle the same requests: the names of parameters do not matter, nor does a
 * slash at the end, nor the case, unless the rules say so.
 */
function renamed(
  lock: Lock,
  present: Lock,
  rules: ReadonlyMap<string, PathRules>,
): ReadonlyMap<string, string> {
  const added = new Map(
    [...present.keys()]
      .filter((one) => !lock.has(one))
      .map((one) => [shapeOf(one, rules.get(one) ?? USUAL), one]),
  );
  return new Map(
    [...lock.keys()].flatMap((route) => {
      const shapes = present.has(route) ? [] : RULES.map((one) => shapeOf(route, one));
      const now = shapes.map((shape) => added.get(shape)).find((one) => one !== undefined);
      return now === undefined ? [] : [[route, now] as const];
    }),
  );
}

/** Returns a text that routes share if they handle the same requests by the same rules. */
function shapeOf(route: string, { caseSensitive, strict }: PathRules): string {
  const bare = route.replace(/([:*])[\p{L}_][\p{L}\p{M}\p{N}_]*/gu, '$1');
  const folded = caseSensitive
    ? bare
    : bare.replace(/\/(?:(?! version ).)*/, (path) => path.toLowerCase());
  const shape = strict ? folded : folded.replace(/(?<=[^ ])\/(?= |$)/, '');
  return `${caseSensitive} ${strict} ${shape}`;
}

function describeRoute({ public: reason, steps }: LockedRoute): string {
  if (steps.length > 0) return steps.map(describeStep).join(', ');
  return reason === undefined ? 'nothing guards it' : `everyone may call it, ${quote(reason)}`;
}

function quote(reason: string): string {
  return JSON.stringify(reason);
}

function describeStep({ kind, name, below, needs }: LockedStep): string {
  const demand = describeNeeds(needs);
  return `the ${kind} ${name}${describeBelow(below)}${demand && ` (${demand})`}`;
}

function compareRoute(route: string, before: LockedRoute, after: LockedRoute): Difference[] {
  const differences: Difference[] = [];
  const add = (kind: Difference['kind'], message: string) =>
    differences.push({ kind, route, message });
  if (before.public !== after.public) {
    const was = before.public && quote(before.public);
    const now = after.public && quote(after.public);
    if (now === undefined) add('changed', 'is not public anymore.');
    else if (was === undefined) {
      add(before.steps.length > 0 ? 'weaker' : 'changed', `is public now: ${now}.`);
    } else add('changed', `is public for another reason: ${now} instead of ${was}.`);
  }
  const removed = [...before.steps];
  const added = [...after.steps];
  /** Takes pairs of steps that fit out of both lists. */
  const pair = (
    fits: (old: LockedStep, now: LockedStep) => boolean,
    report: (old: LockedStep, now: LockedStep) => void,
  ): void => {
    for (const old of [...removed]) {
      const index = added.findIndex((now) => fits(old, now));
      const [now] = index < 0 ? [] : added.splice(index, 1);
      if (now === undefined) continue;
      removed.splice(removed.indexOf(old), 1);
      report(old, now);
    }
  };
  const isAlike = (old: LockedStep, now: LockedStep) =>
    old.kind === now.kind && old.name === now.name && old.below === now.below;
  const isEqual = (old: LockedStep, now: LockedStep) =>
    isAlike(old, now) && implies(now.needs, old.needs) && implies(old.needs, now.needs);
  const isStrong = (old: LockedStep, now: LockedStep) =>
    (now.below === undefined || now.below === old.below) && implies(now.needs, old.needs);
  pair(isEqual, () => undefined);
  pair(
    (old, now) => isAlike(old, now) && isStrong(old, now),
    (old, now) =>
      add('changed', `${describeStep(now)} demanded ${describeNeeds(old.needs) || 'less'} before.`),
  );
  pair(isAlike, (old, now) => {
    const ways = missingWays(now.needs, old.needs).map(describeWay).join(' or ');
    add('weaker', `${describeStep(old)} lets requests with ${ways} pass, too.`);
  });
  pair(isStrong, (old, now) =>
    add('changed', `${describeStep(old)} has been replaced by ${describeStep(now)}.`),
  );
  for (const old of removed) add('weaker', `${describeStep(old)} does not run for it anymore.`);
  for (const now of added) {
    // Requests that pass a step pass an equal one. Unless its demands are known, it may be another one.
    const isKnown = now.needs.some((way) => way.length > 0);
    if (isKnown && before.steps.some((old) => isEqual(old, now))) continue;
    add('changed', `${describeStep(now)} is new.`);
  }
  return differences;
}
