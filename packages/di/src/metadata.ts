import 'reflect-metadata';
import type { Dependency } from './dependency.js';
import type { Scope } from './provider.js';
import type { Class } from './token.js';

/** What `@Service` or `@Repository` says of a class. */
export interface ServiceDefinition {
  readonly scope: Scope;
}

/** What decorators say of one constructor parameter. */
export interface ParameterMark {
  /** Present when `@Inject` was used; its value is undefined in an import cycle. */
  readonly inject?: { readonly dependency: Dependency | undefined };
  readonly optional?: true;
}

// Keys from the global symbol registry: two copies of this package read each other's marks.
const DEFINITION = Symbol.for('@fairlead/di:definition');
const PARAMETERS = Symbol.for('@fairlead/di:parameters');

const NO_MARKS: ReadonlyMap<number, ParameterMark> = new Map();

/** Records the definition of a class. */
export function defineService(target: Class, definition: ServiceDefinition): void {
  Reflect.defineMetadata(DEFINITION, Object.freeze(definition), target);
}

/** Reads a class's own definition; that of a base class does not count. */
export function serviceDefinition(target: Class): ServiceDefinition | undefined {
  return Reflect.getOwnMetadata(DEFINITION, target);
}

/** Adds to what is known of one constructor parameter. */
export function markParameter(target: Class, index: number, mark: ParameterMark): void {
  const marks = new Map(parameterMarks(target));
  marks.set(index, { ...marks.get(index), ...mark });
  Reflect.defineMetadata(PARAMETERS, marks, target);
}

/** Reads the marks of a class's own constructor, by parameter index. */
export function parameterMarks(target: Class): ReadonlyMap<number, ParameterMark> {
  return Reflect.getOwnMetadata(PARAMETERS, target) ?? NO_MARKS;
}

/** True when a decorator of any package, on the class or a parameter, recorded something of it. */
export function isDecorated(target: Class): boolean {
  return Reflect.getOwnMetadataKeys(target).length > 0;
}

/**
 * Reads the parameter types that the compiler emitted for a class's own constructor.
 *
 * @returns Undefined when the class has no constructor, no decorator, or was compiled by a
 *   tool that emits no metadata.
 */
export function parameterTypes(target: Class): readonly unknown[] | undefined {
  return Reflect.getOwnMetadata('design:paramtypes', target);
}
