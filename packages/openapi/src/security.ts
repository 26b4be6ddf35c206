import { type Route, type SecurityRequirement } from '@fairlead/core';
import { describe, descriptionOf, throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  describeValue,
  findOptionProblems,
  type Kinds,
  kind,
  object,
  string,
} from '@fairlead/options';
import { conflictingSecurity } from './errors.js';

const KINDS: Kinds<SecurityRequirement> = {
  name: kind(
    'a name of letters, digits and the characters . _ -',
    (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
  ),
  scheme: object,
  scopes: arrayOf(string, 'an array of strings'),
};

/**
 * Declares how requests authenticate to pass a middleware, a guard or a guard class. The document shows it on
 * every route behind that function or class.
 *
 * @param target - The function or class. Declarations on the same one add up.
 * @param security - `{ name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } }`.
 * @returns The same function or class.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid.
 */
export function secured<Target extends (...args: never[]) => unknown>(
  target: Target,
  security: SecurityRequirement,
): Target;
export function secured<Target extends abstract new (...args: never[]) => unknown>(
  target: Target,
  security: SecurityRequirement,
): Target;
export function secured(target: object, security: SecurityRequirement): object {
  const problems = findOptionProblems('secured()', security, KINDS);
  if (typeof target !== 'function') {
    problems.push(
      `secured() cannot mark ${describeValue(target)}. Pass a middleware, a guard or a class of guards.`,
    );
  }
  for (const name of ['name', 'scheme'] as const) {
    if (security?.[name] === undefined) problems.push(`secured() needs a ${name}. Pass one.`);
  }
  throwTogether(problems);
  return describe(target, { security });
}

/** The security schemes of a document. */
export class SecuritySchemes {
  /** The Security Scheme Objects, by name. */
  readonly schemes = new Map<string, object>();

  /**
   * Adds the schemes of a route.
   *
   * @param label - The route, for messages.
   * @param problems - Receives schemes whose name another scheme has.
   * @returns The scopes that a request needs, by scheme; empty if it needs not authenticate.
   */
  add(route: Route, label: string, problems: Error[]): Readonly<Record<string, readonly string[]>> {
    const needed = new Map<string, ReadonlySet<string>>();
    const functions = [...(route.upstream ?? []), ...route.handlers];
    const declared: readonly SecurityRequirement[] = functions.flatMap(
      (one) => descriptionOf(one)?.security ?? [],
    );
    for (const security of [...declared, ...(route.options.security ?? [])]) {
      const { name, scheme, scopes = [] } = security;
      const present = this.schemes.get(name) ?? scheme;
      if (JSON.stringify(present) !== JSON.stringify(scheme)) {
        problems.push(conflictingSecurity(name, label));
      }
      this.schemes.set(name, present);
      needed.set(name, new Set([...(needed.get(name) ?? []), ...scopes]));
    }
    return Object.fromEntries([...needed].map(([name, scopes]) => [name, [...scopes]]));
  }
}
