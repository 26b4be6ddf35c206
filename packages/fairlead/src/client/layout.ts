/**
 * Text with places for line breaks. A group is on one line if it fits; otherwise its own lines break.
 *
 * @see Philip Wadler, A prettier printer.
 */
export type Layout =
  | string
  | readonly Layout[]
  | { readonly kind: 'line'; readonly flat: string; readonly isHard?: true }
  | { readonly kind: 'indent' | 'group'; readonly content: Layout }
  /** Text for a group that breaks only. */
  | { readonly kind: 'broken'; readonly content: Layout };

/** A line break, or a space in a group on one line. */
export const LINE: Layout = { kind: 'line', flat: ' ' };
/** A line break, or nothing in a group on one line. */
export const SOFT: Layout = { kind: 'line', flat: '' };
/** A line break that breaks the groups around it. */
export const HARD: Layout = { kind: 'line', flat: '', isHard: true };

export const indent = (content: Layout): Layout => ({ kind: 'indent', content });
export const group = (content: Layout): Layout => ({ kind: 'group', content });
export const broken = (content: Layout): Layout => ({ kind: 'broken', content });

/** Puts a separator between parts. */
export function join(separator: Layout, parts: readonly Layout[]): Layout {
  return parts.map((part, index) => (index === 0 ? part : [separator, part]));
}

/** What is left to write: a part, its indentation, and whether its lines are on one line. */
type Task = readonly [part: Layout, indentation: number, isFlat: boolean];

/** Writes a layout as lines of at most `width` characters, where it can. */
export function writeLayout(layout: Layout, width: number): string {
  const tasks: Task[] = [[layout, 0, false]];
  const lines: string[] = [];
  let line = '';
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const [part, indentation, isFlat] = task;
    if (typeof part === 'string') {
      line += part;
    } else if (isList(part)) {
      for (let index = part.length - 1; index >= 0; index -= 1) {
        tasks.push([part[index] ?? '', indentation, isFlat]);
      }
    } else if (part.kind === 'line') {
      if (isFlat) line += part.flat;
      else {
        lines.push(line.trimEnd());
        line = ' '.repeat(indentation);
      }
    } else if (part.kind === 'group') {
      const fits = isFlat || fitsInto(width - line.length, part.content, tasks);
      tasks.push([part.content, indentation, fits]);
    } else if (part.kind === 'indent') tasks.push([part.content, indentation + 2, isFlat]);
    else if (!isFlat) tasks.push([part.content, indentation, isFlat]);
  }
  return [...lines, line].join('\n');
}

function isList(layout: Layout): layout is readonly Layout[] {
  return Array.isArray(layout);
}

/** Whether a part fits on one line, with what follows it on that line. */
function fitsInto(room: number, part: Layout, rest: readonly Task[]): boolean {
  const tasks: [Layout, boolean][] = [[part, true]];
  let following = rest.length;
  let left = room;
  for (;;) {
    const task = tasks.pop();
    if (task === undefined) {
      following -= 1;
      const next = rest[following];
      if (next === undefined) return true;
      tasks.push([next[0], next[2]]);
      continue;
    }
    const [content, isFlat] = task;
    if (typeof content === 'string') {
      left -= content.length;
      if (left < 0) return false;
    } else if (isList(content)) {
      for (let index = content.length - 1; index >= 0; index -= 1) {
        tasks.push([content[index] ?? '', isFlat]);
      }
    } else if (content.kind === 'line') {
      if (content.isHard) return !isFlat;
      if (!isFlat) return true;
      left -= content.flat.length;
    } else if (content.kind !== 'broken' || !isFlat) tasks.push([content.content, isFlat]);
  }
}
