import type { ControllerDefinition } from '../definition/definition.js';
import { RouteRegistrationError } from '../errors.js';
import type { ValueReader } from '../metadata/class-metadata.js';
import type { Guard } from '../metadata/references.js';
import type { Instanced } from './subjects.js';

/** Finds decorators of one class or method, of which one exempts routes from the guard that another adds. */
export function findContradictions({
  levels,
  name,
  style,
  locate,
}: ControllerDefinition): RouteRegistrationError[] {
  return levels.flatMap((level) =>
    [[undefined, level] as const, ...level.methods].flatMap(([method, { values, guards }]) =>
      [...values].flatMap(([key, value]) => {
        const found = guards.flatMap((guard) => key.reader?.contradicts(guard) ?? []);
        if (found.length === 0 || key.reader?.exempts(value) !== true) return [];
        const [place, handler] =
          method === undefined
            ? [style.controller, name]
            : [style.route, `${name}.${String(method)}`];
        const [opener, guard] = [`@${key.name}()`, ...found].map(style.spell);
        const diagnostic = {
          problem: `${opener} opens what ${guard} of the same ${place} restricts.`,
          fix: 'remove one of the two.',
        };
        return new RouteRegistrationError(handler, diagnostic, locate(method));
      }),
    ),
  );
}

/** Names what a guard demands, if a value of routes exempts them from it. */
type NameDemand = (reader: ValueReader, guard: unknown) => string | undefined;

const nameDemand: NameDemand = (reader, guard) =>
  reader.contradicts(guard) ?? (reader.matches(guard) ? reader.name : undefined);

/** Finds exemptions as {@link findExemptions} does, but from the guards that the container has for tokens. */
export function findExemptionsFrom({ definition, resolved }: Instanced): RouteRegistrationError[] {
  return exemptionsOf(definition, (reader, guard) =>
    nameDemand(reader, guard) === undefined ? nameDemand(reader, resolved(guard)) : undefined,
  );
}

/** Finds decorators of a class or method that exempt routes from guards which a base class demands. */
export function findExemptions(definition: ControllerDefinition): RouteRegistrationError[] {
  return exemptionsOf(definition, nameDemand);
}

function exemptionsOf(
  { levels, name, routes, locate }: ControllerDefinition,
  nameOf: NameDemand,
): RouteRegistrationError[] {
  // By place, because a class may exempt many routes.
  const errors = new Map<string, RouteRegistrationError>();
  for (const { handler, methodName, guards, metadata } of routes) {
    for (const [key, value] of metadata) {
      const { reader } = key;
      if (reader?.exempts(value) !== true) continue;
      const ofMethod = levels.findIndex((level) => {
        const values = level.methods.get(methodName)?.values;
        return values?.has(key) && reader.exempts(values.get(key)) === true;
      });
      const demands = (list: readonly Guard[] = []): string | undefined =>
        list
          .filter((guard) => guards.includes(guard))
          .map((guard) => nameOf(reader, guard))
          .find(Boolean);
      // A class never inherits an exemption, so that of a class is its own.
      for (const base of levels.slice(0, ofMethod < 0 ? -1 : ofMethod)) {
        const ofClass = demands(base.guards);
        const demand = ofClass ?? demands(base.methods.get(methodName)?.guards);
        if (demand === undefined) continue;
        const [place, method] = ofMethod < 0 ? [name] : [handler, methodName];
        const fix =
          ofClass === undefined && ofMethod >= 0
            ? 'add @SkipInheritedGuards() to the method'
            : `move ${demand} from ${base.name} to the classes and methods that need it`;
        const diagnostic = {
          problem: `@${key.name}() opens what ${demand} of the base class ${base.name} restricts.`,
          fix: `remove @${key.name}(), or ${fix}.`,
        };
        errors.set(
          `${place} ${key.name} ${base.name}`,
          new RouteRegistrationError(place, diagnostic, locate(method)),
        );
      }
    }
  }
  return [...errors.values()];
}
