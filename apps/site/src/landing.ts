/** The parts of a markdown-it token that the landing page reads. */
interface Token {
  readonly type: string;
  readonly tag: string;
  readonly content: string;
}

/** The numbers that the landing page shows large, in the sentences of README.md that have them. */
const NUMBERS: readonly (readonly [sentence: RegExp, number: string])[] = [
  [/Of the (\d+) that compile, (\d+) /, '$2 of $1'],
  [/serves ([\d.]+) times the GET requests per second/, '$1 ×'],
  [/during ([\d,]+) acknowledged writes\. None was lost/, '0 of $1'],
];

/** A link to a page that only the site has. */
const PLAYGROUND =
  '<p class="landing-try"><a href="playground.html">Break an application in the playground</a></p>\n';

/**
 * Lays out README.md as the landing page: the first sentence and the program beside its report, and the list of
 * numbers as cards. A link to the playground follows the report. Nothing moves, so the page reads in the same order as
 * README.md.
 *
 * @param tokens - The tokens of README.md. The report is a block of HTML.
 * @param html - Creates a token for HTML.
 * @returns The tokens with the elements of the layout.
 * @throws {Error} When README.md has no report before its first section, or a sentence of a number is missing.
 */
export function layOutLanding<T extends Token>(
  tokens: readonly T[],
  html: (content: string) => T,
): readonly T[] {
  const section = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h2');
  const report = tokens.findIndex(({ content }) => content.includes('class="start-report"'));
  if (report === -1 || report > section) {
    throw new Error('README.md must show the report of a start before its first section.');
  }
  const rest = tokens.slice(section);
  const list = rest.findIndex(({ type }) => type === 'bullet_list_open');
  const end = rest.findIndex(({ type }) => type === 'bullet_list_close') + 1;
  return [
    html('<main class="landing">\n<div class="landing-first"><div class="landing-code">\n'),
    ...tokens.slice(0, report),
    html('</div>\n'),
    ...tokens.slice(report, section),
    html(PLAYGROUND),
    html('</div>\n'),
    ...rest.slice(0, list),
    html('<div class="landing-numbers">\n'),
    ...addNumbers(rest.slice(list, end), html),
    html('</div>\n'),
    ...rest.slice(end),
    html('</main>\n'),
  ];
}

/** Puts its number before each item of the list. */
function addNumbers<T extends Token>(list: readonly T[], html: (content: string) => T) {
  const texts = list.filter(({ type }) => type === 'inline').map(({ content }) => content);
  const numbers = NUMBERS.map(([sentence, number], index) => {
    const match = sentence.exec(texts[index]?.replaceAll('\n', ' ') ?? '');
    if (match === null) throw new Error(`README.md has no number ${sentence} in its list.`);
    return match[0].replace(sentence, number).trim();
  });
  return list.flatMap((token) =>
    token.type === 'list_item_open'
      ? // The sentence below has the number, too.
        [token, html(`<p class="number" aria-hidden="true">${numbers.shift() ?? ''}</p>\n`)]
      : [token],
  );
}
