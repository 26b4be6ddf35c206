import { count, formatTable } from '../output.js';
import type { Change } from './changes.js';
import type { Severity } from './schemas/findings.js';

/** From the worst to the best. */
const SEVERITIES: readonly Severity[] = ['breaking', 'maybe', 'safe'];

/** How many operations with the same change a line names. */
const NAMED = 2;

/** Sorts changes by severity. Those of the same severity keep their order. */
export function sortChanges(changes: readonly Change[]): readonly Change[] {
  return SEVERITIES.flatMap((severity) => changes.filter((one) => one.severity === severity));
}

/** Formats changes as lines. Several operations with the same change share one. */
export function formatChanges(changes: readonly Change[]): string {
  const groups = Map.groupBy(
    sortChanges(changes),
    (change) => `${change.severity}\n${describeChange(change)}`,
  );
  const rows = [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const names = [...new Set(same.map(({ operation }) => operation))];
    const others = names.length - NAMED;
    const shown =
      others > 1 ? `${names.slice(0, NAMED).join(', ')} and ${others} more` : names.join(', ');
    return [[first.severity, shown, describeChange(first)]];
  });
  const [, ...lines] = formatTable(['', '', ''], rows).split('\n');
  return lines.join('\n');
}

/** Describes a change without its operation: `request body: member "age" is required now`. */
export function describeChange({ place, member, message }: Change): string {
  const subject = member === undefined ? '' : `member ${JSON.stringify(member)} `;
  return `${place === '' ? '' : `${place}: `}${subject}${message}`;
}

/** Counts changes in a sentence without its end: `1 breaking change, 2 that may break clients, 1 safe one`. */
export function countChanges(changes: readonly Change[]): string {
  const [breaking = 0, maybe = 0, safe = 0] = SEVERITIES.map(
    (severity) => changes.filter((one) => one.severity === severity).length,
  );
  const [first, ...others] = [
    ...(breaking > 0 ? [[breaking, 'breaking change'] as const] : []),
    ...(maybe > 0 ? [[maybe, 'change'] as const] : []),
    ...(safe > 0 ? [[safe, 'safe change'] as const] : []),
  ];
  if (first === undefined) return 'No changes';
  const texts = [first, ...others].map(([number, noun]) => {
    const text = count(number, noun);
    return noun === 'change' ? `${text} that may break clients` : text;
  });
  return texts.join(', ');
}
