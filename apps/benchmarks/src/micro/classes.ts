import 'reflect-metadata';

/** Any class. */
export type Class<T extends object = object> = new (...args: unknown[]) => T;

/** Decorates a class for a library. */
export type Decorate = (target: Class) => unknown;

/** Creates three classes. The second depends on the first, and the third on the second. */
export function createChain(decorate: Decorate): readonly [Class, Class, Class] {
  const first = createClass(decorate);
  const second = createClass(decorate, first);
  return [first, second, createClass(decorate, second)];
}

/** Creates a thousand classes that form a binary tree of dependencies, ten levels deep. */
export function createTree(decorate: Decorate): readonly Class[] {
  const classes: Class[] = [];
  for (const index of Array(1_000).keys()) {
    classes.push(createClass(decorate, classes[Math.floor((index - 1) / 2)]));
  }
  return classes;
}

/** Creates a class like one that was compiled with decorator metadata. */
function createClass(decorate: Decorate, dependency?: Class): Class {
  const target: Class =
    dependency === undefined
      ? class Independent {}
      : class Dependent {
          readonly dependency: unknown;

          constructor(given?: unknown) {
            this.dependency = given;
          }
        };
  if (dependency !== undefined) Reflect.defineMetadata('design:paramtypes', [dependency], target);
  decorate(target);
  return target;
}
