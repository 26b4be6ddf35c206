import { type Document, type Node, nodesOf } from '../client/index.js';
import { atMost, type Comparison, type Place } from './changes.js';
import { compareContent, contentOf } from './content.js';
import type { Operation, Parameter } from './operations.js';
import type { Direction } from './schemas/changes.js';
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
  const sunset = node['x-sunset'];
  if (typeof sunset === 'string' && sunset <= comparison.today) {
    comparison.add('safe', place, `is gone, after its sunset on ${sunset}`);
  } else comparison.add('maybe', place, 'is gone: what clients send may be ignored');
}

function compareParameter(
  comparison: Comparison,
  old: Parameter,
  now: Parameter,
  place: Place & { readonly direction: Direction },
): void {
  const isRequest = place.direction === 'request';
  if (old.name !== now.name && now.in === 'path') {
    comparison.add('safe', place, `had the name ${JSON.stringify(old.name)}`);
  }
  const [was, is] = [old, now].map(
    ({ in: source, node }) => source === 'path' || node.required === true,
  );
  if (is && !was) comparison.add(isRequest ? 'breaking' : 'safe', place, 'is required now');
  if (was && !is) comparison.add(isRequest ? 'safe' : 'breaking', place, 'is optional now');
  if (now.node.deprecated === true && old.node.deprecated !== true) {
    const sunset = now.node['x-sunset'];
    comparison.add(
      'safe',
      place,
      `is deprecated now${typeof sunset === 'string' ? `, with its sunset on ${sunset}` : ''}`,
    );
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
  if (oldStyle !== newStyle && !parts.every((part) => isScalar(comparison, part))) {
    comparison.add('breaking', place, `is written in another way: ${newStyle}, was ${oldStyle}`);
  }
  compareTexts(comparison, parts, newStyle, place);
}

/** How a parameter is written. OpenAPI 3.1 §4.8.12.2 */
function styleOf({ in: source, node }: Parameter): string {
  const { style = source === 'query' || source === 'cookie' ? 'form' : 'simple' } = node;
  const { explode = style === 'form' } = node;
  return `${style}, ${explode === true ? 'a value for each item' : 'all items in one value'}`;
}

const SCALARS = new Set(['boolean', 'integer', 'fraction', 'string', 'null']);

function isScalar(comparison: Comparison, part: Part): boolean {
  const cases = comparison.schemas('request').casesOf(part);
  return cases.every(({ types }) => [...types].every((type) => SCALARS.has(type)));
}

/** Compares the schemas of parameters, whose values are texts. */
function compareTexts(
  comparison: Comparison,
  [before, after]: readonly [before: Part, after: Part],
  style: string,
  place: Place & { readonly direction: Direction },
): void {
  const schemas = comparison.schemas(place.direction);
  const changes = schemas.compare(before, after);
  const isRequest = place.direction === 'request';
  const [sent, received] = isRequest ? [before, after] : [after, before];
  const typesOf = (part: Part) => new Set(schemas.casesOf(part).flatMap(({ types }) => [...types]));
  const [from, to] = [typesOf(sent), typesOf(received)];
  const isFromScalar = [...from].every((type) => SCALARS.has(type));
  const isText = isFromScalar && to.has('string') && !from.has('string');
  const list = isFromScalar && isRequest ? schemas.itemsOf(received) : undefined;
  if (list !== undefined) {
    const isSplit = from.has('string') && !style.includes('each');
    comparison.add(isSplit ? 'maybe' : 'safe', place, 'is a list now');
    comparison.addSchemas(before, list, place);
    return;
  }
  const most = !isText ? 'breaking' : schemas.acceptsAnyText(received) ? 'safe' : 'maybe';
  for (const { member, severity, message } of changes) {
    comparison.changes.push({
      ...place,
      ...(member !== '' && { member }),
      severity: atMost(severity, most),
      message,
    });
  }
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
  place: Place & { readonly direction: Direction },
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
