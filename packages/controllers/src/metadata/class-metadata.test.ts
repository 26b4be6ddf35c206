import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRouteMetadata } from '../decorators/custom.js';
import { Get, HttpCode, Post, SetHeader } from '../decorators/routes.js';
import {
  SkipInheritedGuards,
  SkipInheritedInterceptors,
  SkipInheritedMiddleware,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../decorators/use.js';
import { inheritedMetadata } from './class-metadata.js';

const First = createRouteMetadata<number>('first');
const Second = createRouteMetadata<number>('second');

/** Decorators for classes and methods. */
const common = {
  guards: fc.array(fc.string(), { maxLength: 2 }),
  middleware: fc.array(fc.string(), { maxLength: 2 }),
  interceptors: fc.array(fc.string(), { maxLength: 2 }),
  first: fc.option(fc.nat(), { nil: undefined }),
  second: fc.option(fc.nat(), { nil: undefined }),
};
const method = fc.record({
  ...common,
  paths: fc.array(fc.string(), { maxLength: 2 }),
  headers: fc.array(fc.string(), { maxLength: 2 }),
  skips: fc.uniqueArray(fc.constantFrom('guards', 'middleware', 'interceptors')),
  status: fc.option(fc.integer({ min: 200, max: 599 }), { nil: undefined }),
});
const level = fc.record({ ...common, method });
type Level = typeof level extends fc.Arbitrary<infer Value> ? Value : never;
type Common = Omit<Level, 'method'>;

function commonDecorators({ guards, middleware, interceptors, first, second }: Common) {
  return [
    ...guards.map((guard) => UseGuard(guard)),
    ...middleware.map((one) => UseMiddleware(one)),
    ...interceptors.map((one) => UseInterceptor(one)),
    ...[first ?? []].flat().map(First),
    ...[second ?? []].flat().map(Second),
  ];
}

const SKIP = {
  guards: SkipInheritedGuards,
  middleware: SkipInheritedMiddleware,
  interceptors: SkipInheritedInterceptors,
};

/** Derives a class with decorators. */
function extend(base: new () => object, level: Level) {
  class Derived extends base {
    run() {}
  }
  const { paths, headers, skips, status } = level.method;
  const ofMethod = [
    ...commonDecorators(level.method),
    ...paths.flatMap((path) => [Get(path), Post(path)]),
    ...headers.map((value) => SetHeader('X-Text', value)),
    ...skips.map((kind) => SKIP[kind]()),
    ...[status ?? []].flat().map(HttpCode),
  ];
  Reflect.decorate(commonDecorators(level), Derived);
  Reflect.decorate(ofMethod, Derived.prototype, 'run');
  return Derived;
}

/** Adds up a kind, unless the last method skips inherited metadata. It does not inherit the skips of others. */
const sum = (methods: readonly Level['method'][], kind: keyof typeof SKIP) =>
  (methods.at(-1)?.skips.includes(kind) ? methods.slice(-1) : methods).flatMap(
    (method) => method[kind],
  );
const last = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  lists.findLast((list) => list.length > 0) ?? [];
const values = (levels: readonly Common[]) => [
  levels.findLast(({ first }) => first !== undefined)?.first,
  levels.findLast(({ second }) => second !== undefined)?.second,
];

describe('inheritedMetadata', () => {
  it('adds up guards, middleware and interceptors, and inherits the rest from the nearest class', () => {
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 4 }), (levels) => {
        const merged = inheritedMetadata(levels.reduce(extend, class {}));
        const methods = levels.map((each) => each.method);
        const run = merged.methods.get('run');
        expect(merged).toMatchObject({
          guards: levels.flatMap(({ guards }) => guards),
          middleware: levels.flatMap(({ middleware }) => middleware),
          interceptors: levels.flatMap(({ interceptors }) => interceptors),
        });
        expect([First, Second].map((key) => merged.values.get(key))).toEqual(values(levels));
        expect(run).toMatchObject({
          guards: sum(methods, 'guards'),
          middleware: sum(methods, 'middleware'),
          interceptors: sum(methods, 'interceptors'),
          status: methods.findLast(({ status }) => status !== undefined)?.status,
        });
        expect(run?.routes.map(({ method, path }) => [method, path])).toEqual(
          last(methods.map(({ paths }) => paths)).flatMap((path) => [
            ['GET', path],
            ['POST', path],
          ]),
        );
        expect(run?.headers.map(({ value }) => value)).toEqual(
          last(methods.map(({ headers }) => headers)),
        );
        expect([First, Second].map((key) => run?.values.get(key))).toEqual(values(methods));
      }),
    );
  });

  it('does not change the metadata of base classes', () => {
    fc.assert(
      fc.property(level, level, (base, derived) => {
        const Base = extend(class {}, base);
        const before = inheritedMetadata(Base);
        extend(Base, derived);
        expect(inheritedMetadata(Base)).toEqual(before);
      }),
    );
  });
});
