import { describeValue } from '../messages/words.js';
import { isClass, isObject, isPlainObject } from '../values.js';
import type { Kind } from './kinds.js';

/** Whether a value is a Standard Schema, which may be a function, or an object. */
export function isSchema(value: unknown): value is object {
  return isObject(value) || isStandard(value);
}

function isStandard(value: unknown): boolean {
  return '~standard' in Object(value);
}

/**
 * Accepts schemas.
 *
 * @param accepts - Whether a value is a schema.
 */
export function schemaKind(
  accepts: Kind['accepts'],
  description = 'a Standard Schema, such as z.object({ … })',
): Kind {
  return Object.freeze({ accepts, description, explain: explainSchema });
}

/** Accepts Standard Schemas and JSON Schemas. */
export const anySchema: Kind = schemaKind(
  (value) => isSchema(value) && explainSchema(value).length === 0,
  'a Standard Schema or a JSON Schema',
);

/**
 * Explains an array in place of the schema of an array, a class or a function without a schema, and a Standard Schema
 * within a JSON Schema.
 */
export function explainSchema(value: unknown): readonly string[] {
  if (typeof value === 'function' && !isStandard(value)) {
    const fix = isClass(value)
      ? `A class describes nothing at run time. Make it a schema, as in class ${value.name || 'User'} extends schemaClass(schema) {}.`
      : 'Use a Standard Schema, such as z.object({ … }), or a JSON Schema.';
    return [`${describeValue(value)} as a schema. ${fix}`];
  }
  if (Array.isArray(value)) {
    const fix = 'Use the array of your schema library, such as z.array(Book.schema).';
    return [`${describeValue(value)} as a schema. ${fix}`];
  }
  const path = isStandard(value) ? undefined : pathOfStandard(value);
  if (path === undefined) return [];
  const fix = 'Use one schema of your schema library for the whole, such as z.object({ … }).';
  return [`an object with the Standard Schema '${path.join('.')}' as a schema. ${fix}`];
}

/** Returns the keys that lead to a Standard Schema in an object, or undefined if it has none. */
function pathOfStandard(value: unknown, seen = new Set<unknown>()): string[] | undefined {
  if (!(isPlainObject(value) || Array.isArray(value)) || seen.has(value)) return undefined;
  seen.add(value);
  for (const [key, member] of Object.entries(value)) {
    const path = isStandard(member) ? [] : pathOfStandard(member, seen);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/**
 * Whether an object has schemas by name, so that it is no JSON Schema: a member is a Standard Schema, or has the name
 * of a status or a media type. No keyword starts with a digit or has a slash.
 */
export function isSchemaMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isPlainObject(value) &&
    !isStandard(value) &&
    Object.entries(value).some(([name, member]) => /^\d|\//.test(name) || isStandard(member))
  );
}
