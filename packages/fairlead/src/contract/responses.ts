import { type Document, type Node, nodesOf } from '../client/index.js';
import type { Change, Comparison, Place, SentPlace } from './changes.js';
import { compareContent, contentOf, find, withType } from './content.js';
import { compareHeaders } from './inputs.js';
import type { Operation } from './operations.js';
import type { Direction } from './schemas/findings.js';
import { type Part, partOf } from './schemas/part.js';

type Responses = ReadonlyMap<string, Node>;

/** Compares the responses of an operation. */
export function compareResponses(
  comparison: Comparison,
  before: Operation,
  after: Operation,
  direction: Direction,
): void {
  const [olds, news] = [read(before), read(after)];
  const placeOf = (status: string) =>
    ({ operation: after.label, direction, place: `response ${status}` }) as const;
  const isSent = direction === 'response';
  for (const [status, old] of olds) {
    const now = news.get(status);
    if (now !== undefined) {
      compareResponse(comparison, old, now, placeOf(status));
      continue;
    }
    const cover = coverOf(news, status);
    if (cover !== undefined) {
      comparison.changes.push(...doubtsOf(comparison, old, cover, placeOf(status)));
      continue;
    }
    const isSuccess = isOfClass(status, '2');
    const severity = isSuccess ? 'breaking' : isOfClass(status, '3') || !isSent ? 'maybe' : 'safe';
    comparison.add(
      severity,
      placeOf(status),
      isSent ? 'is not sent anymore' : 'is not accepted anymore',
    );
  }
  for (const [status, now] of news) {
    if (olds.has(status)) continue;
    const cover = coverOf(olds, status);
    // Clients treat an unknown status as the x00 of its class. RFC 9110 §15
    const isError = isOfClass(status, '4') || isOfClass(status, '5') || status === 'default';
    const severity = isError || cover !== undefined || !isSent ? 'safe' : 'maybe';
    comparison.add(severity, placeOf(status), 'is new');
    if (cover === undefined) continue;
    const doubts = doubtsOf(comparison, cover, now, placeOf(status));
    // Another status may have the media types that it lacks.
    comparison.changes.push(
      ...doubts.filter(({ message }) => !/ is not sent anymore$/.test(message)),
    );
  }
}

/** Compares two responses of which one describes several statuses, and leaves out safe changes. */
function doubtsOf(
  comparison: Comparison,
  old: Node,
  now: Node,
  place: SentPlace,
): readonly Change[] {
  const found = comparison.changes.length;
  compareResponse(comparison, old, now, place);
  return comparison.changes.splice(found).filter((one) => one.severity !== 'safe');
}

function read({ document, node }: Operation): Responses {
  return new Map(
    nodesOf(node.responses).map(([status, one]) => [
      status.toUpperCase().replace('DEFAULT', 'default'),
      document.resolve(one),
    ]),
  );
}

function isOfClass(status: string, first: string): boolean {
  return status.startsWith(first);
}

/** Finds the response that describes a status without naming it. */
function coverOf(responses: Responses, status: string): Node | undefined {
  const range = responses.get(`${status[0]}XX`);
  // Others than errors have to be named.
  return range ?? (/^[45]/.test(status) ? responses.get('default') : undefined);
}

function compareResponse(comparison: Comparison, old: Node, now: Node, place: SentPlace): void {
  const headers = { ...place, direction: place.direction };
  compareHeaders(comparison, [old, now], headers);
  const contents = [contentOf(comparison.before, old), contentOf(comparison.after, now)] as const;
  const found = comparison.changes.length;
  compareContent(comparison, ...contents, place);
  const changes = comparison.changes.splice(found);
  const problem = contents.map((content) => content.get(PROBLEM));
  const [was, is] = [
    codesOf(comparison, comparison.before, problem[0], place.direction),
    codesOf(comparison, comparison.after, problem[1], place.direction),
  ];
  const own = withType(place, PROBLEM, contents[0].size > 1).place;
  const isDescribed = was.codes.size + is.codes.size > 0;
  comparison.changes.push(
    ...changes.filter(
      ({ place: where, member }) => !(isDescribed && where === own && member === 'code'),
    ),
  );
  if (find(contents[0], PROBLEM) !== undefined && isDescribed)
    compareCodes(comparison, was, is, place);
}

const PROBLEM = 'application/problem+json';

/** The codes of a problem of RFC 9457. */
interface Codes {
  readonly codes: ReadonlySet<string>;
  /** Whether there may be others. */
  readonly isOpen: boolean;
}

function codesOf(
  comparison: Comparison,
  document: Document,
  media: Node | undefined,
  direction: Direction,
): Codes {
  const codes = new Set<string>();
  if (media === undefined) return { codes, isOpen: true };
  const schemas = comparison.schemas(direction);
  const member = (part: Part) => schemas.casesOf(part).map((one) => one.member('code') ?? []);
  let isOpen = false;
  for (const parts of member(partOf(document, media.schema))) {
    for (const one of schemas.casesOfAll(parts)) {
      if (one.values === undefined) isOpen = true;
      for (const code of one.values ?? []) codes.add(String(code));
    }
  }
  return { codes, isOpen };
}

function compareCodes(comparison: Comparison, was: Codes, is: Codes, place: Place): void {
  const added = [...is.codes].filter((code) => !was.codes.has(code));
  const gone = [...was.codes].filter((code) => !is.codes.has(code));
  for (const code of added) {
    comparison.add(was.isOpen ? 'safe' : 'maybe', place, `the problem code ${code} is new`);
  }
  for (const code of gone) comparison.add('safe', place, `the problem code ${code} is gone`);
  if (is.isOpen && !was.isOpen) {
    comparison.add('maybe', place, 'may have problem codes that it does not list now');
  }
}
