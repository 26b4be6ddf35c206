import type { AnyMiddleware, Context, Next, Params, State } from '@fairlead/core';
import { descriptionOf, findMisuse, type Role } from '@fairlead/core/extend';
import {
  type Class,
  describeToken,
  type InjectionToken,
  isToken,
  type Token,
  token,
} from '@fairlead/di';
import { describeValue, explainOneCopy, isClass } from '@fairlead/options';
import type { Diagnostic } from '../errors.js';
import { hasMethod, lacksMethod } from './fields.js';
import { CLASS_STYLE, type Spell } from './style.js';

/**
 * The context of the request that a guard checks.
 *
 * @typeParam S - Members of `ctx.state` that the guard sets.
 */
export type GuardContext<S extends object = State> = Context<Params, State & S>;

/**
 * A guard as a function. `true` allows the request. `false`, `null` and `undefined` deny it with 403.
 * Any other value denies it with a logged 500.
 *
 * It is typed as a method, so that a guard that sets members of `ctx.state` is accepted where any guard is. TypeScript
 * infers too late what a generic function returns, such as `jwtGuard(auth)`, if that is a function and nothing else.
 *
 * @typeParam S - Members of `ctx.state` that the guard sets for the handlers that it protects.
 */
export type GuardFn<S extends object = State> = {
  check(ctx: GuardContext<S>): boolean | Promise<boolean>;
}['check'] & { readonly name: string };

/**
 * A guard as a class, which the container builds. What it sets is the type of the parameter of its method: `implements`
 * gives a class no types.
 *
 * @typeParam S - Members of `ctx.state` that the guard sets for the handlers that it protects.
 */
export interface CanActivate<S extends object = State> {
  /** Allows or denies a request, like a {@link GuardFn}. */
  canActivate(ctx: GuardContext<S>): boolean | Promise<boolean>;
}

/**
 * An argument of `@UseGuard()`: a function, a class, or a container token for either. The container must provide a
 * subclass for an abstract class.
 *
 * @typeParam S - Members of `ctx.state` that the guard sets for the handlers that it protects.
 */
export type Guard<S extends object = State> =
  | GuardFn<S>
  | Class<CanActivate<S>>
  | InjectionToken<CanActivate<S> | GuardFn<S>>
  | string
  | symbol;

/**
 * A container token for tests: a function that replaces guard functions. It receives each guard function of
 * a route while the route is built, and returns the function to call instead, or undefined to keep the
 * guard. Rejections keep the guard's name. To replace a guard class, override its token.
 */
export const GUARD_OVERRIDES: InjectionToken<(guard: GuardFn) => GuardFn | undefined> =
  token('guard overrides');

/**
 * Wraps a method. Its return value, or the value its promise resolves to, becomes the result.
 *
 * @param ctx - The request, after its guards have allowed it and its parameters were read.
 * @param next - Runs the inner interceptors and the method. Returns the method's result, or a promise
 *   of it if the method is asynchronous, and throws what the method throws. Each call runs the method
 *   again. Without a call, the method does not run.
 */
export type Interceptor = (ctx: Context, next: () => unknown) => unknown;

/** A middleware as a class, which the container builds. */
export interface ClassMiddleware {
  /** Handles a request, like a middleware function. */
  use(ctx: Context, next: Next): unknown;
}

/** An interceptor as a class, which the container builds. */
export interface ClassInterceptor {
  /** Wraps a method, like an {@link Interceptor}. */
  intercept(ctx: Context, next: () => unknown): unknown;
}

/** An argument of `@UseMiddleware()`: a function, a class, or a container token for either. */
export type MiddlewareReference =
  | AnyMiddleware
  | Class<ClassMiddleware>
  | InjectionToken<ClassMiddleware | AnyMiddleware>
  | string
  | symbol;

/** An argument of `@UseInterceptor()`: a function, a class, or a container token for either. */
export type InterceptorReference =
  | Interceptor
  | Class<ClassInterceptor>
  | InjectionToken<ClassInterceptor | Interceptor>
  | string
  | symbol;

/** The guards, middleware and interceptors of several routes. */
export interface SharedReferences {
  /** Run before the guards of each route, after all middleware; none by default. */
  readonly guards: readonly Guard[];
  /** Runs before the middleware of each route; none by default. */
  readonly middleware: readonly MiddlewareReference[];
  /** Wrap the interceptors of each route; none by default. */
  readonly interceptors: readonly InterceptorReference[];
}

/** Names a guard for its rejections, by its index if it is a function without a name. */
export function guardName(guard: Guard, index: number): string {
  if (typeof guard === 'function') return guard.name || `guard#${index}`;
  return describeToken(guard);
}

/** The guards of a plugin without the option, which is not the same as an empty list: that is intended. */
export const NO_GUARDS: readonly Guard[] = Object.freeze([]);

export const CLASS_METHODS = {
  guard: 'canActivate',
  middleware: 'use',
  interceptor: 'intercept',
} as const;

export type ReferenceKind = keyof typeof CLASS_METHODS;

export const REFERENCE_LISTS = [
  ['guards', 'guard'],
  ['middleware', 'middleware'],
  ['interceptors', 'interceptor'],
] as const satisfies readonly [keyof SharedReferences, ReferenceKind][];

/** Whether a reference is a function to call, rather than a class or a token that the container resolves. */
export function isFunctionOf(kind: ReferenceKind, reference: unknown): boolean {
  if (typeof reference !== 'function' || isClass(reference)) return false;
  return !hasMethod(reference.prototype, CLASS_METHODS[kind]);
}

export function hasMethodOf<Kind extends ReferenceKind>(
  kind: Kind,
  value: unknown,
): value is Record<(typeof CLASS_METHODS)[Kind], (...values: unknown[]) => unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Record<string, unknown>)[CLASS_METHODS[kind]] === 'function';
}

/**
 * Finds the guards, middleware or interceptors that are not a function, a class of their kind or a
 * token. In an import cycle, one may be undefined.
 *
 * @param call - Such as `@UseGuard()`.
 * @param label - Names the one at an index, such as `guard 0`.
 * @param spell - Writes decorators in the fixes.
 */
export function findReferenceProblems(
  call: string,
  kind: ReferenceKind,
  references: unknown,
  label: (index: number) => string,
  spell: Spell = CLASS_STYLE.spell,
): Diagnostic[] {
  const list: readonly unknown[] = Array.isArray(references) ? references : [];
  return list.flatMap((reference, index) => {
    const found = checkReference(kind, reference, spell);
    if (found === undefined) return [];
    const { reason = '', shown = describeValue(reference), fix } = found;
    const problem = `${call} cannot use ${shown} as ${label(index)}${reason}.`;
    return { problem, fix };
  });
}

/** Finds what is wrong with the options `guards`, `middleware` and `interceptors` of a call. */
export function findListProblems(
  call: string,
  options: Partial<SharedReferences> | undefined,
  spell?: Spell,
): Diagnostic[] {
  return REFERENCE_LISTS.flatMap(([list, kind]) =>
    findReferenceProblems(call, kind, options?.[list], (index) => `${list}[${index}]`, spell),
  );
}

export function isReference(kind: ReferenceKind, value: unknown): boolean {
  return checkReference(kind, value) === undefined;
}

/** Where to pass a class that has the method of another kind of reference. */
const CLASS_PLACES: Readonly<Record<ReferenceKind, (spell: Spell) => string>> = {
  guard: (spell) =>
    `pass it as a guard, because it has canActivate(): to ${spell('@UseGuard()')} or the option guards.`,
  middleware: (spell) =>
    `pass it as middleware, because it has use(): to ${spell('@UseMiddleware()')} or the option middleware.`,
  interceptor: (spell) =>
    `pass it as an interceptor, because it has intercept(): to ${spell('@UseInterceptor()')} or the option interceptors.`,
};

/** Explains where to pass a class with the method of a guard, a middleware or an interceptor. */
export function placeOfClass(reference: unknown, spell: Spell): string | undefined {
  const { prototype }: { readonly prototype?: unknown } = Object(reference);
  const found = Object.entries(CLASS_PLACES).find(([kind]) => {
    return hasMethod(prototype, CLASS_METHODS[kind as ReferenceKind]);
  });
  return found?.[1](spell);
}

/** What needs `next`, so that it fails as a guard. */
const NEEDS_NEXT: ReadonlySet<Role | undefined> = new Set<Role>([
  'middleware',
  'cors',
  'input',
  'responder',
  'foreign',
  'errorHandler',
  'notFoundHandler',
]);

/** Why a value is no guard, middleware or interceptor. */
export interface ReferenceFault {
  /** Continues a sentence that ends with the value. Omitted if the value itself tells it. */
  readonly reason?: string;
  /** An imperative sentence that begins in lower case. */
  readonly fix: string;
}

/** Finds out by its description that a function is a factory, a decorator, or a reference of another kind. */
export function findRoleFault(
  kind: ReferenceKind,
  reference: unknown,
  spell: Spell = CLASS_STYLE.spell,
): (ReferenceFault & { readonly shown?: string }) | undefined {
  const misuse = findMisuse(reference);
  if (misuse?.is === 'factory') return { reason: ', because it is a factory', fix: misuse.fix };
  if (misuse !== undefined)
    return { shown: `the decorator ${spell(misuse.name)}`, fix: misuse.fix };
  const { role, middleware, guard } = descriptionOf(reference) ?? {};
  if (kind !== 'guard' && role === 'guard') {
    const use = middleware === undefined || kind === 'interceptor' ? '' : `use ${middleware}, or `;
    return { reason: ', because it is a guard', fix: `${use}pass it as a guard.` };
  }
  const isMiddleware = kind === 'guard' && NEEDS_NEXT.has(role);
  // A function of one parameter does not call next().
  if (!isMiddleware || (typeof reference === 'function' && reference.length < 2)) return undefined;
  const use = guard === undefined ? '' : `use ${guard}, or `;
  return { reason: ', because it is middleware', fix: `${use}pass it as middleware.` };
}

const PASS_REFERENCE = 'pass a function, a class or a token.';

/** By which copies of `@fairlead/di` recognize each other's tokens. */
const DI_COPY = Symbol.for('@fairlead/di:copy');

const FOREIGN_TOKEN: ReferenceFault = {
  reason: ', because it is from another copy of @fairlead/di',
  fix: explainOneCopy('@fairlead/di'),
};

/** Returns why a value is not a reference, unless that is obvious, and the fix; undefined for a reference. */
function checkReference(
  kind: ReferenceKind,
  reference: unknown,
  spell: Spell = CLASS_STYLE.spell,
): (ReferenceFault & { readonly shown?: string }) | undefined {
  const method = CLASS_METHODS[kind];
  const parameters = parametersOf(kind);
  if (reference === undefined) {
    const fix = `${PASS_REFERENCE} If an import cycle is the cause, move the import to a separate file.`;
    return { fix };
  }
  const fault = findRoleFault(kind, reference, spell);
  if (fault !== undefined) return fault;
  if (hasMethodOf(kind, reference)) {
    return { fix: `pass the class, or (${parameters}) => instance.${method}(${parameters}).` };
  }
  if (!isToken(reference)) {
    const copy = Object(reference)[DI_COPY];
    const isForeign = copy !== undefined && copy !== Reflect.get(GUARD_OVERRIDES, DI_COPY);
    return isForeign ? FOREIGN_TOKEN : { fix: PASS_REFERENCE };
  }
  if (!isClass(reference) || !lacksMethod(reference, method)) return undefined;
  // A guard with an added method use() would no longer deny requests.
  const fix = placeOfClass(reference, spell);
  return fix === undefined ? fix : { reason: `, because it has no method ${method}()`, fix };
}

/**
 * Explains that the class of a token's instances lacks the method of its kind. The compiler removes abstract methods, so
 * a subclass may have it.
 */
export function explainLackOfMethod(
  kind: ReferenceKind,
  token: Token,
  target: { readonly name: string },
): Diagnostic {
  const method = `${CLASS_METHODS[kind]}(${parametersOf(kind)})`;
  const key = isClass(token) ? token.name : 'token';
  return {
    problem: `the class ${target.name} has no method ${CLASS_METHODS[kind]}().`,
    fix: `add a method ${method} to the class, or register a class that has one: container.register(${key}, { useClass: … }).`,
  };
}

function parametersOf(kind: ReferenceKind): string {
  return kind === 'guard' ? 'ctx' : 'ctx, next';
}
