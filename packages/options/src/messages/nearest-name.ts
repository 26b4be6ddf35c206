/** The longest name that is compared with others, in UTF-16 code units. Comparing takes quadratic time. */
const LONGEST_NAME = 64;

/**
 * Finds the name that the author of `name` probably meant. Ignores case and punctuation. A name of more than 64
 * UTF-16 code units is similar to none, so the time per candidate is bounded, whatever a client sends.
 *
 * @returns The name that takes the fewest edits; undefined if more than a third of its letters differ.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const written = letters(name);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.length > LONGEST_NAME) continue;
    const other = letters(candidate);
    const distance = editDistance(written, other);
    const isSimilar = distance <= Math.max(written.length, other.length) / 3;
    if (!isSimilar || distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

function letters(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbors that turn one text into another
 * (optimal string alignment distance).
 */
function editDistance(from: string, to: string): number {
  const source = [...from];
  const target = [...to];
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: target.length + 1 }, (_, column) => column);
  for (const [row, letter] of source.entries()) {
    const current = [row + 1];
    for (const [column, other] of target.entries()) {
      const [left = 0, above = 0, diagonal = 0] = [current[column], last[column + 1], last[column]];
      const isSwap = letter === target[column - 1] && other === source[row - 1];
      const swapped = isSwap ? (beforeLast[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      const replaced = diagonal + (letter === other ? 0 : 1);
      current.push(Math.min(left + 1, above + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last.at(-1) ?? 0;
}
