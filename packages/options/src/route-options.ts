import {
  arrayOf,
  boolean,
  describeValue,
  integer,
  isObject,
  isPlainObject,
  type Kind,
  kind,
  nonEmptyString,
  string,
  suggest,
} from './options.js';

const errorStatus = integer(400, 599);
const errorStatuses = arrayOf(errorStatus, 'an array of statuses');
const errorCodes = arrayOf(nonEmptyString, 'an array of codes');

function explainErrors(errors: unknown): readonly string[] {
  if (!isObject(errors)) return [];
  return Object.entries(errors).flatMap(([status, codes]: [string, unknown]) => {
    if (!errorStatus.accepts(Number(status))) {
      const fix = errorStatus.accepts(codes)
        ? `Did you mean { ${codes}: ['${status}'] }?`
        : `Use ${errorStatus.description}.`;
      return `${describeValue(status)} as a status of errors. ${fix}`;
    }
    if (errorCodes.accepts(codes)) return [];
    const fix = nonEmptyString.accepts(codes)
      ? `Did you mean ['${codes}']?`
      : "Use an array of non-empty strings, such as ['USER_NOT_FOUND'].";
    return `${describeValue(codes)} as errors[${status}]. ${fix}`;
  });
}

/** Accepts extensions of OpenAPI. */
export const openapiExtensions = kind(
  "an object whose names start with x-, such as { 'x-internal': true }",
  (value) => isObject(value) && Object.keys(value).every((name) => name.startsWith('x-')),
);

const toolKinds: Readonly<Record<string, Kind>> = Object.freeze({
  name: kind(
    '1 to 128 letters, digits, underscores, hyphens and dots',
    (value) => typeof value === 'string' && /^[\w.-]{1,128}$/.test(value),
  ),
  description: nonEmptyString,
  public: boolean,
});

function explainTool(tool: unknown): readonly string[] {
  if (!isObject(tool)) return [];
  return Object.entries(tool).flatMap(([name, value]: [string, unknown]) => {
    const known = Object.hasOwn(toolKinds, name) ? toolKinds[name] : undefined;
    if (known === undefined) return `'${name}' as a member of tool. ${suggest(name, toolKinds)}`;
    if (value === undefined || known.accepts(value)) return [];
    return `${describeValue(value)} as tool.${name}. Use ${known.description}.`;
  });
}

/** The options that document a route, whether a function or a method handles it. */
export const routeDocumentation = Object.freeze({
  summary: string,
  description: string,
  tags: arrayOf(string, 'an array of strings'),
  deprecated: boolean,
  operationId: nonEmptyString,
  hidden: boolean,
  extensions: openapiExtensions,
  errors: Object.freeze({
    accepts: (value: unknown) =>
      errorStatuses.accepts(value) || (isObject(value) && explainErrors(value).length === 0),
    description:
      "an array of statuses from 400 to 599, or the codes of each status: { 404: ['USER_NOT_FOUND'] }",
    explain: explainErrors,
  }),
  tool: Object.freeze({
    accepts: (value: unknown) =>
      boolean.accepts(value) || (isObject(value) && explainTool(value).length === 0),
    description: 'true, or an object such as { name, description }',
    explain: explainTool,
  }),
});

/** Accepts the response schemas of a route: one, or one for each status. */
export const routeResponse: Kind = Object.freeze({
  accepts: (value: unknown) => isSchema(value) && explainResponse(value).length === 0,
  description: 'a JSON Schema or a Standard Schema, or one for each status',
  explain: explainResponse,
});

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

/** Explains an array in place of the schema of an array, and a Standard Schema within a JSON Schema. */
export function explainSchema(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    const fix = 'Use the array of your schema library, such as z.array(Book.schema).';
    return [`${describeValue(value)} as a schema. ${fix}`];
  }
  const path = isStandard(value) ? undefined : pathOfStandard(value);
  if (path === undefined) return [];
  const fix = 'Use one schema of your schema library for the whole, such as z.object({ … }).';
  return [`an object with the Standard Schema '${path.join('.')}' as a schema. ${fix}`];
}

/** Returns the keys that lead to a Standard Schema within an object; undefined if there is none. */
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

/** Finds what is neither a schema nor a map of schemas by status. */
function explainResponse(response: unknown): readonly string[] {
  if (!isSchemaMap(response)) return explainSchema(response);
  const names = Object.keys(response);
  const inner = Object.values(response).flatMap((one) =>
    isSchemaMap(one) ? Object.keys(one) : [],
  );
  const type = [...names, ...inner].find((name) => /^[\w.+-]+\/[\w.+*-]+$/.test(name));
  if (type !== undefined)
    return [
      `media types as response. Pass them through content(), as in content({ '${type}': … }).`,
    ];
  return names.flatMap((name) => {
    if (/^[2-5]\d\d$/.test(name)) return explainSchema(response[name]);
    const fix = 'Use statuses such as { 200: User }, or one schema for every successful status.';
    return `'${name}' as a status of response. ${fix}`;
  });
}

/** Accepts the statuses that a route may respond with. */
export const routeStatus = integer(200, 599);

/**
 * Explains what is wrong if a route has schemas for successful responses, but none for its own status.
 *
 * @param status - Status of the route; undefined if it does not set one.
 * @param described - The statuses that the route describes. 0 stands for every successful one.
 * @returns The problem and how to fix it. Undefined if the status has a schema or needs none.
 */
export function explainUndescribedStatus(
  status: number | undefined,
  described: readonly number[],
): { readonly problem: string; readonly fix: string } | undefined {
  if (status === undefined || NO_CONTENT_STATUSES.has(status)) return undefined;
  if (described.includes(0) || described.includes(status)) return undefined;
  if (!described.some((one) => one < 300)) return undefined;
  return {
    problem: `its status is ${status}, but its response describes only ${described.join(' and ')}.`,
    fix: `add a schema for ${status} to response, or change the status.`,
  };
}

/**
 * Statuses whose response has no content.
 *
 * @see RFC 9110 §15.3.5, §15.3.6, §15.4.5
 */
export const NO_CONTENT_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);
