/** The parts of a markdown-it token that tables have. */
interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
  attrSet(name: string, value: string): void;
}

/** Turns empty head cells into plain cells: screen readers would announce a column without a name. */
export function releaseEmptyHeads(tokens: readonly Token[]): void {
  tokens.forEach((open, index) => {
    const [content, close] = tokens.slice(index + 1, index + 3);
    if (open.type !== 'th_open' || content?.content !== '' || close === undefined) return;
    open.tag = 'td';
    close.tag = 'td';
  });
}

/** The maximum length of a cell that stays on one line, such as a commit and its date. */
const SHORT = 20;

/** Gives short cells with a number the class `number`: a line that ends within "88.1 %" or a date is hard to read. */
export function keepNumbersWhole(tokens: readonly Token[]): void {
  tokens.forEach((open, index) => {
    if (open.type !== 'td_open') return;
    // Without the targets of links, and without marks.
    const text = tokens[index + 1]?.content.replaceAll(/\]\([^)]*\)|[[`*]/g, '') ?? '';
    if (text.length <= SHORT && /\d/.test(text)) open.attrSet('class', 'number');
  });
}
