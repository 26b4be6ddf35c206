import { listOf, nodeOf } from '../../client/index.js';
import type { Case } from './case.js';
import type { Walk } from './findings.js';
import { describeOpaque } from './opaque.js';
import { describeCounts } from './scalars.js';
import { pathOf } from './words.js';

/** Keywords about members that a schema may not describe. */
const OF_MEMBERS = [['propertyNames'], ['dependentSchemas']] as const;

export function describeObjects(walk: Walk, old: Case, now: Case, member: string): void {
  describeCounts(walk, old, now, 'number of members', ['minProperties', 'maxProperties'], member);
  for (const name of new Set([...old.names, ...now.names])) {
    describeMember(walk, old, now, name, pathOf(member, name));
  }
  const isNamed = (name: string) => old.names.has(name) || now.names.has(name);
  for (const name of now.required) {
    if (isNamed(name) || old.required.has(name)) continue;
    walk.findings.add(pathOf(member, name), 'is required now', 2, 0);
  }
  for (const name of old.required) {
    if (isNamed(name) || now.required.has(name)) continue;
    walk.findings.add(pathOf(member, name), 'is optional now', 0, 2);
  }
  describeOthers(walk, old, now, member);
  describePatterns(walk, old, now, member);
  describeDependencies(walk, old, now, member);
  for (const keywords of OF_MEMBERS) describeOpaque(walk, old, now, keywords, member, true);
}

function describeMember(walk: Walk, old: Case, now: Case, name: string, member: string): void {
  const isSent = (one: Case) => one.names.has(name) && !one.hides(name);
  const [was, is] = [isSent(old), isSent(now)];
  const { hides } = walk.prover;
  const hidden = hides === 'readOnly' ? 'read-only' : 'write-only';
  if (!was && !is) return;
  if (!was) {
    const isNeeded = now.required.has(name);
    const before = old.hides(name) ? `is not ${hidden} anymore` : 'is new';
    const message = isNeeded && walk.findings.isRequest ? `${before}, and required` : before;
    if (old.hasOthers) walk.recurse(old.member(name) ?? [], now.member(name) ?? [], member);
    if (isNeeded && walk.findings.isRequest) walk.findings.add(member, message, 2, 0);
    else if (old.isClosed && !walk.findings.isRequest) walk.findings.add(member, message, 0, 1);
    else walk.findings.addMeaning(member, message, 0);
    return;
  }
  if (!is) {
    const isHidden = now.hides(name);
    if (now.hasOthers && !isHidden) {
      describeNeed(walk, old, now, name, member);
      walk.recurse(old.member(name) ?? [], now.member(name) ?? [], member);
      return;
    }
    const gone = isHidden ? `is ${hidden} now` : 'is gone';
    if (walk.findings.isRequest && now.isClosed && !isHidden)
      walk.findings.add(member, 'is refused now', 2, 0);
    else if (walk.findings.isRequest)
      walk.findings.addMeaning(member, `${gone}: what clients send may be ignored`, 1);
    else if (old.required.has(name)) walk.findings.add(member, gone, 0, 2);
    else walk.findings.addMeaning(member, gone, 1);
    return;
  }
  describeNeed(walk, old, now, name, member);
  const [before, after] = [old.member(name), now.member(name)];
  if (before === undefined && after !== undefined)
    walk.findings.add(member, 'can have a value now', 0, 2);
  else if (after === undefined && before !== undefined)
    walk.findings.add(member, 'can have no value anymore', 2, 0);
  else walk.recurse(before ?? [], after ?? [], member, old.required.has(name));
}

/** Describes whether objects must have a member. */
function describeNeed(walk: Walk, old: Case, now: Case, name: string, member: string): void {
  const [wasNeeded, isNeeded] = [old.required.has(name), now.required.has(name)];
  const absence = walk.findings.isRequest ? 'is optional now' : 'may be absent now';
  if (isNeeded && !wasNeeded) walk.findings.add(member, 'is required now', 2, 0);
  if (wasNeeded && !isNeeded) walk.findings.add(member, absence, 0, 2);
}

/** Describes the members that schemas do not name. */
function describeOthers(walk: Walk, old: Case, now: Case, member: string): void {
  const place = pathOf(member, '*');
  if (now.isClosed && !old.isClosed) {
    const message = 'refuses members that it does not describe now';
    if (old.hasOthers || old.others !== undefined) walk.findings.add(member, message, 2, 0);
    else walk.findings.addMeaning(member, message, walk.findings.isRequest ? 1 : 0);
  } else if (old.isClosed && !now.isClosed) {
    const message = 'can have members that it does not describe now';
    if (now.hasOthers || now.others !== undefined) walk.findings.add(member, message, 0, 1);
    else walk.findings.addMeaning(member, message, 0);
  } else if (old.others !== undefined && now.others !== undefined)
    walk.recurse(old.others, now.others, place);
  else if (old.others !== undefined && old.hasOthers)
    walk.findings.addMeaning(place, 'is not described anymore', walk.findings.isRequest ? 1 : 0);
  else if (now.others !== undefined && now.hasOthers && now.others.length > 0)
    walk.findings.add(place, 'is described now', 0, 1);
}

function describePatterns(walk: Walk, old: Case, now: Case, member: string): void {
  const read = ({ patterns }: Case) => Map.groupBy(patterns, ([pattern]) => pattern);
  const [was, is] = [read(old), read(now)];
  for (const pattern of new Set([...was.keys(), ...is.keys()])) {
    const place = pathOf(member, `/${pattern}/`);
    const [before, after] = [was, is].map((all) => all.get(pattern)?.map(([, part]) => part));
    if (before !== undefined && after !== undefined) walk.recurse(before, after, place);
    else if (after !== undefined)
      walk.findings.addMeaning(place, 'is described now', walk.findings.isRequest ? 1 : 0);
    else
      walk.findings.addMeaning(place, 'is not described anymore', walk.findings.isRequest ? 0 : 1);
  }
}

function describeDependencies(walk: Walk, old: Case, now: Case, member: string): void {
  const read = (one: Case) =>
    new Set(
      one
        .all('dependentRequired')
        .flatMap(([, value]) =>
          Object.entries(nodeOf(value)).flatMap(([name, names]) =>
            listOf(names).map(
              (needed) => `${JSON.stringify(needed)} if it has ${JSON.stringify(name)}`,
            ),
          ),
        ),
    );
  const [was, is] = [read(old), read(now)];
  for (const text of is) if (!was.has(text)) walk.findings.add(member, `needs ${text} now`, 2, 0);
  for (const text of was)
    if (!is.has(text)) walk.findings.add(member, `need not have ${text} anymore`, 0, 2);
}
