import { essenceOf, isJson, rangesOf } from '@fairlead/options';
import { type Document, type Node, nodeOf, nodesOf } from '../client/index.js';
import type { Comparison, Place, SentPlace } from './changes.js';
import { canonical } from './schemas/equality.js';
import { partOf } from './schemas/part.js';

/** Media types that need no mention. */
const USUAL = new Set(['application/json', 'application/problem+json']);

type Content = ReadonlyMap<string, Node>;

/** Reads the media types of a body or a response, in one spelling. */
export function contentOf(document: Document, node: Node): Content {
  const types = nodesOf(node.content).map(
    ([type, media]) => [type.toLowerCase().replace(/\s/g, ''), document.resolve(media)] as const,
  );
  return new Map(types);
}

/** Compares the media types of a body, and their schemas. */
export function compareContent(
  comparison: Comparison,
  before: Content,
  after: Content,
  place: SentPlace,
): void {
  const isRequest = place.direction === 'request';
  for (const [type, media] of before) {
    const counterpart = find(after, type);
    if (counterpart !== undefined) {
      compareMedia(comparison, media, counterpart, withType(place, type, before.size > 1), type);
      continue;
    }
    const similar = isRequest ? undefined : findSpecial(after, type);
    const message = `${type} is not ${isRequest ? 'accepted' : 'sent'} anymore`;
    if (similar === undefined) comparison.add('breaking', place, message);
    else {
      comparison.add('maybe', place, `${message}, but ${similar[0]}`);
      compareMedia(comparison, media, similar[1], place, type);
    }
  }
  for (const type of after.keys()) {
    if (find(before, type) !== undefined) continue;
    comparison.add('safe', place, `${type} is ${isRequest ? 'accepted' : 'sent'}, too`);
  }
}

/** Finds a media type, or a range of them that includes it. */
export function find(content: Content, type: string): Node | undefined {
  const essence = essenceOf(type);
  for (const one of [type, ...rangesOf(essence)]) {
    const media = content.get(one);
    if (media !== undefined) return media;
  }
  const similar = [...content].find(([one]) => essenceOf(one) === essence);
  return similar?.[1];
}

/** Finds a media type whose values are also of another one: `application/problem+json` for `application/json`. */
function findSpecial(
  content: Content,
  type: string,
): readonly [type: string, media: Node] | undefined {
  const [, suffix] = /^application\/(json|xml|cbor|yaml)$/.exec(type) ?? [];
  return [...content].find(([one]) => suffix !== undefined && one.endsWith(`+${suffix}`));
}

/** Media types that write numbers and booleans as texts. */
const TEXTS = /^application\/x-www-form-urlencoded|^multipart\/|^text\/|[/+]xml$/;

/** Adds a media type to a place, if it tells something. */
export function withType<One extends Place>(place: One, type: string, isNeeded: boolean): One {
  if (!isNeeded && USUAL.has(type)) return place;
  return { ...place, place: `${place.place} (${type})` };
}

function compareMedia(
  comparison: Comparison,
  before: Node,
  after: Node,
  place: SentPlace,
  type: string,
): void {
  for (const keyword of ['schema', 'itemSchema']) {
    const [was, is] = [
      partOf(comparison.before, before[keyword]),
      partOf(comparison.after, after[keyword]),
    ];
    comparison.addSchemas(was, is, place, TEXTS.test(type) && !isJson(essenceOf(type)));
  }
  const [old, now] = [
    encodingsOf(comparison, comparison.before, before),
    encodingsOf(comparison, comparison.after, after),
  ];
  const isOther = [...old].some(([name, one]) => now.has(name) && now.get(name) !== one);
  if (isOther) comparison.add('maybe', place, 'is encoded in another way');
}

/** Returns how the members of a body are encoded, as text. */
function encodingsOf(
  comparison: Comparison,
  document: Document,
  { schema, encoding }: Node,
): ReadonlyMap<string, string> {
  const cases = comparison.schemas('request').casesOf(partOf(document, schema));
  const names = new Set(cases.flatMap((one) => [...one.names]));
  return new Map([...names].map((name) => [name, canonical(nodeOf(encoding)[name] ?? {})]));
}
