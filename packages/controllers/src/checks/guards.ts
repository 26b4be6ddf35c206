import { descriptionOf, isUnknown } from '@fairlead/core/extend';
import { describeToken, isToken } from '@fairlead/di';
import { formatLocation, isIntended } from '@fairlead/options';
import type { ControllerDefinition, RouteDefinition } from '../definition/definition.js';
import { ControllerError, errorText, listNames } from '../errors.js';
import type { RouteMetadataKey, ValueReader } from '../metadata/class-metadata.js';
import {
  type Guard,
  isFunctionOf,
  NO_GUARDS,
  REFERENCE_LISTS,
  type ReferenceKind,
} from '../metadata/references.js';
import type { Style } from '../metadata/style.js';
import type { Built, Defined, Mounted } from './subjects.js';

/** Finds decorators that restrict routes without any guard, although they have no effect without a guard. */
export function findUnreadValues({ guards, definitions }: Defined): ControllerError[] {
  if (isIntended(guards)) return [];
  const unread = unreadValues(definitions, ({ guards: own }, reader, value) => {
    return reader.exempts(value) || guards.length + own.length > 0;
  });
  return unread.map(({ decorator, guard, names, fix, location }) => {
    const title = `${decorator} has no effect on ${names}: the guard ${guard} does not check the requests.`;
    return new ControllerError(errorText(title, fix, location), { code: 'GUARD_MISSING' });
  });
}

/**
 * Describes decorators whose guard is not among the guards of a route. Any other guard may do its work: a
 * class or function that calls it, for example.
 */
export function describeUnreadValues({
  controllers,
  guards: shared,
  resolved,
}: Built): readonly string[] {
  if (isIntended(shared)) return [];
  const unread = unreadValues(controllers, (route, reader, value) => {
    const guards = [...shared, ...route.guards];
    // An empty list, as in development, gives everyone access to the route.
    const isOpen = guards.length === 0 && shared !== NO_GUARDS;
    if (isOpen && reader.exempts(value)) return true;
    return guards.some((guard) => {
      const instance = resolved(guard);
      const all = [guard, instance, Object(instance).constructor];
      return all.some((one) => isIntended(one) || reader.matches(one));
    });
  });
  return unread.map(({ decorator, guard, names, fix, location }) => {
    const title = `${decorator} may have no effect on ${names}: ${guard} is not one of the guards.`;
    const silence =
      'If another guard does its work, pass that guard to intended() of @fairlead/core.';
    return errorText(title, `${fix} ${silence}`, location);
  });
}

/** Describes the routes with values that nothing reads, by decorator. */
function unreadValues(
  definitions: readonly ControllerDefinition[],
  isRead: (route: RouteDefinition, reader: ValueReader, value: unknown) => boolean,
) {
  const unread = new Map<
    RouteMetadataKey,
    { handlers: Set<string>; guard: string; style: Style; location: string | undefined }
  >();
  for (const { style, routes } of definitions) {
    for (const route of routes) {
      for (const [key, value] of route.metadata) {
        if (key.reader === undefined || isRead(route, key.reader, value)) continue;
        const found = unread.get(key) ?? {
          handlers: new Set(),
          guard: key.reader.name,
          style,
          location: route.locate(),
        };
        unread.set(key, found);
        found.handlers.add(route.handler);
      }
    }
  }
  return [...unread].map(([{ name }, { handlers, guard, style, location }]) => ({
    decorator: style.spell(`@${name}()`),
    guard,
    names: listNames([...handlers]),
    location,
    fix: `add ${guard} to the option guards, or ${style.addGuard(guard)}.`,
  }));
}

/** Describes what guards report about themselves, once for each guard. */
export function describeGuards({ controllers, resolved }: Built): readonly string[] {
  const all = controllers.flatMap(({ routes }) =>
    routes.flatMap(({ guards, locate }) => guards.map((guard) => [guard, locate] as const)),
  );
  const known = new Set<unknown>();
  return all.flatMap(([guard, locate]) => {
    if (known.has(guard)) return [];
    known.add(guard);
    const [described] = [guard, resolved(guard)].filter(descriptionOf);
    const message = isIntended(described) ? undefined : descriptionOf(described)?.warning?.();
    return message === undefined ? [] : message + formatLocation(locate);
  });
}

/** Describes tokens of which only the last of several providers runs, once for each token. */
export function describeUnusedProviders({ controllers, providersOf }: Built): readonly string[] {
  const known = new Set<unknown>();
  const describe = (kind: ReferenceKind, token: unknown, { handler, locate }: RouteDefinition) => {
    if (!isToken(token) || isFunctionOf(kind, token) || known.has(token)) return [];
    known.add(token);
    const providers = providersOf(token);
    if (providers.length < 2 || isIntended(providers.at(-1))) return [];
    const name = describeToken(token);
    const title = `the ${kind} ${name} of ${handler} is only the last of the ${providers.length} providers of ${name}, so the others do not run.`;
    const fix =
      'register a token for each of them, and list all tokens, or pass the last provider to intended().';
    return errorText(title, fix, locate());
  };
  return controllers.flatMap(({ routes }) =>
    routes.flatMap((route) =>
      REFERENCE_LISTS.flatMap(([list, kind]) =>
        route[list].flatMap((token) => describe(kind, token, route)),
      ),
    ),
  );
}

/**
 * Describes guards that read what other guards or middleware of the application provide, but run before them, or
 * without them, unless something unknown may do their work.
 */
export function describeUnpreparedGuards({
  mounted,
  controllers,
  guards: pluginGuards,
}: Mounted): readonly string[] {
  if (isIntended(pluginGuards)) return [];
  return controllers.flatMap(({ routes, style }) =>
    routes.flatMap((route) => {
      const { handler, middleware, guards } = route;
      const [own] = mounted.get(route) ?? [];
      if (own === undefined) return [];
      const { upstream = [], handlers } = own;
      const others = handlers.slice(0, handlers.length - route.handlers.length);
      const unprepared = guards.find((guard, index) => {
        const { after = [] } = descriptionOf(guard) ?? {};
        if (after.length === 0 || isIntended(guard)) return false;
        const provides = (one: unknown) =>
          [descriptionOf(one)?.name, Reflect.get(Object(one), 'name')].some(
            (name) => typeof name === 'string' && after.includes(name),
          );
        const before = [...upstream, ...others, ...middleware, ...guards.slice(0, index)];
        if (before.some(provides)) return false;
        return guards.some(provides) || !before.some(isUnknown);
      });
      const described = descriptionOf(unprepared);
      if (described === undefined) return [];
      const needed = described.after.join(' or ');
      const name = style.spell(described.name);
      const title = `${name} on ${handler} reads what ${needed} provides, but nothing before it provides that.`;
      const silence = `${silenceOf(described.name, pluginGuards)} of @fairlead/core`;
      const fix = `list ${needed} above it. If that is not necessary, ${silence}.`;
      return errorText(title, fix, route.locate());
    }),
  );
}

/** Explains how to silence the warning about a guard. That of a decorator can't be marked itself. */
function silenceOf(name: string, pluginGuards: readonly Guard[]): string {
  if (!name.startsWith('@')) return `pass ${name} to intended()`;
  return pluginGuards.length > 0
    ? 'pass the list of guards of the plugin to intended()'
    : 'pass guards: intended([]) to the plugin, with intended()';
}
