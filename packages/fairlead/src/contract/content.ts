import { type Document, type Node, nodeOf, nodesOf } from '../client/index.js';
import type { Comparison, Place } from './changes.js';
import type { Direction } from './schemas/changes.js';
import { canonical, partOf } from './schemas/part.js';

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
  place: Place & { readonly direction: Direction },
): void {
  const isRequest = place.direction === 'request';
  for (const [type, media] of before) {
    const counterpart = find(after, type);
    if (counterpart === undefined) {
      comparison.add(
        'breaking',
        place,
        `${type} is not ${isRequest ? 'accepted' : 'sent'} anymore`,
      );
    } else compareMedia(comparison, media, counterpart, withType(place, type, before.size > 1));
  }
  for (const type of after.keys()) {
    if (find(before, type) !== undefined) continue;
    comparison.add('safe', place, `${type} is ${isRequest ? 'accepted' : 'sent'}, too`);
  }
}

/** Finds a media type, or a range of them that includes it. */
export function find(content: Content, type: string): Node | undefined {
  const [essence = ''] = type.split(';');
  const [main] = essence.split('/');
  for (const one of [type, essence, `${main}/*`, '*/*']) {
    const media = content.get(one);
    if (media !== undefined) return media;
  }
  const similar = [...content].find(([one]) => one.split(';')[0] === essence);
  return similar?.[1];
}

/** Adds a media type to a place, if it tells something. */
export function withType<One extends Place>(place: One, type: string, isNeeded: boolean): One {
  if (!isNeeded && USUAL.has(type)) return place;
  return { ...place, place: `${place.place} (${type})` };
}

function compareMedia(
  comparison: Comparison,
  before: Node,
  after: Node,
  place: Place & { readonly direction: Direction },
): void {
  for (const keyword of ['schema', 'itemSchema']) {
    const [was, is] = [
      partOf(comparison.before, before[keyword]),
      partOf(comparison.after, after[keyword]),
    ];
    comparison.addSchemas(was, is, place);
  }
  const encodings = [before, after].map(({ encoding }) => canonical(nodeOf(encoding)));
  if (encodings[0] !== encodings[1]) comparison.add('maybe', place, 'is encoded in another way');
}
