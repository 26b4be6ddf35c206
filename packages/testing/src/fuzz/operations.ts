import type { Application, Route, RouteInput } from '@fairlead/core';
import { contentOf, inputsOf, responseSchemas } from '@fairlead/core/extend';
import { type DescribedOperation, describeOperations } from '@fairlead/openapi';
import { versionHeaders } from '@fairlead/options';
import { DocumentSchemas } from '@fairlead/schemas';

/** A parameter of the path, the query or the headers. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly schema: object;
  /** Whether it is the rest of the path, with its slashes. */
  readonly isWildcard: boolean;
  /** Whether each member of the value is a parameter of the query. */
  readonly isSpread: boolean;
}

/** What a document tells about a response. */
export interface DescribedResponse {
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly schema?: object }>
  >;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

/** A method of a path, with what its document tells. */
export interface Operation {
  /** Such as `GET /users/:id`, or `GET /users/:id (version 2)`. */
  readonly label: string;
  /** The label without the version. */
  readonly name: string;
  readonly method: string;
  /** Such as `/users/{id}`. */
  readonly path: string;
  readonly route: Route;
  /** Without the header that names the version. */
  readonly parameters: readonly Parameter[];
  /** Headers of every request, which name the version. */
  readonly headers: Readonly<Record<string, string>>;
  /** The media types of the body, with their schemas; none without a body. */
  readonly bodies: readonly (readonly [type: string, schema: object])[];
  readonly isBodyRequired: boolean;
  /** The media types of files and of JSON in a form, by the name of their part. */
  readonly parts: ReadonlyMap<string, string>;
  /** By status, such as `200`, `4XX` or `default`. */
  readonly responses: Readonly<Record<string, DescribedResponse>>;
  /** Ways to authenticate, one of which is enough: schemes. Empty for a public route. */
  readonly security: readonly (readonly object[])[];
  /** Statuses for which the route itself has schemas. */
  readonly ownStatuses: ReadonlySet<number>;
  /** What the route validates. */
  readonly inputs: readonly RouteInput[];
}

/** The operations of an application. */
export interface Api {
  readonly operations: readonly Operation[];
  readonly schemas: DocumentSchemas;
  readonly validationStatus: number;
  /** Whether the document describes the bodies of errors. */
  readonly knowsErrors: boolean;
}

/** Reads what the document of an application tells about its routes. */
export function readApi(app: Application): Api {
  const { operations, components, knowsErrors } = describeOperations(app);
  const resolve = (value: object): object => {
    const { $ref } = value as { readonly $ref?: unknown };
    if (typeof $ref !== 'string') return value;
    const [kind = '', name = ''] = $ref.split('/').slice(2);
    return components[kind]?.[name] ?? {};
  };
  return {
    operations: operations.map((one) => toOperation(one, app, resolve, components.securitySchemes)),
    schemas: new DocumentSchemas({ components }),
    validationStatus: app.validationStatus,
    knowsErrors,
  };
}

function toOperation(
  { route, method, path, operation }: DescribedOperation,
  { versions }: Application,
  resolve: (value: object) => object,
  schemes: Readonly<Record<string, object>> = {},
): Operation {
  const { parameters = [], requestBody, responses, security } = operation;
  const described = Object.entries(responses).map(([status, value]) => {
    const { headers = {}, ...response } = resolve(value) as DescribedResponse;
    const resolved = Object.entries(headers).map(([name, header]) => [name, resolve(header)]);
    return [status, { ...response, headers: Object.fromEntries(resolved) }] as const;
  });
  const { version } = route.options;
  const named = versionHeaders(version, versions);
  const isNaming = (header: string): boolean =>
    Object.keys(named).some((one) => one.toLowerCase() === header.toLowerCase());
  const name = `${method} ${route.pattern}`;
  return {
    label: version === undefined ? name : `${name} (version ${version})`,
    name,
    method,
    path,
    route,
    parameters: parameters
      .filter((one) => one.in !== 'header' || !isNaming(one.name))
      .map((parameter) => ({
        name: parameter.name,
        in: parameter.in as Parameter['in'],
        isRequired: parameter.required === true,
        schema: parameter.schema,
        isWildcard: 'x-wildcard' in parameter,
        isSpread: isSpread(parameter),
      })),
    headers: named,
    bodies: Object.entries(requestBody?.content ?? {}).map(
      ([type, { schema = {} }]) => [type, schema] as const,
    ),
    isBodyRequired: requestBody?.required === true,
    parts: partsOf(requestBody?.content[FORM_TYPE], resolve),
    responses: Object.fromEntries(described),
    security: security.map((way) => Object.keys(way).map((name) => schemes[name] ?? {})),
    ownStatuses: new Set(responseSchemas(route.options).keys()),
    inputs: inputsOf(route.options),
  };
}

const FORM_TYPE = 'multipart/form-data';

/** Lists the parts of a form that are not plain text. */
function partsOf(
  form: { readonly schema?: object; readonly encoding?: Readonly<Record<string, Encoding>> } = {},
  resolve: (value: object) => object,
): ReadonlyMap<string, string> {
  const membersOf = (schema: object): readonly (readonly [string, unknown])[] => {
    const { properties = {}, allOf = [] } = resolve(schema) as {
      readonly properties?: Readonly<Record<string, unknown>>;
      readonly allOf?: readonly object[];
    };
    return [...Object.entries(properties), ...allOf.flatMap(membersOf)];
  };
  const { schema = {}, encoding = {} } = form;
  return new Map(
    membersOf(schema).flatMap(([name, member]): [string, string][] => {
      const { contentType } = encoding[name] ?? {};
      const isFile = JSON.stringify(member).includes('"format":"binary"');
      if (!isFile && contentType === undefined) return [];
      const [first = ''] = (contentType ?? 'application/octet-stream').split(',', 1);
      return [[name, first.trim().replace('*/*', 'text/plain').replace('/*', '/png')]];
    }),
  );
}

interface Encoding {
  readonly contentType?: string;
}

/** Whether a parameter stands for the members of the whole query. */
function isSpread({
  name,
  style,
  explode,
  schema,
}: {
  readonly name: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: object;
}): boolean {
  const type: unknown = Reflect.get(schema, 'type');
  return name === 'query' && style === 'form' && explode === true && type !== 'array';
}

/** Whether a request must authenticate. */
export function isSecured({ security }: Operation): boolean {
  return security.length > 0 && security.every((way) => way.length > 0);
}

/** Whether a schema of the body judges all of its media types. */
export function isForEveryType(schema: object): boolean {
  return contentOf(schema) === undefined;
}
