import type { StandardSchema } from './standard-schema.js';
import {
  type ListStructure,
  type ObjectStructure,
  rejectsAbsence,
  type Structure,
  structureOf,
} from './structure.js';

/**
 * Describes what a schema accepts as JSON Schema, for one that does not publish it, such as a schema of valibot.
 *
 * @returns A JSON Schema that accepts at least as much: conditions are left out, and what is not known is `{}`.
 */
export function describeStructure(schema: StandardSchema): object {
  return describe(structureOf(schema));
}

function describe(structure: Structure): object {
  const { kinds, lists, objects, isPreprocessed } = structure;
  const isUnknown = (['any', 'bigint', 'date', 'other'] as const).some((kind) => kinds.has(kind));
  if (isUnknown || isPreprocessed) return {};
  const options = [
    ...describeTexts(structure),
    ...(['number', 'boolean', 'null'] as const).flatMap((type) =>
      kinds.has(type) ? [{ type }] : [],
    ),
    ...(kinds.has('list') ? lists.map(describeList) : []),
    ...(kinds.has('object') ? objects.map(describeObject) : []),
  ];
  const [only, ...others] = options;
  if (only === undefined) return kinds.size === 0 ? { not: {} } : {};
  return others.length === 0 ? only : { anyOf: options };
}

function describeTexts({ kinds, texts, convertsText }: Structure): readonly object[] {
  if (convertsText || (kinds.has('string') && texts === undefined)) return [{ type: 'string' }];
  return kinds.has('string') && texts !== undefined ? [{ enum: [...texts] }] : [];
}

function describeList({ items, rest }: ListStructure): object {
  const others = rest === undefined ? false : describe(rest);
  if (items.length === 0) return { type: 'array', items: others };
  return { type: 'array', prefixItems: items.map(describe), items: others };
}

function describeObject({ members, rest }: ObjectStructure): object {
  const required = [...members].flatMap(([name, member]) => (rejectsAbsence(member) ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries([...members].map(([name, one]) => [name, describe(one)])),
    ...(required.length > 0 && { required }),
    ...(rest !== undefined && {
      additionalProperties: rest.kinds.size === 0 ? false : describe(rest),
    }),
  };
}
