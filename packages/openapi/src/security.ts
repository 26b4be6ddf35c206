import type { Security, SecurityAlternatives, SecurityRequirement } from '@fairlead/core';
import { describe, SECURITY_SCHEME, throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  describeValue,
  findOptionProblems,
  type Kinds,
  kind,
  string,
} from '@fairlead/options';
import { conflictingSecurity, type SecurityPlace } from './errors.js';

const REQUIREMENT: Kinds<SecurityRequirement> = {
  name: kind(
    'a name of letters, digits and the characters . _ -',
    (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
  ),
  scheme: SECURITY_SCHEME,
  scopes: arrayOf(string, 'an array of strings'),
};

const ALTERNATIVES: Kinds<SecurityAlternatives> = {
  anyOf: kind(
    'an array of at least one way to authenticate',
    (value) => Array.isArray(value) && value.length > 0,
  ),
};

/**
 * Declares how requests authenticate to pass a middleware, a guard or a guard class. The document shows it on
 * every route behind that function or class.
 *
 * @param target - The function or class. Declarations on the same one add up.
 * @param security - `{ name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } }`. Or several ways, one of
 *   which is enough: `{ anyOf: [bearer, apiKey] }`. There, `[bearer, apiKey]` needs both, and `[]` lets requests
 *   pass that do not authenticate.
 * @returns The same function or class.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid.
 */
export function secured<Target extends (...args: never[]) => unknown>(
  target: Target,
  security: SecurityRequirement | SecurityAlternatives,
): Target;
export function secured<Target extends abstract new (...args: never[]) => unknown>(
  target: Target,
  security: SecurityRequirement | SecurityAlternatives,
): Target;
export function secured(
  target: object,
  security: SecurityRequirement | SecurityAlternatives,
): object {
  const problems: string[] = [];
  if (typeof target !== 'function') {
    problems.push(
      `secured() cannot mark ${describeValue(target)}. Pass a middleware, a guard or a class of guards.`,
    );
  }
  if (Array.isArray(security)) {
    problems.push(
      'secured() cannot use an array. Pass { anyOf: […] } if one of its members is enough. If requests need all of them, call secured() for each.',
    );
  } else problems.push(...findProblems(security));
  throwTogether(problems);
  return describe(target, { security });
}

function findProblems(security: Security): readonly string[] {
  if (Array.isArray(security)) return security.flatMap(findProblems);
  if (isAlternatives(security)) {
    const problems = findOptionProblems('secured()', security, ALTERNATIVES);
    return problems.length > 0 ? problems : security.anyOf.flatMap(findProblems);
  }
  const requirement = security as SecurityRequirement | undefined;
  const problems = findOptionProblems('secured()', requirement, REQUIREMENT);
  for (const name of ['name', 'scheme'] as const) {
    if (requirement?.[name] === undefined) problems.push(`secured() needs a ${name}. Pass one.`);
  }
  return problems;
}

function isAlternatives(security: Security): security is SecurityAlternatives {
  return Reflect.has(Object(security), 'anyOf');
}

/** The scopes that a request needs, by scheme. */
type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/** The security schemes of a document. */
export class SecuritySchemes {
  /** The Security Scheme Objects, by name. */
  readonly schemes = new Map<string, object>();
  /** Where each scheme of a name was found first, by name and the scheme as text. */
  readonly #places = new Map<string, Map<string, SecurityPlace>>();

  /**
   * Adds the schemes of a route or a webhook.
   *
   * @param problems - Receives schemes whose name another scheme has, each once.
   * @returns The Security Requirement Objects, of which a request meets one; none for public routes.
   */
  add(
    security: Security,
    place: SecurityPlace,
    problems: Error[],
  ): readonly Readonly<Record<string, readonly string[]>>[] {
    const ways = this.#read(security, place, problems);
    if (ways.every(({ size }) => size === 0)) return [];
    return ways.map((needs) =>
      Object.fromEntries([...needs].map(([name, scopes]) => [name, [...scopes]])),
    );
  }

  /** Lists the ways to authenticate. */
  #read(security: Security, place: SecurityPlace, problems: Error[]): readonly Needs[] {
    const read = (one: Security) => this.#read(one, place, problems);
    if (Array.isArray(security)) return security.map(read).reduce(combine, [new Map()]);
    if (isAlternatives(security)) return security.anyOf.flatMap(read);
    const { name, scheme, scopes = [] } = security as SecurityRequirement;
    const text = JSON.stringify(scheme);
    const seen = this.#places.get(name);
    if (seen === undefined) {
      this.#places.set(name, new Map([[text, place]]));
      this.schemes.set(name, scheme);
    } else if (!seen.has(text)) {
      const [[declared, first] = [text, place]] = seen;
      problems.push(conflictingSecurity(name, declared, first, place));
      seen.set(text, place);
    }
    return [new Map([[name, new Set(scopes)]])];
  }
}

/** Joins each of some ways with each of others, without those that need more than another of the results. */
function combine(some: readonly Needs[], others: readonly Needs[]): readonly Needs[] {
  const joined = some.flatMap((one) => others.map((other) => join(one, other)));
  return joined.filter(
    (needs, index) =>
      !joined.some((other, place) => {
        if (place === index || !includes(needs, other)) return false;
        // Requests that do not authenticate are a way beside the others. Of equal ways, the first stays.
        return includes(other, needs) ? place < index : other.size > 0;
      }),
  );
}

function join(one: Needs, other: Needs): Needs {
  const joined = new Map(one);
  for (const [name, scopes] of other) {
    joined.set(name, new Set([...(joined.get(name) ?? []), ...scopes]));
  }
  return joined;
}

/** Whether one way needs at least what another one does. */
function includes(needs: Needs, other: Needs): boolean {
  return [...other].every(([name, scopes]) => {
    const present = needs.get(name);
    return present !== undefined && [...scopes].every((scope) => present.has(scope));
  });
}
