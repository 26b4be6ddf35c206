import { type Document, isNode, listOf, nodeOf, nodesOf } from '../client/index.js';
import type { Comparison } from './changes.js';
import type { Operation } from './operations.js';
import { canonical } from './schemas/equality.js';

/** What a way to authenticate needs: schemes, and scopes with their schemes. */
interface Way {
  readonly needs: ReadonlySet<string>;
  /** For messages. */
  readonly text: string;
}

/** Compares how requests authenticate. */
export function compareSecurity(comparison: Comparison, before: Operation, after: Operation): void {
  const place = { operation: after.label, direction: 'request', place: 'security' } as const;
  const [olds, news] = [waysOf(before), waysOf(after)];
  const isMet = (way: Way, others: readonly Way[]) =>
    others.some(({ needs }) => [...needs].every((need) => way.needs.has(need)));
  const all = news.map(({ text }) => text).join(' or ');
  const lost = olds.filter((way) => !isMet(way, news));
  const isNamed = (name: string, ways: readonly Way[]) => ways.some(({ text }) => text === name);
  for (const { text, needs } of lost) {
    if (isNamed(text, news)) {
      comparison.add('breaking', place, `expects ${text} in another way`);
      continue;
    }
    const message =
      needs.size === 0 ? `needs ${all} now` : `does not accept ${text} anymore, but ${all}`;
    comparison.add('breaking', place, message);
  }
  for (const { text, needs } of news.filter((way) => !isMet(way, olds))) {
    if (isNamed(text, lost)) continue;
    const message = needs.size === 0 ? 'needs no credentials anymore' : `accepts ${text} now`;
    comparison.add('safe', place, message);
  }
}

function waysOf({ document, node }: Operation): readonly Way[] {
  const ways = listOf(node.security ?? document.root.security).map((way): Way => {
    const schemes = Object.entries(nodeOf(way));
    const needs = schemes.flatMap(([name, scopes]) => {
      const scheme = schemeOf(document, name);
      return [scheme, ...listOf(scopes).map((scope) => `${scheme} ${scope}`)];
    });
    const text = schemes.map(([name, scopes]) => [name, ...listOf(scopes)].join(':')).join(' and ');
    return { needs: new Set(needs), text: text || NOTHING.text };
  });
  return ways.length === 0 ? [NOTHING] : ways;
}

const NOTHING: Way = { needs: new Set(), text: 'no credentials' };

/** Describes where a scheme has its credentials, so that its name does not matter. */
function schemeOf(document: Document, name: string): string {
  const schemes = nodeOf(nodeOf(document.root.components).securitySchemes);
  const found = document.resolve(schemes[name]);
  if (found.type === undefined) return name;
  const { type, in: place, name: parameter, scheme } = found;
  return canonical([type, place, parameter, scheme].map((one) => String(one ?? '').toLowerCase()));
}

/** Compares the addresses that security schemes name. */
export function compareSchemes(comparison: Comparison): void {
  const place = { operation: 'all operations', direction: 'request', place: 'security' } as const;
  const read = ({ root }: Document) => nodeOf(nodeOf(root.components).securitySchemes);
  const news = read(comparison.after);
  for (const [name, reference] of nodesOf(read(comparison.before))) {
    if (!isNode(news[name])) continue;
    const [old, now] = [comparison.before.resolve(reference), comparison.after.resolve(news[name])];
    const [was, is] = [old, now].map(({ openIdConnectUrl, flows }) =>
      canonical([openIdConnectUrl, withoutTexts(flows)]),
    );
    if (was !== is) comparison.add('maybe', place, `${name} has other addresses or scopes`);
  }
}

/** Removes the descriptions of scopes. */
function withoutTexts(flows: unknown): unknown {
  return Object.fromEntries(
    nodesOf(flows).map(([name, { scopes, ...flow }]) => [
      name,
      { ...flow, scopes: Object.keys(nodeOf(scopes)).sort() },
    ]),
  );
}
