import { pointerKeys } from '@fairlead/options';
import type { Description, Kind, Part } from './description.js';

type JsonSchema = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, Kind>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function isSchema(part: Part): part is JsonSchema {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Creates the function that describes the parts of a JSON Schema. It never fails. */
export function createJsonSchemaReader(root: Part): (part: Part) => Description {
  const describeType = (type: unknown, schema: JsonSchema): Description => {
    if (type === 'object') {
      const required = new Set(Array.isArray(schema.required) ? schema.required : []);
      const members = Object.entries(isSchema(schema.properties) ? schema.properties : {});
      const patterns = Object.values(Object(schema.patternProperties)).length > 0;
      return {
        members,
        optional: new Set(members.flatMap(([name]) => (required.has(name) ? [] : [name]))),
        rest: patterns ? 'any' : (schema.additionalProperties ?? schema.unevaluatedProperties),
      };
    }
    if (type === 'array') {
      const { items, prefixItems, additionalItems } = schema;
      // Before draft 2020-12, an array in 'items' described the first elements.
      const [first, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items];
      return { items: Array.isArray(first) ? first : [], rest: rest ?? 'any' };
    }
    return KINDS[String(type)] ?? 'any';
  };
  return (part) => {
    if (part === false) return { values: [] };
    if (!isSchema(part)) return 'any';
    const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type, nullable } = part;
    if (nullable === true) return { inner: { ...part, nullable: false }, also: ['null'] };
    if (constant !== undefined) return { values: [constant] };
    if (Array.isArray(values)) return { values };
    const { $ref: _, anyOf: _any, oneOf: _one, allOf: _all, ...own } = part;
    const isCombined = [$ref, anyOf, oneOf, allOf].some((one) => one !== undefined);
    const hasUnion = Array.isArray(anyOf ?? oneOf);
    if (isCombined && (!hasUnion || Object.keys(own).length > 0 || $ref !== undefined || allOf)) {
      const conditions = [
        ...(typeof $ref === 'string' ? [targetOf($ref, root)] : []),
        ...(Array.isArray(allOf) ? allOf : []),
        ...[anyOf, oneOf].flatMap((union) => (Array.isArray(union) ? [{ anyOf: union }] : [])),
      ];
      return { allOf: [...conditions, own] };
    }
    if (hasUnion) return { anyOf: Array.isArray(anyOf) ? anyOf : (oneOf as readonly Part[]) };
    if (Array.isArray(type)) return { anyOf: type.map((one) => ({ ...part, type: one })) };
    if (type !== undefined) return describeType(type, part);
    if ('properties' in part || 'additionalProperties' in part) return describeType('object', part);
    return 'items' in part || 'prefixItems' in part ? describeType('array', part) : 'any';
  };
}

/** Resolves a reference to a place in the same document: a JSON Pointer. RFC 6901 §6 */
function targetOf(reference: string, root: Part): Part {
  if (!reference.startsWith('#')) return true;
  let target = root;
  for (const name of pointerKeys(reference)) {
    target = Object.hasOwn(Object(target), name) ? Reflect.get(Object(target), name) : undefined;
  }
  return target ?? true;
}
