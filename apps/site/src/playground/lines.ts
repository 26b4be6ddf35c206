/** What a line of the output is about. `undefined` for what the program itself prints. */
export type Kind = 'heading' | 'problem' | 'warning' | 'detail' | 'fix' | undefined;

/** Matches the beginnings of lines, in the order in which the first match counts. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['heading', /^The application failed to start: /],
  ['problem', /^ *\d+\. /],
  ['warning', /^\[\w+\] /],
  ['detail', /^ +(?:At|Path): /],
  ['fix', /^ +Fix: /],
];

/** Returns what a line of the output of a start is about. */
export function kindOf(line: string): Kind {
  return KINDS.find(([, start]) => start.test(line))?.[0];
}
