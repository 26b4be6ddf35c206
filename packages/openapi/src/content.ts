import { isStandardSchema, type MediaTypeDetails } from '@fairlead/core';
import { contentOf, type MediaTypeDescription } from '@fairlead/core/extend';
import type { Form, JsonSchema } from './convert.js';
import type { Draft } from './draft.js';

/** A body of a route. */
export interface BodyPlace {
  /** The route, such as `GET /users/:id`. */
  readonly label: string;
  readonly form: Form;
  /** Words that name components. */
  readonly hint: string;
  /** Such as `the response 200`, for messages. */
  readonly place: string;
}

/** Creates the Media Type Objects of a response, by type. */
export function createContent(
  schema: object,
  place: BodyPlace,
  draft: Draft,
): Readonly<Record<string, object>> {
  const json: MediaTypeDescription = { type: undefined, schema, isSequence: false };
  const mediaTypes = contentOf(schema)?.mediaTypes ?? [json];
  return Object.fromEntries(
    mediaTypes.map((one) => {
      const { type = 'application/json' } = one;
      return [type, createMediaType(one, describeSchema(one, place, draft))];
    }),
  );
}

/**
 * Creates a Media Type Object.
 *
 * @param described - Its schema and encoding.
 */
export function createMediaType(
  mediaType: Omit<MediaTypeDetails, 'schema'> = {},
  described: object,
): object {
  const { example, examples, extensions } = mediaType;
  return {
    ...described,
    ...(example !== undefined && { example }),
    ...(examples !== undefined && { examples }),
    ...extensions,
  };
}

/** Describes the values of a media type: with `schema`, `itemSchema` or nothing. */
export function describeSchema(
  { type, schema, isSequence }: MediaTypeDescription,
  { label, form, hint, place }: BodyPlace,
  { version, schemas, omitted, reportFor }: Draft,
): object {
  if (type !== undefined && isAbsent(schema)) return {};
  const report = reportFor(`${place} of ${label}`);
  if (!isSequence) return { schema: schemas.add(schema, form, hint, report) };
  if (version === '3.1') {
    omitted.push(`the items of ${label}`);
    return {};
  }
  const item = type === 'text/event-stream' ? toEvent(schema) : schema;
  return { itemSchema: schemas.add(item, form, `${hint} Item`, report) };
}

/** Whether a media type has no schema. */
function isAbsent(schema: object): boolean {
  return !isStandardSchema(schema) && Object.keys(schema).length === 0;
}

/** Returns the schema of an event as clients receive it: data other than text is JSON in a text. */
function toEvent(schema: object): object {
  if (!isStandardSchema(schema)) return writeData(schema as JsonSchema, schema as JsonSchema);
  const { jsonSchema, ...standard } = schema['~standard'];
  if (jsonSchema === undefined) return schema;
  const output: typeof jsonSchema.output = (options) => {
    const root = { ...jsonSchema.output(options) };
    return writeData(root, root);
  };
  return { '~standard': { ...standard, jsonSchema: { ...jsonSchema, output } } };
}

/** Keywords for alternatives of an event. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'];

function writeData(schema: JsonSchema, root: JsonSchema): Record<string, unknown> {
  const { $ref, ...event }: Record<string, unknown> = { ...schema };
  const [, name = ''] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String($ref)) ?? [];
  const target: unknown = { ...Object(root.definitions), ...Object(root.$defs) }[name];
  if (target !== undefined) return { ...event, ...writeData(target as JsonSchema, root) };
  for (const keyword of ALTERNATIVES) {
    const options = event[keyword];
    if (Array.isArray(options)) event[keyword] = options.map((one) => writeData(one, root));
  }
  const { properties } = event;
  const data: unknown = Object(properties).data;
  if (data === undefined || Object(data).type === 'string') return event;
  const written = { type: 'string', contentMediaType: 'application/json', contentSchema: data };
  return { ...event, properties: { ...Object(properties), data: written } };
}
