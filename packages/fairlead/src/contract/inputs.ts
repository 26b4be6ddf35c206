import { type Document, type Node, nodesOf } from '../client/index.js';
import type { Comparison, Place, SentPlace } from './changes.js';
import { compareContent, contentOf } from './content.js';
import { describeDeprecation, type Operation, type Parameter, sunsetOf } from './operations.js';
import { isScalar } from './schemas/case.js';
import type { Direction } from './schemas/findings.js';
import { type Part, partOf } from './schemas/part.js';

/** Compares the parameters of an operation. */
export function compareParameters(
  comparison: Comparison,
  before: Operation,
  after: Operation,
  direction: Direction,
): void {
  const operation = after.label;
  const placeOf = ({ in: source, name }: Parameter) =>
    ({ operation, direction, place: `${source} parameter ${JSON.stringify(name)}` }) as const;
  for (const [key, old] of before.parameters) {
    const now = after.parameters.get(key);
    if (now !== undefined) compareParameter(comparison, old, now, placeOf(now));
    else if (direction === 'response' && old.node.required === true)
      comparison.add('breaking', placeOf(old), 'is gone');
    else removeParameter(comparison, old, placeOf(old));
  }
  for (const [key, now] of after.parameters) {
    if (before.parameters.has(key)) continue;
    const isNeeded = now.node.required === true && direction === 'request';
    comparison.add(
      isNeeded ? 'breaking' : 'safe',
      placeOf(now),
      isNeeded ? 'is new, and required' : 'is new',
    );
  }
}

function removeParameter(comparison: Comparison, { node }: Parameter, place: Place): void {
  const sunset = sunsetOf(node);
  if (sunset !== undefined && sunset <= comparison.today) {
    comparison.add('safe', place, `is gone, after its sunset on ${sunset}`);
  } else comparison.add('maybe', place, 'is gone: what clients send may be ignored');
}

function compareParameter(
  comparison: Comparison,
  old: Parameter,
  now: Parameter,
  place: SentPlace,
): void {
  const isRequest = place.direction === 'request';
  if (old.name !== now.name && now.in === 'path') {
    comparison.add('safe', place, `had the name ${JSON.stringify(old.name)}`);
  }
  // The rest of a path, as documents of Fairlead describe it.
  const [hadSlashes, hasSlashes] = [old, now].map(({ node }) => node['x-wildcard'] === true);
  if (hadSlashes && !hasSlashes) comparison.add('breaking', place, 'must not contain slashes now');
  if (hasSlashes && !hadSlashes) comparison.add('safe', place, 'can contain slashes now');
  const [was, is] = [old, now].map(
    ({ in: source, node }) => source === 'path' || node.required === true,
  );
  if (is && !was) comparison.add(isRequest ? 'breaking' : 'safe', place, 'is required now');
  if (was && !is) comparison.add(isRequest ? 'safe' : 'breaking', place, 'is optional now');
  if (now.node.deprecated === true && old.node.deprecated !== true) {
    comparison.add('safe', place, describeDeprecation(now.node));
  }
  const [oldContent, newContent] = [
    contentOf(comparison.before, old.node),
    contentOf(comparison.after, now.node),
  ];
  if (oldContent.size > 0 && newContent.size > 0) {
    compareContent(comparison, oldContent, newContent, place);
    return;
  }
  const [oldStyle, newStyle] = [styleOf(old), styleOf(now)];
  const parts = [
    partOf(comparison.before, old.node.schema),
    partOf(comparison.after, now.node.schema),
  ] as const;
  if (oldContent.size !== newContent.size) {
    comparison.add('maybe', place, 'is written in another way');
    return;
  }
  if (oldStyle !== newStyle && !parts.every((part) => isSingle(comparison, part))) {
    comparison.add('breaking', place, `is written in another way: ${newStyle}, was ${oldStyle}`);
  }
  compareTexts(comparison, parts, newStyle, place, was);
}

/** How a parameter is written. OpenAPI 3.1 §4.8.12.2 */
function styleOf({ in: source, node }: Parameter): string {
  const { style = source === 'query' || source === 'cookie' ? 'form' : 'simple' } = node;
  const { explode = style === 'form' } = node;
  return `${style}, ${explode === true ? 'a value for each item' : 'all items in one value'}`;
}

/** Whether all values of a schema are single ones, or null. */
function isSingle(comparison: Comparison, part: Part): boolean {
  const cases = comparison.schemas('request').casesOf(part);
  return cases.every(({ types }) => [...types].every((type) => type === 'null' || isScalar(type)));
}

/** Compares the schemas of parameters, whose values are texts. */
function compareTexts(
  comparison: Comparison,
  [before, after]: readonly [before: Part, after: Part],
  style: string,
  place: SentPlace,
  wasPresent = false,
): void {
  const list = isSingle(comparison, before) ? itemsOf(comparison, after) : undefined;
  if (list === undefined || place.direction === 'response') {
    comparison.addSchemas(before, after, place, true, wasPresent);
    return;
  }
  const isText = comparison
    .schemas('request')
    .casesOf(before)
    .some(({ types }) => types.has('string'));
  comparison.add(isText && !style.includes('each') ? 'maybe' : 'safe', place, 'is a list now');
  comparison.addSchemas(before, list, place, true, wasPresent);
}

/** Returns the schema of the items of a list that may have one of them; undefined for other schemas. */
function itemsOf(comparison: Comparison, part: Part): Part | undefined {
  const [list, other] = comparison.schemas('request').casesOf(part);
  if (list === undefined || other !== undefined || [...list.types].join() !== 'array')
    return undefined;
  const [first, second] = list.item(0);
  const hasRoom = list.least('minItems') <= 1 && list.most('maxItems') >= 1;
  return hasRoom && second === undefined ? (first ?? partOf(part.document, undefined)) : undefined;
}

/** Compares the bodies of requests. */
export function compareBodies(
  comparison: Comparison,
  before: Operation,
  after: Operation,
  direction: Direction,
): void {
  const place = { operation: after.label, direction, place: 'request body' } as const;
  const isRequest = direction === 'request';
  const read = ({ document, node }: Operation): Node | undefined =>
    node.requestBody === undefined ? undefined : document.resolve(node.requestBody);
  const [old, now] = [read(before), read(after)];
  if (old === undefined && now === undefined) return;
  if (old === undefined) {
    const isNeeded = isRequest && now?.required === true;
    comparison.add(
      isNeeded ? 'breaking' : 'safe',
      place,
      isNeeded ? 'is new, and required' : 'is new',
    );
    return;
  }
  if (now === undefined) {
    comparison.add(
      isRequest ? 'maybe' : 'breaking',
      place,
      isRequest ? 'is gone: what clients send may be ignored' : 'is gone',
    );
    return;
  }
  if (now.required === true && old.required !== true) {
    comparison.add(isRequest ? 'breaking' : 'safe', place, 'is required now');
  }
  if (old.required === true && now.required !== true) {
    comparison.add(
      isRequest ? 'safe' : 'breaking',
      place,
      isRequest ? 'is optional now' : 'may be absent now',
    );
  }
  const contents = [contentOf(comparison.before, old), contentOf(comparison.after, now)] as const;
  compareContent(comparison, ...contents, place);
}

/** Compares the headers of a response. */
export function compareHeaders(
  comparison: Comparison,
  [before, after]: readonly [before: Node, after: Node],
  place: SentPlace,
): void {
  const read = (document: Document, { headers }: Node) =>
    new Map(
      nodesOf(headers)
        .filter(([name]) => name.toLowerCase() !== 'content-type')
        .map(([name, header]) => [name.toLowerCase(), { name, node: document.resolve(header) }]),
    );
  const [olds, news] = [read(comparison.before, before), read(comparison.after, after)];
  for (const [key, { name, node }] of olds) {
    const own = { ...place, place: `${place.place}, header ${JSON.stringify(name)}` };
    const now = news.get(key)?.node;
    if (now === undefined) {
      comparison.add(node.required === true ? 'breaking' : 'maybe', own, 'is gone');
      continue;
    }
    if (node.required === true && now.required !== true)
      comparison.add('breaking', own, 'may be absent now');
    if (node.required !== true && now.required === true)
      comparison.add('safe', own, 'is always sent now');
    if (now.deprecated === true && node.deprecated !== true)
      comparison.add('safe', own, 'is deprecated now');
    const parts = [
      partOf(comparison.before, node.schema),
      partOf(comparison.after, now.schema),
    ] as const;
    compareTexts(comparison, parts, 'simple', own);
  }
  for (const [key, { name }] of news) {
    if (olds.has(key)) continue;
    comparison.add(
      'safe',
      { ...place, place: `${place.place}, header ${JSON.stringify(name)}` },
      'is new',
    );
  }
}
