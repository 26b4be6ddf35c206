import { nearestName } from '@fairlead/options';
import type { Binding, Owner } from './binding.js';
import { INSTALL_ONE_COPY, otherCopyProviding } from './copies.js';
import { findTokenMistake } from './dependency.js';
import {
  type Listing,
  type Problem,
  registrationFix,
  serviceFix,
  type UnknownTokenDetails,
  UnknownTokenError,
  withCause,
} from './errors/injection-errors.js';
import { definedClasses } from './metadata.js';
import { listingOf } from './parameters.js';
import { describeOther } from './registry.js';
import { type Class, describeToken, type Token } from './token.js';

/** Details that the general message for an unknown token lacks. */
type Advice = Pick<UnknownTokenDetails, 'reason' | 'fix'>;

/**
 * Creates the problem of a token that nothing provides. Its message names what the author probably
 * meant: a token with the same or a similar name, a subclass, or another container.
 *
 * @param dependent - Needs the token.
 */
export function unknownToken(
  owner: Owner,
  token: Token,
  parameter?: number,
  dependent?: Pick<Binding, 'provider' | 'location'>,
): Problem {
  return withCause('unknown', token, (path, otherPaths = []) => {
    const listing = dependent && listingOf(dependent.provider);
    const index = listing === 'useExisting' ? undefined : parameter;
    return new UnknownTokenError([...path, token], token, index, {
      fix: registrationFix(token, listing),
      ...advise(owner, token, listing, dependent && path.at(-1)),
      location: dependent?.location,
      otherPaths: otherPaths.map((other) => [...other, token]),
    });
  });
}

/**
 * @param listing - Where the token is named. Undefined if it was resolved directly.
 * @param needing - The token of the provider that names it.
 */
function advise(
  owner: Owner,
  token: Token,
  listing: Listing | undefined,
  needing: Token | undefined,
): Advice {
  const mistake = findTokenMistake(token);
  if (mistake !== undefined) {
    return { reason: mistake.problem.replace(/\.$/, ''), ...(mistake.fix && { fix: mistake.fix }) };
  }
  const registered = registeredIn(owner);
  return (
    adviseOnContainer(owner, token, needing) ??
    adviseOnNamesake(token, registered, listing) ??
    (typeof token === 'function' ? adviseOnClass(token, registered, listing) : undefined) ??
    adviseOnName(token, similarTo(token, registered))
  );
}

/** Advises on a token that only another container provides. */
function adviseOnContainer(
  owner: Owner,
  token: Token,
  needing: Token | undefined,
): Advice | undefined {
  const other = describeOther(owner, token);
  if (other !== undefined) {
    const reason = `only ${other} registers it`;
    if (needing === undefined || other === 'another container')
      return { reason, fix: 'register it in this container, or resolve from the other one.' };
    const name = describeToken(needing);
    const fix = `register it where ${name} is registered, or ${name} in the child container, too: the container that registers a singleton builds it with its own providers.`;
    return { reason, fix };
  }
  const files = otherCopyProviding(token);
  if (files === undefined) return undefined;
  const reason = `it is registered in the container of another copy of @fairlead/di. The copies are ${files}`;
  return { reason, fix: INSTALL_ONE_COPY };
}

/**
 * Advises on a token with the same name as one that is registered, or a class with that of another. Both may be
 * meant, as a service and the token of what it stores, so the advice starts with the one that is missing.
 */
function adviseOnNamesake(
  token: Token,
  registered: readonly Token[],
  listing: Listing | undefined,
): Advice | undefined {
  const namesake = namesakeOf(token, [...registered, ...definedClasses()]);
  if (namesake === undefined) return undefined;
  const register = registrationFix(token, listing);
  const [text, other] = [describeToken(token), describeToken(namesake)];
  if (text !== other) {
    // Another call of Symbol() or token() would create another token.
    const isUnique =
      typeof namesake === 'object' ||
      (typeof namesake === 'symbol' && Symbol.keyFor(namesake) === undefined);
    const use = isUnique ? 'import it and use it here' : 'use it here';
    const difference = `${other}, which is provided, is a different token`;
    // A class probably lacks what makes it a service, and its namesake is the token of something else.
    return typeof token === 'function'
      ? { fix: `${register} ${difference}: if you meant that one, ${use}.` }
      : { reason: difference, fix: `${register} If you meant ${other}, ${use}.` };
  }
  return typeof token === 'function'
    ? {
        reason: 'another class has the same name',
        fix: `import the class from the same module in both places, because a module that is loaded twice has two classes. If they are two classes, ${register}`,
      }
    : {
        reason: 'another token with the same name is registered',
        fix: `create the token once, export it, and import it in both places. If you need two tokens, ${register}`,
      };
}

function adviseOnClass(
  target: Class,
  registered: readonly Token[],
  listing: Listing | undefined,
): Advice | undefined {
  const name = describeToken(target);
  if (isBuiltIn(target)) {
    const use =
      listing === 'inject'
        ? 'list it in `inject`'
        : 'list it in `static inject`, or mark the parameter with @Inject(token)';
    return {
      reason: 'it is a built-in class',
      fix:
        `create a token with the type of the parameter, as in token<Type>('My${name}'), register it with ` +
        `{ useValue } or { useFactory }, and ${use}.`,
    };
  }
  const isSubclass = (other: Token) =>
    typeof other === 'function' && other.prototype instanceof target;
  const subclass = [...registered, ...definedClasses()].find(isSubclass);
  if (subclass === undefined) return undefined;
  const fix = `register its subclass: container.register(${name}, { useClass: ${describeToken(subclass)} }). If you need ${name} itself, ${serviceFix(target, listing)}.`;
  return { fix };
}

function adviseOnName(token: Token, similar: Token | undefined): Advice {
  if (similar === undefined) return {};
  const [text, other] = [describeToken(token), describeToken(similar)];
  return { fix: `use ${other}, which is registered, or register ${text}.` };
}

/**
 * Finds the token that the author of a string or symbol probably meant. The compiler finds misspelled classes
 * and typed tokens: those with similar names have other types.
 */
export function similarTo(token: unknown, registered: readonly Token[]): Token | undefined {
  if (typeof token !== 'string' && typeof token !== 'symbol') return undefined;
  const same = registered.filter((other) => typeof other === typeof token);
  const names = new Map(same.map((other) => [nameOf(other), other]));
  return names.get(nearestName(nameOf(token), names.keys()) ?? '');
}

/**
 * Finds the token that the author of an optional one probably meant: one of the same name, or of a misspelled one. A
 * name that only begins as another one does, such as `smtp.port` beside `smtp.host`, names something else.
 */
export function meantInstead(token: Token, registered: readonly Token[]): Token | undefined {
  return namesakeOf(token, registered) ?? misspelt(token, registered);
}

function namesakeOf(token: Token, others: readonly Token[]): Token | undefined {
  const name = nameOf(token);
  return name === '' ? undefined : others.find((one) => one !== token && nameOf(one) === name);
}

function misspelt(token: Token, registered: readonly Token[]): Token | undefined {
  const similar = similarTo(token, registered);
  if (similar === undefined) return undefined;
  const [words = [], others = []] = [token, similar].map((one) => wordsOf(nameOf(one)));
  const resembles = (word: string, index: number) => nearestName(word, [others[index] ?? '']);
  return words.length !== others.length || words.every(resembles) ? similar : undefined;
}

/** Splits `smtp.maxSize` into its words. */
function wordsOf(name: string): readonly string[] {
  return name.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+/gu) ?? [];
}

/** Lists the tokens that are registered or overridden. */
export function registeredIn(owner: Owner): readonly Token[] {
  return [...new Set([...owner.registeredTokens(), ...owner.tree.overrides.keys()])];
}

function nameOf(token: Token): string {
  if (typeof token === 'string') return token;
  if (typeof token === 'symbol') return token.description ?? '';
  return token.name;
}

/** Whether a class belongs to the language or the platform. */
function isBuiltIn(target: Class): boolean {
  const source = Function.prototype.toString.call(target);
  return (
    /\{\s*\[native code\]\s*\}$/.test(source) || Reflect.get(globalThis, target.name) === target
  );
}
