import 'reflect-metadata';
import {
  boolean,
  type CallSite,
  describeCallSite,
  findOptionProblems,
  type Kinds,
} from '@fairlead/options';
import type { Dependency } from './dependency.js';
import type { Mistake } from './errors/injection-errors.js';
import { type RegisterOptions, SCOPE, type Scope } from './provider.js';
import type { Class } from './token.js';
import { WeakList } from './weak-list.js';

/** The metadata that `@Service` or `@Repository` records for a class. */
export interface ServiceDefinition {
  readonly scope?: Scope | undefined;
  /** Whether `initialize` builds the singleton. */
  readonly eager?: boolean | undefined;
  /** Where the decorator is. */
  readonly site: CallSite;
}

/** The metadata that decorators record for one constructor parameter. */
export interface ParameterMark {
  /** Set by `@Inject`. `dependency` is undefined in an import cycle. */
  readonly inject?: { readonly dependency: Dependency | undefined };
  readonly optional?: true;
}

// Global symbols, so that two copies of this package read each other's metadata.
const DEFINITION = Symbol.for('@fairlead/di:definition');
const PARAMETERS = Symbol.for('@fairlead/di:parameters');

/** Classes with a definition, to name them in error messages. */
const defined = new WeakList<Class>();

/** Records the definition of a class. */
export function defineService(target: Class, definition: ServiceDefinition): void {
  defined.add(target);
  Reflect.defineMetadata(DEFINITION, Object.freeze(definition), target);
}

/** Returns the definition of a class. Ignores those of its base classes. */
export function serviceDefinition(target: Class): ServiceDefinition | undefined {
  return Reflect.getOwnMetadata(DEFINITION, target);
}

/** Where another package marks a class whose subclasses are services without a `static inject` of their own. */
const SERVICE = Symbol.for('fairlead:service');

/** Whether a container builds a class that nothing registers: it has `@Service`, or its own `static inject`. */
export function isService(target: Class): boolean {
  return (
    serviceDefinition(target) !== undefined || Object.hasOwn(target, 'inject') || SERVICE in target
  );
}

interface ServiceStatics extends Pick<RegisterOptions, 'scope' | 'eager'> {}

/** Returns the options that `@Service` gives a class, or else its statics. */
export function serviceOptions(target: Class): ServiceStatics {
  if (findStaticMistakes(target).length > 0) return {};
  const statics = target as ServiceStatics;
  const { scope = statics.scope, eager = statics.eager } = serviceDefinition(target) ?? {};
  return { ...(SCOPE.accepts(scope) && { scope }), eager: eager === true };
}

/** Finds what is wrong with the statics of a class with `static inject`. Other classes may use the names freely. */
export function findStaticMistakes(target: Class): Mistake[] {
  if (!Object.hasOwn(target, 'inject')) return [];
  const { scope, eager } = target as ServiceStatics;
  if (scope === undefined && eager === undefined) return [];
  const statics = { 'static scope': scope, 'static eager': eager };
  const fix = 'if the static is not meant for the container, rename it.';
  const problems = findOptionProblems('the class', statics, STATICS);
  return problems.map((problem) => ({ problem, fix }));
}

const STATICS: Kinds<Record<string, unknown>> = { 'static scope': SCOPE, 'static eager': boolean };

/** Lists the classes that have a definition. */
export function definedClasses(): Class[] {
  return defined.list();
}

/** Returns where a class is decorated, such as `src/users.ts:12:1`; undefined if unknown. */
export function locationOf(target: Class): string | undefined {
  // Another version of this package records no site.
  const site: CallSite | undefined = serviceDefinition(target)?.site;
  return site && describeCallSite(site);
}

/** Adds a mark to one constructor parameter, keeping its earlier ones. */
export function markParameter(target: Class, index: number, mark: ParameterMark): void {
  const marks = new Map(parameterMarks(target));
  marks.set(index, { ...marks.get(index), ...mark });
  Reflect.defineMetadata(PARAMETERS, marks, target);
}

/** Returns the marks of a class's own constructor parameters, by index. */
export function parameterMarks(target: Class): ReadonlyMap<number, ParameterMark> {
  return Reflect.getOwnMetadata(PARAMETERS, target) ?? new Map();
}

/** Whether a decorator of any package recorded metadata for the class or its parameters. */
export function isDecorated(target: Class): boolean {
  return Reflect.getOwnMetadataKeys(target).length > 0;
}

/** Whether the compiler emitted the type of a member. Then it emits those of a constructor for each decorated class. */
export function hasMemberTypes({ prototype }: Class): boolean {
  return Reflect.ownKeys(prototype).some((key) =>
    Reflect.hasOwnMetadata('design:type', prototype, key),
  );
}

/**
 * Returns the parameter types that the compiler emitted for a class's own constructor.
 *
 * @returns Undefined when the class has no constructor or no decorator, or when its compiler
 *   emits no metadata.
 */
export function parameterTypes(target: Class): readonly unknown[] | undefined {
  return Reflect.getOwnMetadata('design:paramtypes', target);
}
