import type {
  Constructor,
  ContainerInterface,
  Dependency,
  Injection,
  RequestScope,
  Token,
} from '@fairlead/di';
import { ownMetadata } from '../metadata/class-metadata.js';

/** A class whose `static inject` only `@fairlead/di` reads. */
type ValueClass = Constructor & { readonly inject: readonly Dependency[] };

/**
 * Whether only this package can build the instance of a token: that of `defineController()`, whose `static inject`
 * another container than that of `@fairlead/di` does not read.
 */
export function isForeignValue(container: ContainerInterface, token: Token): token is ValueClass {
  if (container.validate !== undefined || container.has?.(token) === true) return false;
  return typeof token === 'function' && ownMetadata(token)?.controller?.inject !== undefined;
}

/**
 * Builds the instance of a controller of `defineController()` from what another container resolves.
 *
 * @param resolver - The container, or the scope of a request.
 */
export function buildValue(
  target: ValueClass,
  container: ContainerInterface,
  resolver: Pick<RequestScope, 'resolve'>,
): unknown {
  const supply = (dependency: Dependency): unknown => {
    if (!isInjection(dependency)) return resolver.resolve(dependency);
    const { kind, token, optional } = dependency;
    if (kind === 'lazy')
      return {
        get value() {
          return resolver.resolve(token());
        },
      };
    if (optional && container.has?.(token()) === false) return undefined;
    const instance: unknown = resolver.resolve(token());
    return kind === 'all' ? [instance].flat() : instance;
  };
  return Reflect.construct(target, target.inject.map(supply));
}

/** Whether the instance can be kept. Undefined if the container does not know. */
export function isSharedValue(
  target: ValueClass,
  container: ContainerInterface,
): boolean | undefined {
  const tokens = target.inject.map((one) => (isInjection(one) ? one.token() : one));
  const shared = tokens.map((token) => container.isShared?.(token));
  return shared.includes(false) ? false : shared.includes(undefined) ? undefined : true;
}

function isInjection(dependency: Dependency): dependency is Injection {
  return typeof dependency === 'object' && 'kind' in dependency;
}
