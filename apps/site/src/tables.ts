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

/**
 * Gives short cells with a number the class `number`, and other first cells of one short word the class `word`: a line
 * that ends within "88.1 %", a date or `rest-api` is hard to read.
 */
export function keepShortCellsWhole(tokens: readonly Token[]): void {
  tokens.forEach((open, index) => {
    if (open.type !== 'td_open') return;
    const text = textOf(tokens[index + 1]);
    if (text.length > SHORT) return;
    const isFirst = tokens[index - 1]?.type === 'tr_open';
    if (/\d/.test(text)) open.attrSet('class', 'number');
    else if (isFirst && /^\S+$/.test(text)) open.attrSet('class', 'word');
  });
}

/** The maximum number of columns of a table that a phone always shows as columns. */
const COLUMNS = 3;

/** The maximum length of what follows the first cell in a row of more columns that a phone shows as columns. */
const ROW = 60;

/**
 * Gives each cell of a table that has too much text for the columns of a phone the name of its column as `data-label`.
 * Phones show the cells of these tables below each other.
 */
export function stackLongRows(tokens: readonly Token[]): void {
  tokens.forEach((table, start) => {
    if (table.type !== 'table_open') return;
    const end = tokens.findIndex(({ type }, index) => index > start && type === 'table_close');
    const cells = tokens
      .map((open, index) => ({ open, text: textOf(tokens[index + 1]) }))
      .slice(start, end)
      .filter(({ open: { type } }) => type === 'th_open' || type === 'td_open');
    const heads = cells.filter(({ open }) => open.type === 'th_open');
    const rows = cells.slice(heads.length).map((cell, index) => {
      return { ...cell, row: Math.floor(index / heads.length), head: heads[index % heads.length] };
    });
    const lengths = Map.groupBy(rows, ({ row }) => row)
      .values()
      .map(([, ...row]) => row.reduce((sum, { text }) => sum + text.length, 0));
    if (heads.length <= COLUMNS || Math.max(...lengths) <= ROW) return;
    for (const { open, head } of rows) if (head?.text) open.attrSet('data-label', head.text);
  });
}

/** Returns the text of a cell, without the targets of links and without marks. */
function textOf(inline: Token | undefined): string {
  return inline?.content.replaceAll(/\]\([^)]*\)|[[`*]/g, '') ?? '';
}
