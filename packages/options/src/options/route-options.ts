import { NO_CONTENT_STATUSES } from '../http/statuses.js';
import { describeValue } from '../messages/words.js';
import { isObject } from '../values.js';
import { suggest } from './check-options.js';
import {
  arrayOf,
  boolean,
  integer,
  type Kind,
  kind,
  nonEmptyString,
  publicReason,
  string,
} from './kinds.js';
import { explainSchema, isSchema, isSchemaMap } from './schema-kinds.js';

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
});

/** Accepts a day, such as `2026-01-31`. */
const day = kind(
  "a date such as '2026-01-31'",
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    new Date(value).toJSON()?.slice(0, 10) === value,
);

const reference = kind(
  "a URL or a path, such as '/v2/users'",
  (value) =>
    typeof value === 'string' && /^(?:\/|https?:\/\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*$/.test(value),
);

const deprecationKinds: Readonly<Record<string, Kind>> = Object.freeze({
  since: day,
  sunset: day,
  replacement: reference,
  link: reference,
});

function explainDeprecation(deprecated: unknown): readonly string[] {
  if (!isObject(deprecated)) return [];
  const problems = explainMembers('deprecated', deprecated, deprecationKinds);
  const { since, sunset }: { readonly [name: string]: unknown } = { ...deprecated };
  if (problems.length > 0) return problems;
  if (since === undefined)
    return ["deprecated without since. Add the date, such as since: '2026-01-31'."];
  return sunset !== undefined && String(sunset) < String(since)
    ? [`a sunset, ${sunset}, before since, ${since}. Swap them.`]
    : [];
}

function explainTool(tool: unknown): readonly string[] {
  return isObject(tool) ? explainMembers('tool', tool, toolKinds) : [];
}

/** Finds what the members of an option cannot be. */
function explainMembers(
  option: string,
  members: object,
  kinds: Readonly<Record<string, Kind>>,
): readonly string[] {
  return Object.entries(members).flatMap(([name, value]: [string, unknown]) => {
    const known = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (known === undefined) return `'${name}' as a member of ${option}. ${suggest(name, kinds)}`;
    if (value === undefined || known.accepts(value)) return [];
    return `${describeValue(value)} as ${option}.${name}. Use ${known.description}.`;
  });
}

/** The options that document a route, whether a function or a method handles it. */
export const routeDocumentation = Object.freeze({
  summary: string,
  description: string,
  tags: arrayOf(string, 'an array of strings'),
  deprecated: Object.freeze({
    accepts: (value: unknown) =>
      boolean.accepts(value) || (isObject(value) && explainDeprecation(value).length === 0),
    description: "true, or an object such as { since: '2026-01-31', sunset, replacement, link }",
    explain: explainDeprecation,
  }),
  operationId: nonEmptyString,
  hidden: boolean,
  public: publicReason,
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

/** Accepts the version of a route, which a header can have. */
export const routeVersion = kind(
  "letters, digits, dots, hyphens and underscores, such as '2'",
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
);

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
