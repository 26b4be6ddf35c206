/** Text that parsers may read again and again: separators, quotations, escapes, nesting and prefixes of what they seek. */
const PIECES = [
  ...[' ', ',', ';', '=', '"', '\\', '.', ':', '-', '/', 'a', '[', '%', '&'],
  ...['\\"', '../', '/.', 'a,', ' ,', ';a', 'a=b;', ';a="', ';a="b"', '"",', 'W/"a",', 'a;q=1,'],
  ...['%61', '%CC%95%CC%80', '%C2%AD', ':$', '. ', 'a=1&', 'a[b]=&', 'xn--', 'a.', '1.', '::'],
  ...['10.0.0.1,', 'for="[::1]",', 'constructor.'],
];

/** A shape of text: its name, and the text of a size. */
export type Shape = readonly [name: string, text: (size: number) => string];

/**
 * Lists what a client may send that has the same piece many times.
 *
 * @param ends - What follows, and keeps a pattern from matching.
 * @param encode - Encodes pieces and ends.
 */
export function hostileTexts(
  ends: readonly string[] = ['!x'],
  encode = (text: string) => text,
): readonly Shape[] {
  return PIECES.map(encode).flatMap((piece) =>
    ends.map(encode).map((end): Shape => {
      const textOf = (size: number) => piece.repeat(Math.ceil(size / piece.length)) + end;
      return [`${JSON.stringify(piece)} and ${JSON.stringify(end)}`, textOf];
    }),
  );
}
