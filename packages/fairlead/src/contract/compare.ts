import { type Document, listOf, nodeOf, nodesOf } from '../client/index.js';
import { type Change, Comparison } from './changes.js';
import { compareBodies, compareParameters } from './inputs.js';
import {
  callbacksOf,
  describeDeprecation,
  mayMatch,
  type Operation,
  operationsOf,
  sunsetOf,
  webhooksOf,
} from './operations.js';
import { compareResponses } from './responses.js';
import { canonical } from './schemas/equality.js';
import { compareSchemes, compareSecurity } from './security.js';

/**
 * Compares two OpenAPI documents of versions from 3.0 to 3.2. If all changes are safe, a client that follows the old
 * document can use the new API: the API accepts what the client may send, and the client knows what it may receive.
 *
 * @param today - Such as `2026-07-31`. An operation may be removed on the day of its sunset.
 * @returns In the order of the documents.
 */
export function compareDocuments(
  before: Document,
  after: Document,
  today: string,
): readonly Change[] {
  const comparison = new Comparison(before, after, today);
  compareServers(comparison, before.root.servers, after.root.servers, 'all operations');
  compareSchemes(comparison);
  compareAll(comparison, operationsOf(before), operationsOf(after));
  compareSent(comparison, webhooksOf(before), webhooksOf(after));
  return comparison.changes;
}

type Operations = ReadonlyMap<string, Operation>;

/** Compares the addresses at which clients send requests. */
function compareServers(comparison: Comparison, olds: unknown, news: unknown, label: string): void {
  const [was, is] = [serversOf(olds), serversOf(news)];
  const place = { operation: label, place: 'server' };
  for (const [url, variables] of was) {
    const now = is.get(url);
    if (now === undefined) comparison.add('maybe', place, `${url} is gone`);
    else if (now !== variables) comparison.add('maybe', place, `${url} has other variables`);
  }
  for (const url of is.keys()) if (!was.has(url)) comparison.add('safe', place, `${url} is new`);
}

/** Reads the variables of servers, by the address. */
function serversOf(servers: unknown): ReadonlyMap<string, string> {
  const found = listOf(servers).map((server) => {
    const { url, variables } = nodeOf(server);
    const values = nodesOf(variables).map(([name, one]) => [name, one.default, one.enum]);
    return [String(url), canonical(values.sort())] as const;
  });
  return new Map(found.length === 0 ? [['/', canonical([])]] : found);
}

/** Compares requests that clients send. */
function compareAll(comparison: Comparison, before: Operations, after: Operations): void {
  for (const [key, old] of before) {
    const now = after.get(key);
    if (now === undefined) remove(comparison, old, after);
    else compareOperation(comparison, old, now);
  }
  for (const [key, { label }] of after) {
    if (!before.has(key)) comparison.add('safe', { operation: label, place: '' }, 'is new');
  }
}

function remove(
  comparison: Comparison,
  { label, method, path, node }: Operation,
  after: Operations,
): void {
  const place = { operation: label, place: '' };
  const { deprecated } = node;
  const sunset = sunsetOf(node);
  const other = [...after.values()].find(
    (one) => one.method === method && mayMatch(one.path, path),
  );
  if (deprecated === true && sunset !== undefined) {
    const hasPassed = sunset <= comparison.today;
    comparison.add(
      hasPassed ? 'safe' : 'breaking',
      place,
      `is gone, ${hasPassed ? 'after' : 'before'} its sunset on ${sunset}`,
    );
  } else if (other !== undefined)
    comparison.add('maybe', place, `is gone: ${other.label} may respond instead`);
  else
    comparison.add(
      'breaking',
      place,
      `is gone, ${deprecated === true ? 'deprecated without a sunset' : 'without a deprecation'}`,
    );
}

function compareOperation(comparison: Comparison, before: Operation, after: Operation): void {
  comparison.before.place = before.label;
  comparison.after.place = after.label;
  compareDeprecation(comparison, before, after);
  const [olds, news] = [before, after].map(
    ({ node, document }) => node.servers ?? document.root.servers,
  );
  if (before.node.servers !== undefined || after.node.servers !== undefined)
    compareServers(comparison, olds, news, after.label);
  compareSecurity(comparison, before, after);
  compareParameters(comparison, before, after, 'request');
  compareBodies(comparison, before, after, 'request');
  compareResponses(comparison, before, after, 'response');
  compareSent(comparison, callbacksOf(before), callbacksOf(after));
}

function compareDeprecation(comparison: Comparison, before: Operation, after: Operation): void {
  const place = { operation: after.label, place: '' };
  const [was, is] = [before, after].map(({ node }) => node.deprecated === true);
  const [old, now] = [before, after].map(({ node }) => sunsetOf(node));
  if (is && !was) comparison.add('safe', place, describeDeprecation(after.node));
  else if (was && !is) comparison.add('safe', place, 'is not deprecated anymore');
  else if (is && old !== now) {
    const isEarlier = old !== undefined && now !== undefined && now < old;
    comparison.add(
      isEarlier ? 'maybe' : 'safe',
      place,
      `has its sunset on ${now ?? 'no date'} now, was ${old ?? 'no date'}`,
    );
  }
}

/** Compares requests that clients receive. */
function compareSent(comparison: Comparison, before: Operations, after: Operations): void {
  for (const [key, old] of before) {
    const now = after.get(key);
    if (now === undefined) {
      comparison.add('breaking', { operation: old.label, place: '' }, 'is not sent anymore');
      continue;
    }
    comparison.before.place = old.label;
    comparison.after.place = now.label;
    compareParameters(comparison, old, now, 'response');
    compareBodies(comparison, old, now, 'response');
    compareResponses(comparison, old, now, 'request');
  }
  for (const [key, { label }] of after) {
    if (!before.has(key)) comparison.add('safe', { operation: label, place: '' }, 'is new');
  }
}
