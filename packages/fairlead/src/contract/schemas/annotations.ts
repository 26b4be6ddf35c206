import { listOf } from '../../client/index.js';
import { canonical } from './equality.js';
import type { Walk } from './findings.js';
import { type Part, partOf } from './part.js';

/** Describes what schemas tell beside which values are valid. */
export function describeAnnotations(
  walk: Walk,
  before: readonly Part[],
  after: readonly Part[],
  member: string,
): void {
  const [was, is] = [annotationsOf(before), annotationsOf(after)];
  if (walk.findings.isRequest && was.default !== is.default) {
    const message =
      is.default === undefined
        ? `has no default anymore, was ${was.default}`
        : `has the default ${is.default} now${was.default === undefined ? '' : `, was ${was.default}`}`;
    walk.findings.addOfAbsent(member, message);
  }
  if (is.deprecated && !was.deprecated) walk.findings.addMeaning(member, 'is deprecated now', 0);
  if (was.deprecated && !is.deprecated)
    walk.findings.addMeaning(member, 'is not deprecated anymore', 0);
  if (was.discriminator !== is.discriminator) {
    const isOther = was.discriminator !== undefined && is.discriminator !== undefined;
    const now = is.discriminator === undefined ? 'no discriminator anymore' : 'a discriminator now';
    walk.findings.addMeaning(
      member,
      isOther ? 'has another discriminator' : `has ${now}`,
      isOther ? 1 : 0,
    );
  }
  for (const [keyword, noun] of MEANINGS) {
    if (was[keyword] === is[keyword]) continue;
    walk.findings.addMeaning(
      member,
      `has another ${noun}: ${is[keyword] ?? 'none'}, was ${was[keyword] ?? 'none'}`,
      1,
    );
  }
}

/** Annotations that tell how values are written or read. */
const MEANINGS = [
  ['contentMediaType', 'media type'],
  ['contentEncoding', 'encoding'],
] as const;

/** What a schema tells beside which values are valid, as text. */
interface Annotations {
  readonly default: string | undefined;
  readonly discriminator: string | undefined;
  readonly contentMediaType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly deprecated: boolean;
}

function annotationsOf(parts: readonly Part[]): Annotations {
  const nodes: Readonly<Record<string, unknown>>[] = [];
  const seen = new Set<Part>();
  const visit = (part: Part): void => {
    const { document, schema } = part;
    if (schema === false || seen.has(part)) return;
    seen.add(part);
    nodes.push(schema);
    if (typeof schema.$ref === 'string') visit(partOf(document, document.find(schema.$ref)));
    for (const one of listOf(schema.allOf)) visit(partOf(document, one));
  };
  for (const part of parts) visit(part);
  const textOf = (keyword: string): string | undefined => {
    const node = nodes.find((one) => one[keyword] !== undefined);
    return node === undefined ? undefined : canonical(node[keyword]);
  };
  return {
    default: textOf('default'),
    discriminator: textOf('discriminator'),
    contentMediaType: textOf('contentMediaType'),
    contentEncoding: textOf('contentEncoding'),
    deprecated: nodes.some(({ deprecated }) => deprecated === true),
  };
}
