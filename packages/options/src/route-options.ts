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
  return isObject(value) || '~standard' in Object(value);
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
  return Object.freeze({ accepts, description, explain: explainList });
}

/** Explains an array with a schema in place of the schema of an array. */
function explainList(value: unknown): readonly string[] {
  const fix = 'Use the array of your schema library, such as z.array(Book.schema).';
  return Array.isArray(value) ? [`${describeValue(value)} as a schema. ${fix}`] : [];
}

/**
 * Finds arrays in place of schemas, and media types in place of the keywords of a JSON Schema, which have no slash, or
 * of statuses.
 */
function explainResponse(response: unknown): readonly string[] {
  const isByStatus =
    isPlainObject(response) && Object.keys(response).every((key) => /^\d+$/.test(key));
  const schemas: readonly unknown[] = isByStatus ? Object.values(response) : [response];
  const names = schemas.flatMap((one) => (isPlainObject(one) ? Object.keys(one) : []));
  const type = names.find((name) => /^[\w.+-]+\/[\w.+*-]+$/.test(name));
  return type === undefined
    ? schemas.flatMap(explainList)
    : [`media types as response. Pass them through content(), as in content({ '${type}': … }).`];
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
