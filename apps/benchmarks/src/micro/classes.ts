import 'reflect-metadata';

/** Any class. */
export type Class<T extends object = object> = new (...args: unknown[]) => T;

/** Marks a class, as a library's decorator does. */
export type Mark = (target: Class) => void;

/** Three classes, each of which is given the one before. */
export function createChain(mark: Mark): readonly [Class, Class, Class] {
  const first = createClass(mark);
  const second = createClass(mark, first);
  return [first, second, createClass(mark, second)];
}

/** A thousand classes, each of which is given an earlier one: a tree ten deep. */
export function createTree(mark: Mark): readonly Class[] {
  const classes: Class[] = [];
  for (const index of Array(1_000).keys()) {
    classes.push(createClass(mark, classes[Math.floor((index - 1) / 2)]));
  }
  return classes;
}

/** As if it had been written out, compiled with decorator metadata. */
function createClass(mark: Mark, dependency?: Class): Class {
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
  mark(target);
  return target;
}
