import type { Guard } from '../guards/guard.js';
import type {
  ClassMetadata,
  InterceptorReference,
  MethodMetadata,
  MiddlewareReference,
} from './class-metadata.js';
import type { RouteValues } from './route-values.js';
import { ownMetadata } from './storage.js';

/** What decorators state about a class and everything it inherits. */
export interface InheritedMetadata {
  readonly guards: readonly Guard[];
  readonly middleware: readonly MiddlewareReference[];
  readonly interceptors: readonly InterceptorReference[];
  readonly values: RouteValues;
  readonly methods: ReadonlyMap<string | symbol, Readonly<MethodMetadata>>;
}

/**
 * Merges the metadata of a class with that of its bases.
 *
 * Guards, middleware and interceptors add up, the base's first: those of classes, and those of a
 * method and the methods it overrides, unless it skips them. Everything else is overridden kind by
 * kind: the class nearest to `target` that states routes, or parameters, or headers … wins, so that an
 * overriding method without decorators keeps everything. Each key of values is a kind, for classes as
 * for methods.
 *
 * @param target - The class.
 */
export function inheritedMetadata(target: object): InheritedMetadata {
  const levels = chain(target);
  const [only] = levels;
  if (only !== undefined && levels.length === 1) return only;
  const methods = new Map<string | symbol, MethodMetadata>();
  for (const level of levels) {
    for (const [key, own] of level.methods) {
      const base = methods.get(key);
      methods.set(key, base === undefined ? own : override(base, own));
    }
  }
  return {
    guards: levels.flatMap((level) => level.guards),
    middleware: levels.flatMap((level) => level.middleware),
    interceptors: levels.flatMap((level) => level.interceptors),
    values: new Map(levels.flatMap((level) => [...level.values])),
    methods,
  };
}

/** Own metadata of every class from the furthest base down to `target`. */
function chain(target: object): ClassMetadata[] {
  const levels: ClassMetadata[] = [];
  for (let level: object | null = target; level !== null; level = Object.getPrototypeOf(level)) {
    const own = ownMetadata(level);
    if (own !== undefined) levels.unshift(own);
  }
  return levels;
}

function override(base: MethodMetadata, own: MethodMetadata): MethodMetadata {
  return {
    routes: own.routes.length > 0 ? own.routes : base.routes,
    parameters: own.parameters.size > 0 ? own.parameters : base.parameters,
    guards: [...(own.skips.has('guards') ? [] : base.guards), ...own.guards],
    middleware: [...(own.skips.has('middleware') ? [] : base.middleware), ...own.middleware],
    interceptors: [
      ...(own.skips.has('interceptors') ? [] : base.interceptors),
      ...own.interceptors,
    ],
    headers: own.headers.length > 0 ? own.headers : base.headers,
    values: new Map([...base.values, ...own.values]),
    skips: own.skips,
    redirect: own.redirect ?? base.redirect,
    status: own.status ?? base.status,
  };
}
