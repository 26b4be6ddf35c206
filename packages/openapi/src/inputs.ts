import { acceptsAbsence, type RouteInput, type RouteOptions } from '@fairlead/core';
import { mediaTypesOf } from '@fairlead/options';
import type { Draft, OperationSource } from './draft.js';
import type { DescribedSchema, Member } from './schemas.js';

/** A Parameter Object. */
interface Parameter extends Omit<DescribedSchema, 'isArray'> {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly style?: 'form';
  readonly explode?: true;
}

/** A parameter that nothing describes. */
const TEXT: DescribedSchema = { isArray: false, schema: { type: 'string' } };

/** The names of whole sources in messages. */
const SOURCES = { param: 'path parameters', query: 'query', header: 'headers' };

/** The names of single parameters in messages. */
const PARAMETERS = { param: 'path parameter', query: 'query parameter', header: 'header' };

/** Headers that OpenAPI describes elsewhere. OpenAPI 3.1 §4.8.12.2 */
const DESCRIBED_ELSEWHERE = ['accept', 'authorization', 'content-type'];

/** Lists the inputs of a route: first those that its schemas validate. */
export function inputsOf(options: RouteOptions): readonly RouteInput[] {
  const { params, query, headers, body, inputs = [] } = options;
  const own: RouteInput[] = [];
  if (params) own.push({ source: 'param', schema: params, required: true });
  if (query) own.push({ source: 'query', schema: query, required: true });
  if (headers) own.push({ source: 'header', schema: headers, required: true });
  if (body) own.push({ source: 'body', schema: body, required: !acceptsAbsence(body) });
  return [...own, ...inputs];
}

/** Creates the Parameter Objects of a route: those of its path, of its query, and of its headers. */
export function createParameters(
  operation: OperationSource,
  inputs: readonly RouteInput[],
  draft: Draft,
): readonly Parameter[] {
  const { path, names } = operation;
  const params = membersFrom('param', operation, inputs, draft);
  const ofPath = path.names.map((name, index) => {
    const member = params.find((param) => param.name === name) ?? TEXT;
    const description = name === path.wildcard ? 'The rest of the path, with its slashes.' : '';
    const described = description === '' ? member : { description, ...member };
    return createParameter('path', { ...described, name: names[index] ?? name, required: true });
  });
  const query = membersFrom('query', operation, inputs, draft);
  const headers = membersFrom('header', operation, inputs, draft);
  return [
    ...ofPath,
    ...query.map((member) => createParameter('query', member)),
    ...headers
      .filter(({ name }) => !DESCRIBED_ELSEWHERE.includes(name.toLowerCase()))
      .map((member) => createParameter('header', member)),
  ];
}

function createParameter(
  location: Parameter['in'],
  { name, required, isArray, schema, ...annotations }: Member,
): Parameter {
  const isRepeated = location === 'query' && (name === '' || isArray);
  return {
    name: name === '' ? location : name,
    in: location,
    ...annotations,
    ...(required && { required }),
    ...(isRepeated && { style: 'form', explode: true }),
    schema,
  };
}

/** Lists the members of one part of the request. Of those with the same name, the first counts. */
function membersFrom(
  source: 'param' | 'query' | 'header',
  { label, operationId }: OperationSource,
  inputs: readonly RouteInput[],
  { schemas, reportFor }: Draft,
): readonly Member[] {
  const members = inputs.flatMap(({ source: from, name, schema, required }): readonly Member[] => {
    if (from !== source) return [];
    const hint = `${operationId} ${name ?? ''}`;
    if (name !== undefined) {
      const member = { name: source === 'header' ? name.toLowerCase() : name, required };
      const report = reportFor(`the ${PARAMETERS[source]} '${name}' of ${label}`);
      if (schema === undefined) return [{ ...member, ...TEXT }];
      return [{ ...member, ...schemas.describe(schema, hint, report) }];
    }
    if (schema === undefined) return [];
    const report = reportFor(`the ${SOURCES[source]} of ${label}`);
    const described = schemas.describeMembers(schema, hint, report);
    if (source === 'query' || described.every((member) => member.name !== '')) return described;
    report('it has members without a name. Use an object schema.');
    return [];
  });
  return members.filter(
    ({ name }, index) => members.findIndex((member) => member.name === name) === index,
  );
}

/** Creates the Request Body Object of a route; undefined if it reads no body. */
export function createBody(
  { route, label, operationId }: OperationSource,
  inputs: readonly RouteInput[],
  { schemas, reportFor }: Draft,
): object | undefined {
  const bodies = inputs.filter(({ source }) => source === 'body');
  if (bodies.length === 0) return undefined;
  const hint = `${operationId} Body`;
  const properties: Record<string, unknown> = Object.create(null);
  const wholes: unknown[] = [];
  for (const { name, schema } of bodies) {
    const place = name === undefined ? 'body' : `member '${name}' of the body`;
    const report = reportFor(`the ${place} of ${label}`);
    const described =
      schema === undefined ? {} : schemas.add(schema, 'input', `${hint} ${name ?? ''}`, report);
    if (name === undefined) wholes.push(described);
    else properties[name] = described;
  }
  const required = bodies.flatMap((input) =>
    input.required && input.name !== undefined ? [input.name] : [],
  );
  const members = { type: 'object', properties, ...(required.length > 0 && { required }) };
  const parts = Object.keys(properties).length === 0 ? wholes : [...wholes, members];
  const schema = parts.length === 1 ? parts[0] : { allOf: parts };
  const functions = [...(route.upstream ?? []), ...route.handlers];
  const mediaTypes = new Set(functions.flatMap((one) => mediaTypesOf(one)));
  if (mediaTypes.size === 0) mediaTypes.add('application/json');
  return {
    content: Object.fromEntries([...mediaTypes].map((type) => [type, { schema }])),
    ...(bodies.some((input) => input.required) && { required: true }),
  };
}
