import { isIntended } from '@fairlead/options';
import { isPromiseLike } from '../next.js';
import type { Pattern } from '../router/pattern.js';
import type { RouteInput } from '../router/route-options.js';
import { keysOf, type StandardSchema } from '../schema/schema.js';
import { acceptsAbsence } from '../schema/structure.js';
import { NAMES } from './findings.js';
import type { PlacedRoute } from './layout.js';

/** Values that are not text, with the text that requests contain instead. */
const SAMPLES: readonly (readonly [value: unknown, text: string, fix: string])[] = [
  ...[1, 20, 100, 2_000, 1e6, 1.7e12, -1, 0.5].map(
    (value) => [value, String(value), 'z.coerce.number()'] as const,
  ),
  [1n, '1', 'z.coerce.bigint()'],
  [true, 'true', 'z.stringbool()'],
  [new Date(1e12), new Date(1e12).toISOString(), 'z.coerce.date()'],
];

/** Most schemas accept the first text, so that one validation is enough. */
const TEXTS = [...SAMPLES.map(([, text]) => text), '', 'a', 'all', '2024-01-01'];

const LABELS = { param: 'parameter', query: 'query parameter', header: 'header', body: 'body' };

/** Finds inputs that no request can provide. */
export function demandsImpossible(route: PlacedRoute): readonly string[] {
  const { params, query, headers, body, inputs = [] } = route.options;
  const all: readonly RouteInput[] = [
    { source: 'param', schema: params, required: true },
    { source: 'query', schema: query, required: true },
    { source: 'header', schema: headers, required: true },
    { source: 'body', schema: body, required: body !== undefined },
    ...inputs,
  ];
  return all.flatMap((input) => {
    const { source, schema, required } = input;
    if (isIntended(schema)) return [];
    if (source !== 'body')
      return schema === undefined ? [] : rejectsText(input, schema, route.pattern);
    if (!/^(GET|HEAD)$/.test(route.method) || !required || route.isIntended) return [];
    if (schema !== undefined && acceptsAbsence(schema) !== false) return [];
    return `A body is required, but clients send none with: ${NAMES}. Use QUERY or POST, make the body optional, or pass the handler or the controller to intended().`;
  });
}

/**
 * Finds names that no request has, and schemas that reject every string, but accept another value. Asks the
 * schema, because it may convert text.
 */
function rejectsText(
  { source, name, all }: RouteInput,
  schema: StandardSchema,
  pattern: Pattern,
): readonly string[] {
  const found: string[] = [];
  const report = (key: string, problem: string, fix: string): void => {
    found.push(
      `The ${LABELS[source]} '${key}' ${problem}: ${NAMES}. ${fix}, or pass the schema to intended().`,
    );
  };
  try {
    const read = name === undefined ? keysReadBy(schema) : [name];
    const isParams = source === 'param' && name === undefined;
    const keys = isParams ? pattern.names : read;
    const verdicts = new Map<unknown, ReadonlySet<string>>();
    /** Returns the keys for which the schema rejects a value. */
    const judge = (value: unknown): ReadonlySet<string> => {
      if (name !== undefined) return new Set(issuesOf(schema, value).map(() => name));
      const issues = issuesOf(schema, Object.fromEntries(keys.map((key) => [key, value])));
      return new Set(issues.map((issue) => String(keysOf(issue)[0])));
    };
    const rejects = (key: string, value: unknown): boolean => {
      const verdict = verdicts.get(value) ?? judge(value);
      verdicts.set(value, verdict);
      return verdict.has(key);
    };
    const present = keys.map((one) => `'${one}'`).join(' or ') || 'a parameter';
    for (const key of isParams ? read : []) {
      if (!keys.includes(key) && rejects(key, '1'))
        report(key, 'is required, but not in the pattern', `Use ${present}, make it optional`);
    }
    for (const key of source === 'header' && name === undefined ? read : []) {
      const lower = key.toLowerCase();
      const problem = 'is never found, because Node.js provides lower-case names';
      if (key !== lower) report(key, problem, `Use '${lower}'`);
    }
    const takesLists = source === 'query' && (name === undefined || all === true);
    const listFix = source === 'query' ? 'Add all: true' : 'Split it in the schema';
    const texts = takesLists ? [...TEXTS, ...TEXTS.map((text) => [text])] : TEXTS;
    const textless = keys.filter((key) => texts.every((text) => rejects(key, text)));
    const fixes = new Map<string, string>();
    for (const [value, fix] of [
      ...SAMPLES.map(([value, , fix]) => [value, `Convert it, as in ${fix}`] as const),
      ...(takesLists
        ? [[[1], 'Convert its values, as in z.coerce.number()'] as const]
        : [[], ['a'], ['1']].map((list) => [list, listFix] as const)),
    ]) {
      for (const key of textless) if (!fixes.has(key) && !rejects(key, value)) fixes.set(key, fix);
    }
    for (const [key, fix] of fixes) report(key, 'has a schema that rejects every string', fix);
  } catch {
    // The schema is asynchronous, or cannot judge samples.
  }
  return found;
}

/** Lists the members that a schema reads. */
function keysReadBy(schema: StandardSchema): readonly string[] {
  const keys = new Set<string>();
  const get = (_: object, key: string | symbol): void => {
    if (typeof key === 'string') keys.add(key);
  };
  issuesOf(schema, new Proxy({}, { get }));
  return [...keys].filter((key) => !(key in Object.prototype));
}

/** @throws {TypeError} When the schema is asynchronous. */
function issuesOf(schema: StandardSchema, value: unknown) {
  const result = schema['~standard'].validate(value);
  if (!isPromiseLike(result)) return result.issues ?? [];
  Promise.resolve(result).catch(() => undefined);
  throw new TypeError('The schema is asynchronous.');
}
