import { includesType, isIntended, isJson } from '@fairlead/options';
import type { StandardSchema } from '@fairlead/schemas';
import { type Kind, type ObjectStructure, type Structure, structureOf } from '@fairlead/schemas';
import { descriptionOf, isUnknown } from '../annotations/description.js';
import { isBelow, parsePrefix } from '../router/pattern.js';
import { namedTypes } from '../schema/content.js';
import { joinBranches } from '../schema/text-plan.js';
import { findFormExcess } from './inputs.js';
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

/** Finds media types of a `content()` body that no parser before the route reads. */
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
    const types = namedTypes(schema).filter((type) => !read.some((one) => meets(one, type)));
    if (types.length === 0) return [];
    const fixes = [...new Set(types.map(parserFor))].join(' or ');
    return `No parser reads bodies of ${types.join(', ')}, so every request with one is a 415: ${NAMES}. Register ${fixes} before the handler, or pass the schema to intended().`;
  });
}

/** Finds bodies whose schema rejects everything that the parsers before the route provide. */
export function rejectsParsed(route: PlacedRoute): Found {
  const before = route.functions.slice(0, -1);
  if (route.isIntended || before.some((one) => isUnknown(one))) return;
  const parsers = before.flatMap((one) => descriptionOf(one) ?? []).filter(({ reads }) => reads);
  const isOnly = (name: string) => parsers.length > 0 && parsers.every((one) => one.name === name);
  const end = 'or pass the schema to intended().';
  return schemasOf(route, 'body').flatMap((schema) => {
    if (namedTypes(schema).length > 0) return [];
    const { isExact, isPreprocessed, convertsText, kinds, objects } = structureOf(schema);
    if (!isExact || isPreprocessed || convertsText) return [];
    const accepts = (...some: readonly Kind[]) => some.some((kind) => kinds.has(kind));
    if (isOnly('text()') && !accepts('any', 'string', 'other'))
      return `The only parser is text(), whose text the schema of the body rejects: ${NAMES}. Register json() as well, or text() only on the routes that read text, ${end}`;
    const files = [...joinBranches(objects).members].filter(([, member]) => isFile(member));
    if (files.length > 0) {
      const names = files.map(([name]) => `'${name}'`).join(' and ');
      return `The schema of the body demands a File or a Blob as ${names}, but no parser provides one: ${NAMES}. Remove the schema, and let the rules of multipart() check the form, ${end}`;
    }
    if (!isOnly('urlencoded()')) return [];
    return findFormExcess(schema).map(
      ({ name, problem }) =>
        `The member '${name}' of the body is ${problem}, which the form that urlencoded() reads cannot carry: ${NAMES}. Register json() as well, ${end}`,
    );
  });
}

/** Whether values are files, in lists or not, and nothing else. */
function isFile({ kinds, lists, isPreprocessed }: Structure): boolean {
  const isOther = [...kinds].some((kind) => !/^(?:file|list|null|undefined)$/.test(kind));
  if (isOther || isPreprocessed) return false;
  return kinds.has('file') || (lists.length > 0 && lists.every(({ rest }) => rest && isFile(rest)));
}

/** Whether a body may have both of two media types or ranges. */
function meets(one: string, other: string): boolean {
  const both = [one, other];
  // json() also reads types with the suffix +json, and text() all types of text.
  const isRead = both.every(isJsonRange) || both.every((type) => /^text\//i.test(type));
  return isRead || includesType(one, other) || includesType(other, one);
}

/** Whether a media type is JSON, or a range of such types. */
function isJsonRange(type: string): boolean {
  return isJson(type.replace('*', 'any').toLowerCase());
}

function parserFor(type: string): string {
  if (isJsonRange(type)) return 'json()';
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
