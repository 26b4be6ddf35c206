import { isIntended } from '@fairlead/options';
import type { StandardSchema } from '@fairlead/schemas';
import {
  acceptsAbsence,
  type Kind,
  type SchemaStructure,
  type Structure,
  structureOf,
} from '@fairlead/schemas';
import { type Pattern, renameFix } from '../router/pattern.js';
import { inputsOf } from '../router/route-options.js';
import type { RouteInput } from '../schema/text-inputs.js';
import { joinBranches } from '../schema/text-plan.js';
import type { PlacedRoute } from './layout.js';
import { NAMES } from './run-checks.js';

const LABELS = { param: 'parameter', query: 'query parameter', header: 'header', body: 'body' };

/** Finds inputs that no request can provide, as far as the structure of their schemas tells. */
export function demandsImpossible(route: PlacedRoute): readonly string[] {
  return inputsOf(route.options).flatMap((input) => {
    const { source, schema, required } = input;
    if (isIntended(schema)) return [];
    if (source !== 'body')
      return schema === undefined ? [] : rejectsText(input, schema, route.pattern);
    if (!/^(GET|HEAD)$/.test(route.method) || !required || route.isIntended) return [];
    if (schema !== undefined && acceptsAbsence(schema) !== false) return [];
    return `A body is required, but clients send none with: ${NAMES}. Use QUERY or POST, make the body optional, or pass the handler or the controller to intended().`;
  });
}

/** Finds booleans that any text makes true, such as `0`, because their schema calls `Boolean()`. */
export function acceptsAnyText(route: PlacedRoute): readonly string[] {
  return inputsOf(route.options).flatMap(({ source, name, schema }) => {
    if (source === 'body' || schema === undefined || isIntended(schema)) return [];
    const structure = structureOf(schema);
    const members = membersOf(name, structure);
    return [...(source === 'query' ? withNested(members) : members)].flatMap(([key, member]) =>
      member.isTruthy && !member.kinds.has('string')
        ? `The ${LABELS[source]} '${key}' is true for texts such as '0' and 'no', because its schema calls Boolean(): ${NAMES}. Use z.boolean(), which receives what the text spells, or pass the schema to intended().`
        : [],
    );
  });
}

/** Finds names that no request has, and schemas that reject every text, but accept another value. */
function rejectsText(
  { source, name }: RouteInput,
  schema: StandardSchema,
  pattern: Pattern,
): readonly string[] {
  const structure = structureOf(schema);
  // A function that receives the values first may rename or convert them.
  if (!structure.isExact || structure.isPreprocessed || structure.convertsText) return [];
  const found: string[] = [];
  const report = (key: string, problem: string, fix: string): void => {
    found.push(
      `The ${LABELS[source]} '${key}' ${problem}: ${NAMES}. ${fix}, or pass the schema to intended().`,
    );
  };
  const members = membersOf(name, structure);
  for (const key of name === undefined && source === 'param' ? [...members.keys()] : []) {
    if (pattern.names.includes(key)) continue;
    const present = pattern.names.map((one) => `'${one}'`).join(' or ') || 'a parameter';
    if (demands(structure, key)) {
      const rename = renameFix(pattern.text, key);
      const fix = rename === undefined ? `Use ${present}, make it optional` : `W${rename.slice(1)}`;
      report(key, 'is required, but not in the pattern', fix);
    }
    members.delete(key);
  }
  for (const key of name === undefined && source === 'header' ? members.keys() : []) {
    const lower = key.toLowerCase();
    const problem = 'is never found, because Node.js provides lower-case names';
    if (key !== lower) report(key, problem, `Use '${lower}'`);
  }
  for (const [key, member] of source === 'query' ? withNested(members) : members) {
    const fix = findConverter(member, structure);
    if (fix !== undefined) report(key, 'has a schema that rejects every string', fix);
  }
  return found;
}

/** Returns the members of a schema, or the one value that it describes. */
function membersOf(name: string | undefined, structure: Structure): Map<string, Structure> {
  if (name !== undefined) return new Map([[name, structure]]);
  return new Map(joinBranches(structure.objects).members);
}

/** Adds the members of members, such as `filter[name]`. */
function withNested(members: ReadonlyMap<string, Structure>): Map<string, Structure> {
  const all = new Map(members);
  for (const [name, { objects }] of members) {
    for (const [key, member] of joinBranches(objects).members) all.set(`${name}[${key}]`, member);
  }
  return all;
}

/** Whether each branch of a schema demands a member. */
function demands({ objects }: Structure, key: string): boolean {
  return objects.every(({ members }) => {
    const { kinds, isPreprocessed } = members.get(key) ?? {};
    const isOptional = kinds?.has('undefined') === true || kinds?.has('any') === true;
    return kinds !== undefined && !isOptional && !isPreprocessed;
  });
}

/** Values that text becomes without a conversion by the schema. */
const SPELLED = ['any', 'string', 'number', 'boolean'] as const;

function acceptsText({ kinds, convertsText }: Structure): boolean {
  return convertsText || SPELLED.some((kind) => kinds.has(kind));
}

/** Returns how to convert text for a schema that rejects it; undefined if it accepts text, or nothing converts it. */
function findConverter(member: Structure, { converters }: SchemaStructure): string | undefined {
  if (acceptsText(member)) return undefined;
  const elements = member.lists.flatMap(({ items, rest }) => [...items, ...(rest ? [rest] : [])]);
  const isTextless = elements.length > 0 && elements.every((element) => !acceptsText(element));
  for (const kind of ['bigint', 'date'] as const) {
    if (member.kinds.has(kind)) return `Convert it, as in ${converters[kind]}`;
    if (isTextless && elements.some(({ kinds }) => kinds.has(kind)))
      return `Convert its values, as in ${converters[kind]}`;
  }
  return undefined;
}

/** What a query, headers and path parameters never are. */
const NO_OBJECTS: ReadonlySet<string> = new Set<Kind>([
  ...([
    'string',
    'number',
    'boolean',
    'bigint',
    'date',
    'file',
    'null',
    'undefined',
    'list',
  ] as const),
]);

/** Finds inputs whose values text cannot carry, schemas of something else, and names that stand for two values. */
export function exceedsText(route: PlacedRoute): readonly string[] {
  return inputsOf(route.options).flatMap(({ source, name, schema, all }) => {
    if (schema === undefined || source === 'body') return [];
    const structure = structureOf(schema);
    if (!structure.isExact || structure.isPreprocessed) return [];
    const { kinds, convertsText } = structure;
    if (name === undefined && !convertsText && [...kinds].every((kind) => NO_OBJECTS.has(kind))) {
      return `The schema of all ${LABELS[source]}s describes no object, so it rejects every request: ${NAMES}. Describe them by name, as in z.object({ id: … }).`;
    }
    if (all && !convertsText && !['list', 'any', 'other'].some((kind) => kinds.has(kind as Kind))) {
      return `The ${LABELS[source]} '${name}' is the list of all its values, but its schema accepts no list: ${NAMES}. Describe the list, as in z.array(…), or omit the option all.`;
    }
    const members = membersOf(name, structure);
    const isQuery = source === 'query';
    const label = LABELS[source];
    const conflicts = isQuery ? findConflicts(members) : [];
    const problems = [...members].flatMap(([key, member]) => {
      const excess = findExcess(key, member, isQuery);
      return excess === undefined
        ? []
        : `The ${label} '${excess.name}' is ${excess.problem}, which text cannot carry: ${NAMES}. Take it in the body, with QUERY or POST, or as one text that the schema parses.`;
    });
    return [...conflicts, ...problems];
  });
}

/** Finds names with brackets that an object has, too. */
function findConflicts(members: ReadonlyMap<string, Structure>): readonly string[] {
  return [...members].flatMap(([name, { objects }]) =>
    [...members.keys()].flatMap((other) => {
      if (objects.length === 0 || !other.startsWith(`${name}[`) || !other.endsWith(']')) return [];
      const { members: inner, rest } = joinBranches(objects);
      const key = other.slice(name.length + 1, -1);
      if (!inner.has(key) && (rest === undefined || rest.kinds.size === 0)) return [];
      return `The query parameter '${other}' is a member of the object '${name}', and has a schema of its own: ${NAMES}. Keep one of them.`;
    }),
  );
}

interface Excess {
  readonly name: string;
  readonly problem: string;
}

/** Finds the members of a body that a form cannot carry. */
export function findFormExcess(schema: StandardSchema): readonly Excess[] {
  const structure = structureOf(schema);
  if (!structure.isExact || structure.isPreprocessed) return [];
  return [...membersOf(undefined, structure)].flatMap(
    ([name, member]) => findExcess(name, member, true) ?? [],
  );
}

/** Returns what text cannot carry in a value that is nothing else. */
function findExcess(name: string, member: Structure, mayBeObject: boolean): Excess | undefined {
  const { kinds, lists, objects } = member;
  if (acceptsText(member) || kinds.has('bigint') || kinds.has('date')) return undefined;
  if (kinds.has('object') && mayBeObject) {
    const { members, rest } = joinBranches(objects);
    for (const [key, inner] of rest === undefined ? members : [...members, ['…', rest] as const]) {
      const excess = findExcess(`${name}[${key}]`, inner, false);
      if (excess !== undefined) return excess;
    }
    return undefined;
  }
  const excesses = lists.map(({ items, rest }) => {
    const elements = [...items, ...(rest === undefined ? [] : [rest])];
    return elements.find(isStructured);
  });
  const [first] = excesses;
  if (first !== undefined && excesses.every((excess) => excess !== undefined)) {
    return { name, problem: `a list of ${first.kinds.has('object') ? 'objects' : 'lists'}` };
  }
  return kinds.has('object') && lists.length === 0
    ? { name, problem: isNested(name) ? 'an object within an object' : 'an object' }
    : undefined;
}

function isNested(name: string): boolean {
  return name.endsWith(']');
}

/** Whether values are lists or objects, and nothing else. */
function isStructured(structure: Structure): boolean {
  const { kinds } = structure;
  if (acceptsText(structure) || kinds.has('bigint') || kinds.has('date')) return false;
  return kinds.has('object') || kinds.has('list');
}
