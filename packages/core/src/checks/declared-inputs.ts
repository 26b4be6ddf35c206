import { isIntended } from '@fairlead/options';
import { descriptionOf, isUnknown } from '../annotations/description.js';
import { isJson } from '../exchange/media-type.js';
import { isBelow, parsePrefix } from '../router/pattern.js';
import { namedTypes } from '../schema/content.js';
import type { StandardSchema } from '../schema/schema.js';
import { type ObjectStructure, structureOf } from '../schema/structure.js';
import type { Layout, PlacedRoute } from './layout.js';
import { type Found, NAMES } from './run-checks.js';

/** Returns the schemas of a whole input of a route. */
function schemasOf(
  { options: { params, headers, body, inputs = [] } }: PlacedRoute,
  source: 'param' | 'header' | 'body',
): readonly StandardSchema[] {
  const own = { param: params, header: headers, body }[source];
  const read = inputs.filter((one) => one.source === source && one.name === undefined);
  return [own, ...read.map(({ schema }) => schema)].flatMap((schema) =>
    schema === undefined || isIntended(schema) ? [] : schema,
  );
}

/** Finds schemas that accept no other members than their own, although every request has others. */
export function rejectsEverything(route: PlacedRoute, { places }: Layout): Found {
  const above = places.filter(
    ({ middleware, shapes }) => middleware && isBelow(shapes, route.shapes),
  );
  const names = [
    ...above.flatMap(({ prefix }) => parsePrefix(prefix).names),
    ...route.pattern.names,
  ];
  const extra = schemasOf(route, 'param').flatMap(
    (schema) => names.find((name) => rejectsMember(schema, name)) ?? [],
  );
  const strict = schemasOf(route, 'header').filter((schema) => rejectsMember(schema, 'host'));
  return [
    ...extra.map(
      (name) =>
        `The schema of the path parameters accepts no '${name}', which every request has: ${NAMES}. Add it to the schema, as in z.strictObject({ ${name}: z.string() }), accept other parameters, as z.object() does, or pass the schema to intended().`,
    ),
    ...strict.map(
      () =>
        `The schema of the headers accepts no others, but every request has others, such as Host: ${NAMES}. Accept them, as z.object() does, or pass the schema to intended().`,
    ),
  ];
}

/** Whether a schema rejects every object with a member, as far as its structure tells. */
function rejectsMember(schema: StandardSchema, name: string): boolean {
  const { kinds, objects, isPreprocessed } = structureOf(schema);
  const isObject = [...kinds].every((kind) => kind === 'object' || kind === 'undefined');
  // Nothing is known of other members unless a schema accepts none.
  const isStrict = ({ members, rest }: ObjectStructure) =>
    !members.has(name) && rest?.kinds.size === 0;
  return isObject && !isPreprocessed && objects.length > 0 && objects.every(isStrict);
}

/** Finds a `content()` body of which no parser before the route reads any media type. */
export function lacksParser(route: PlacedRoute): Found {
  const before = route.functions.slice(0, -1);
  // A function that is not known may be a parser.
  if (route.isIntended || before.some((one) => isUnknown(one))) return;
  const parsers = before.flatMap((one) => descriptionOf(one)?.reads ?? []);
  // A parser without settings may read other bodies than it tells.
  if (parsers.some(({ settings, form }) => settings === undefined && form === undefined)) return;
  const listed = parsers.flatMap(({ mediaTypes }) => mediaTypes);
  const read = parsers.length > 0 ? listed : ['application/json'];
  return schemasOf(route, 'body').flatMap((schema) => {
    const types = namedTypes(schema);
    if (types.length === 0 || types.some((type) => read.some((one) => meets(one, type)))) return [];
    const fixes = [...new Set(types.map(parserFor))].join(' or ');
    return `No parser reads bodies of ${types.join(', ')}, so every request with one is a 415: ${NAMES}. Register ${fixes} before the handler, or pass the schema to intended().`;
  });
}

/** Whether a body may have both of two media types or ranges. */
function meets(one: string, other: string): boolean {
  // json() also reads types with the suffix +json, and text() all types of text.
  if (isJson(one) && isJson(other)) return true;
  const [family, type] = one.toLowerCase().split('/');
  const [otherFamily, otherType] = other.toLowerCase().split('/');
  if (family === '*' || otherFamily === '*') return true;
  if (family !== otherFamily) return false;
  return (
    family === 'text' || type === otherType || [type, otherType].some((each) => each?.includes('*'))
  );
}

function parserFor(type: string): string {
  if (isJson(type)) return 'json()';
  if (type.startsWith('text/')) return 'text()';
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded()';
  return type.startsWith('multipart/') ? 'multipart()' : `raw({ type: '${type}' })`;
}

/** Finds the option `invalidParams` of routes whose parameters nothing validates. */
export function ignoresInvalidParams(route: PlacedRoute, { routes }: Layout): Found {
  const { options, pattern, isIntended: isMarked } = route;
  // Routes without parameters may share their options with others.
  if (options.invalidParams === undefined || isMarked || pattern.names.length === 0) return;
  const mayReject = (other: PlacedRoute): boolean =>
    other.options.params !== undefined ||
    (other.options.inputs ?? []).some(
      ({ source, name = '', schema, required }) =>
        source === 'param' &&
        (schema !== undefined || (required && !other.pattern.names.includes(name))),
    );
  if (routes.some((other) => other.options === options && mayReject(other))) return;
  return `invalidParams has no effect, because no schema validates the path parameters: ${NAMES}. Add a schema, as in params: z.object({ ${pattern.names[0]}: z.coerce.number() }), remove invalidParams, or pass the handler or the controller to intended().`;
}
