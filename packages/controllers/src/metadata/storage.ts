import 'reflect-metadata';
import { ControllerError } from '../errors/controller-error.js';
import { assertExperimental } from './assert-experimental.js';
import type { ClassMetadata, MethodMetadata } from './class-metadata.js';

/** In the global symbol registry, so that two copies of this package see the same metadata. */
const KEY = Symbol.for('fairlead:controllers');

/**
 * What decorators state about a class itself, without what it inherits.
 *
 * @param target - The class.
 * @returns Undefined when no decorator of this package stands on it.
 */
export function ownMetadata(target: object): ClassMetadata | undefined {
  return Reflect.getOwnMetadata(KEY, target) as ClassMetadata | undefined;
}

/** The class's own metadata, to be added to; made when there is none. */
export function classMetadata(target: object): ClassMetadata {
  const present = ownMetadata(target);
  if (present !== undefined) return present;
  const created: ClassMetadata = {
    controller: undefined,
    guards: [],
    middleware: [],
    interceptors: [],
    values: new Map(),
    methods: new Map(),
  };
  Reflect.defineMetadata(KEY, created, target);
  return created;
}

/**
 * The metadata of one method of a class, to be added to; made when there is none.
 *
 * @param prototype - What a method decorator is given as its target.
 * @param key - Name of the method; undefined for a constructor's parameter.
 * @param decorator - Name of the decorator, for the message.
 * @throws {ControllerError} 500, when the decorator stands on a static method or on a constructor,
 *   or was compiled as a standard decorator.
 */
export function methodMetadata(
  prototype: object,
  key: string | symbol | undefined,
  decorator: string,
): MethodMetadata {
  assertExperimental(decorator, key);
  if (typeof prototype === 'function' || key === undefined) {
    const owner = typeof prototype === 'function' ? prototype.name : prototype.constructor.name;
    const place = key === undefined ? `the constructor of ${owner}` : `${owner}.${String(key)}`;
    throw new ControllerError(
      `@${decorator}() cannot stand on ${place}: it takes instance methods of a class. Move it there.`,
      { code: 'DECORATOR_PLACE' },
    );
  }
  const { methods } = classMetadata(prototype.constructor);
  const present = methods.get(key);
  if (present !== undefined) return present;
  const created: MethodMetadata = {
    routes: [],
    parameters: new Map(),
    guards: [],
    middleware: [],
    interceptors: [],
    headers: [],
    values: new Map(),
    skips: new Set(),
    redirect: undefined,
    status: undefined,
  };
  methods.set(key, created);
  return created;
}
