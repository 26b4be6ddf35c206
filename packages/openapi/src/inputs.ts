import { isStandardSchema, type RouteInput } from '@fairlead/core';
import {
  type Carrier,
  carriersOf,
  contentOf,
  descriptionOf,
  type FormDescription,
  type MediaTypeDescription,
  mediaTypesOf,
} from '@fairlead/core/extend';
import { createMediaType, describeSchema } from './content.js';
import type { Draft, OperationSource } from './draft.js';
import { takenBy } from './headers.js';
import type { DescribedSchema, Member } from './schemas.js';

/** A Parameter Object. */
interface Parameter extends DescribedSchema {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly style?: 'form' | 'deepObject';
  readonly explode?: true;
  /** For generated clients. */
  readonly 'x-wildcard'?: true;
}

/** A parameter that nothing describes. */
const TEXT: DescribedSchema = { schema: { type: 'string' } };

/** The names of whole sources in messages. */
const SOURCES = { param: 'path parameters', query: 'query', header: 'headers' };

/** The names of single parameters in messages. */
const PARAMETERS = { param: 'path parameter', query: 'query parameter', header: 'header' };

/** Headers that OpenAPI describes elsewhere. OpenAPI 3.1 §4.8.12.2 */
const DESCRIBED_ELSEWHERE = ['accept', 'authorization', 'content-type'];

/**
 * Creates the Parameter Objects of a route: those of its path, of its query, and of its headers.
 *
 * @param functions - Those that run for the route, which may read headers.
 */
export function createParameters(
  operation: Omit<OperationSource, 'route' | 'method' | 'template'>,
  inputs: readonly RouteInput[],
  draft: Draft,
  functions: readonly object[] = [],
): readonly Parameter[] {
  const { path, names } = operation;
  const params = membersFrom('param', operation, inputs, draft);
  const ofPath = path.names.map((name, index) => {
    const member = params.find((param) => param.name === name) ?? TEXT;
    const parameter = { ...member, name: names[index] ?? name, required: true };
    if (name !== path.wildcard) return createParameter('path', parameter);
    const description = 'The rest of the path, with its slashes.';
    return {
      ...createParameter('path', { description, ...parameter }),
      'x-wildcard': true as const,
    };
  });
  const query = membersFrom('query', operation, inputs, draft);
  const headers = withTaken(
    membersFrom('header', operation, inputs, draft),
    describeTaken(functions, operation, draft),
  );
  return [
    ...ofPath,
    ...query.map((member) => createParameter('query', member)),
    ...headers
      .filter(({ name }) => !DESCRIBED_ELSEWHERE.includes(name.toLowerCase()))
      .map((member) => createParameter('header', member)),
  ];
}

/** Describes the headers that functions of a route read. */
function describeTaken(
  functions: readonly object[],
  { label, operationId }: Pick<OperationSource, 'label' | 'operationId'>,
  { schemas, reportFor }: Draft,
): readonly Input[] {
  return takenBy(functions).map(([name, header]) => {
    const { schema, required = false, description, deprecated, example } = header;
    const report = reportFor(`the header '${name}' of ${label}`);
    return {
      name,
      required,
      ...(schema === undefined ? TEXT : schemas.describe(schema, `${operationId} ${name}`, report)),
      ...(description !== undefined && { description }),
      ...(deprecated === true && { deprecated }),
      ...(example !== undefined && { example }),
    };
  });
}

/** Adds the headers that functions read to those of the inputs, which describe one of the same name. */
function withTaken(own: readonly Input[], taken: readonly Input[]): readonly Input[] {
  const joined = new Map<string, Input>();
  for (const header of [...own, ...taken]) {
    const key = header.name.toLowerCase();
    const first = joined.get(key);
    joined.set(key, { ...(first ?? header), required: first?.required || header.required });
  }
  return [...joined.values()];
}

/** A parameter with how the request carries it, if that is not one text. */
interface Input extends Member {
  readonly carrier?: Carrier | undefined;
  readonly example?: unknown;
}

/** A parameter without a name has the members of the whole query, each of which is a parameter. */
const STYLES = {
  text: {},
  list: { style: 'form', explode: true },
  object: { style: 'deepObject', explode: true },
} as const;

function createParameter(
  location: Parameter['in'],
  { name, required, schema, carrier, ...annotations }: Input,
): Parameter {
  return {
    name: name === '' ? location : name,
    in: location,
    ...annotations,
    ...(required && { required }),
    ...(location === 'query' && carrier !== undefined && STYLES[carrier]),
    schema,
  };
}

/** Lists the members of one part of the request. Of those with the same name, the first counts. */
function membersFrom(
  source: 'param' | 'query' | 'header',
  { label, operationId }: Pick<OperationSource, 'label' | 'operationId'>,
  inputs: readonly RouteInput[],
  { schemas, reportFor }: Draft,
): readonly Input[] {
  const members = inputs.flatMap((input): readonly Input[] => {
    const { source: from, name, schema, required, all } = input;
    if (from !== source) return [];
    const hint = `${operationId} ${name ?? ''}`;
    if (name !== undefined) {
      const member = { name: source === 'header' ? name.toLowerCase() : name, required };
      const report = reportFor(`the ${PARAMETERS[source]} '${name}' of ${label}`);
      if (schema === undefined) return [{ ...member, ...TEXT }];
      const carrier = all === true ? 'list' : carriersOf(schema, name).get(name);
      return [{ ...member, ...schemas.describe(schema, hint, report), carrier }];
    }
    if (schema === undefined) return [];
    const report = reportFor(`the ${SOURCES[source]} of ${label}`);
    const carriers = carriersOf(schema, undefined);
    const isQuery = source === 'query';
    const isFlat = [...carriers.values()].every((carrier) => carrier === 'text');
    const described = schemas
      .describeMembers(schema, hint, report, isQuery ? { isFlat } : undefined)
      .map((member): Input => {
        return { ...member, carrier: member.name === '' ? 'list' : carriers.get(member.name) };
      });
    if (isQuery || described.every((member) => member.name !== '')) return described;
    report('it has members without a name. Use an object schema.');
    return [];
  });
  return members.filter(
    ({ name }, index) => members.findIndex((member) => member.name === name) === index,
  );
}

/** What inputs tell about a body. */
interface BodySource {
  /** The schemas of the whole body. */
  readonly wholes: readonly unknown[];
  /** The members that those schemas name. */
  readonly known: readonly Member[];
  /** The schemas of single members. */
  readonly members: ReadonlyMap<string, unknown>;
  /** The names of the single members that a request must have. */
  readonly required: readonly string[];
  /** The names of the members that a form carries as objects. */
  readonly objects: ReadonlySet<string>;
}

/** Lists the forms that parsers among the functions read. */
export function formsOf(functions: readonly object[]): readonly FormDescription[] {
  return functions.flatMap((one) => descriptionOf(one)?.reads?.form ?? []);
}

/** The media type of forms that {@link FormDescription} describes. RFC 7578 */
const FORM_TYPE = 'multipart/form-data';

/** The media types of forms whose text becomes what schemas accept. */
const FORM_TYPES: ReadonlySet<string> = new Set([FORM_TYPE, 'application/x-www-form-urlencoded']);

/** Methods whose requests must have the required parts of a form. Others have a body only by exception. */
const SENDS_FORM: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'query']);

/** Creates the Request Body Object of a route; undefined if it reads no body, as far as it tells. */
export function createBody(
  operation: OperationSource,
  inputs: readonly RouteInput[],
  draft: Draft,
): object | undefined {
  const { route, method } = operation;
  const bodies = inputs.filter(({ source }) => source === 'body');
  const functions = [...(route.upstream ?? []), ...route.handlers];
  const form = formsOf(functions).at(-1);
  // A parser above the route that skips requests may skip all of the route's.
  const isCertain = form?.isExclusive === true || formsOf(route.handlers).length > 0;
  const sendsForm = form !== undefined && isCertain && SENDS_FORM.has(method);
  if (bodies.length === 0 && !sendsForm) return undefined;
  const parsed = bodies.length > 0 ? mediaTypesOf(functions) : [FORM_TYPE];
  const usual = parsed.length > 0 ? parsed : ['application/json'];
  const [described] = bodies.flatMap(({ schema }) => contentOf(schema) ?? []);
  const content = (described?.mediaTypes ?? [undefined]).flatMap((mediaType) => {
    const values = describeBody(operation, bodies, mediaType, draft);
    const types = mediaType?.type === undefined ? usual : [mediaType.type];
    return types.map((type) => {
      const rules = type === FORM_TYPE ? form : undefined;
      const value = rules ? describeForm(rules, values.source) : values.described;
      const encoding = FORM_TYPES.has(type) && describeEncoding(rules, values.source);
      return [type, createMediaType(mediaType, { ...value, ...encoding })] as const;
    });
  });
  const isRequired = bodies.some(({ required }) => required);
  return {
    ...(described?.description !== undefined && { description: described.description }),
    content: Object.fromEntries(content),
    ...((isRequired || (sendsForm && form.required.length > 0)) && { required: true }),
    ...described?.extensions,
  };
}

/** Describes the bodies of one media type of `content()`, or of all media types without it. */
function describeBody(
  operation: OperationSource,
  bodies: readonly RouteInput[],
  mediaType: MediaTypeDescription | undefined,
  draft: Draft,
): { readonly source: BodySource; readonly described: object } {
  const ofType = (input: RouteInput): RouteInput => {
    if (mediaType === undefined || contentOf(input.schema) === undefined) return input;
    const { schema } = mediaType;
    return { ...input, schema: isStandardSchema(schema) ? schema : undefined };
  };
  const source = readBodies(operation, bodies.map(ofType), draft);
  if (mediaType === undefined || bodies.length > 1)
    return { source, described: { schema: joinSchemas(source) } };
  const { label, operationId } = operation;
  const place = { label, form: 'input', hint: `${operationId} Body`, place: 'the body' } as const;
  return { source, described: describeSchema(mediaType, place, draft) };
}

function readBodies(
  { label, operationId }: OperationSource,
  bodies: readonly RouteInput[],
  { schemas, reportFor }: Draft,
): BodySource {
  const hint = `${operationId} Body`;
  const wholes: unknown[] = [];
  const known: Member[] = [];
  const members = new Map<string, unknown>();
  const objects = new Set<string>();
  for (const { name, schema } of bodies) {
    for (const [member, carrier] of schema ? carriersOf(schema, name) : [])
      if (carrier === 'object') objects.add(member);
    const place = name === undefined ? 'body' : `member '${name}' of the body`;
    const report = reportFor(`the ${place} of ${label}`);
    const described =
      schema === undefined ? {} : schemas.add(schema, 'input', `${hint} ${name ?? ''}`, report);
    if (name !== undefined) members.set(name, described);
    else wholes.push(described);
    if (name !== undefined || schema === undefined) continue;
    known.push(...schemas.describeMembers(schema, hint, () => undefined));
  }
  const required = bodies.flatMap((input) =>
    input.required && input.name !== undefined ? [input.name] : [],
  );
  return { wholes, known, members, required, objects };
}

function joinSchemas({ wholes, members, required }: BodySource): unknown {
  const own = {
    type: 'object',
    ...(members.size > 0 && { properties: Object.fromEntries(members) }),
    ...(required.length > 0 && { required }),
  };
  const schemas = members.size + required.length === 0 ? wholes : [...wholes, own];
  return schemas.length === 1 ? schemas[0] : { allOf: schemas };
}

/** Describes the encoding of a form: what its parser tells, and the members that are objects. */
function describeEncoding(form: FormDescription | undefined, { objects }: BodySource): object {
  // A part with a rule is a text, JSON or a file.
  const written = [...objects].filter((name) => !Object.hasOwn(form?.properties ?? {}, name));
  const encoding = {
    ...form?.encoding,
    ...Object.fromEntries(written.map((name) => [name, STYLES.object])),
  };
  return Object.keys(encoding).length > 0 ? { encoding } : {};
}

/** Describes the schema of a form. Those of inputs replace what its parser tells. */
function describeForm(form: FormDescription, source: BodySource): object {
  const { known } = source;
  const isDescribed = ([name]: readonly [string, unknown]): boolean =>
    known.some((member) => member.name === name && !allowsAll(member.schema));
  const members = new Map<string, unknown>(
    Object.entries(form.properties).filter((entry) => !isDescribed(entry)),
  );
  for (const [name, schema] of source.members) {
    if (!members.has(name) || !allowsAll(schema)) members.set(name, schema);
  }
  const isRequired = (name: string): boolean =>
    known.some((member) => member.name === name && member.required);
  const needed = form.required.filter((name) => !isRequired(name));
  const required = [...new Set([...needed, ...source.required])];
  return { schema: joinSchemas({ ...source, members, required }) };
}

/** Whether a schema tells nothing. */
function allowsAll(schema: unknown): boolean {
  return JSON.stringify(schema) === '{}';
}
