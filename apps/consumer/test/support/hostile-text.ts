/** Text that parsers may read again and again: separators, quotations, escapes, nesting and prefixes of what they seek. */
const PIECES = [
  ...[' ', ',', ';', '=', '"', '\\', '.', ':', '-', '/', 'a', '[', '%', '&'],
  ...['\\"', '../', '/.', 'a,', ' ,', ';a', 'a=b;', ';a="', ';a="b"', '"",', 'W/"a",', 'a;q=1,'],
  ...['%61', '%CC%95%CC%80', '%C2%AD', ':$', '. ', 'a=1&', 'a[b]=&', 'xn--', 'a.', '1.', '::'],
  ...['10.0.0.1,', 'for="[::1]",', 'constructor.'],
];

/** What a client may send that has the same piece many times. The ends keep a pattern from matching. */
export const HOSTILE_TEXTS: readonly (readonly [name: string, text: (size: number) => string])[] =
  PIECES.flatMap((piece) =>
    ['', '!x'].map((end): [string, (size: number) => string] => [
      `${JSON.stringify(piece)} and ${JSON.stringify(end)}`,
      (size) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size) + end,
    ]),
  );
