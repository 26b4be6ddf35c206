import type { ControllerDefinition } from '../definition/definition.js';
import type { RouteRegistrationError } from '../errors.js';
import { decoratedLineage, type ValueReader } from '../metadata/class-metadata.js';
import { errorsOf } from '../metadata/mistakes.js';
import type { Guard } from '../metadata/references.js';
import type { Instanced } from './subjects.js';

/** Finds decorators of one class or method, of which one exempts routes from the guard that another adds. */
export function findContradictions({
  controller,
  levels,
  style,
  locate,
}: ControllerDefinition): RouteRegistrationError[] {
  const owners = decoratedLineage(controller);
  return levels.flatMap((level, index) =>
    [[undefined, level] as const, ...level.methods].flatMap(([key, { values, guards }]) => {
      const place = key === undefined ? style.controller : style.route;
      const found = [...values].flatMap(([{ name, reader }, value]) => {
        const [demand] = guards.flatMap((guard) => reader?.contradicts(guard) ?? []);
        if (demand === undefined || reader?.exempts(value) !== true) return [];
        const [opener, guard] = [`@${name}()`, demand].map(style.spell);
        const problem = `${opener} opens what ${guard} of the same ${place} restricts.`;
        return { problem, fix: 'remove one of the two.' };
      });
      return errorsOf({ owner: owners[index] ?? controller, key }, found, () => locate(key));
    }),
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
  { controller, levels, routes, locate }: ControllerDefinition,
  nameOf: NameDemand,
): RouteRegistrationError[] {
  const owners = decoratedLineage(controller);
  // By place, because a class may exempt many routes.
  const errors = new Map<string, RouteRegistrationError[]>();
  for (const { methodName, guards, metadata } of routes) {
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
        const method = ofMethod < 0 ? undefined : methodName;
        const place = { owner: owners[ofMethod] ?? controller, key: method };
        const fix =
          ofClass === undefined && ofMethod >= 0
            ? 'add @SkipInheritedGuards() to the method'
            : `move ${demand} from ${base.name} to the classes and methods that need it`;
        const diagnostic = {
          problem: `@${key.name}() opens what ${demand} of the base class ${base.name} restricts.`,
          fix: `remove @${key.name}(), or ${fix}.`,
        };
        errors.set(
          `${String(method)} ${key.name} ${base.name}`,
          errorsOf(place, [diagnostic], () => locate(method)),
        );
      }
    }
  }
  return [...errors.values()].flat();
}
