/** The parts of a markdown-it token that tables have. */
interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
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
