/** A section of a page, as VitePress indexes it. */
interface Section {
  /** The path of the page and the anchor, such as `/recipes/shutdown.html#stop`. */
  readonly id: string;
  /** The headings above that of the section: none for the beginning of a page. */
  readonly titles: readonly string[];
}

/** What a result has of its section. */
type Stored = Partial<Pick<Section, 'titles'>>;

/**
 * What MiniSearch indexes. The beginning of a page also has the name of its file: "deployment" then
 * finds recipes/deployment.md, whose title does not contain the word.
 *
 * Pages contain the text of the functions of this file, which therefore use no other values of it.
 */
export const indexOptions = {
  fields: ['title', 'titles', 'text', 'file'],
  extractField: (section: Section, field: string): string => {
    if (field !== 'file') return Reflect.get(section, field);
    const [, name = ''] = /([^/]*?)\/?(?:\.html)?(?:#.*)?$/.exec(section.id) ?? [];
    return section.titles.length === 0 ? name : '';
  },
};

/** How MiniSearch ranks results: those that explain a task before those that list members. */
export const searchOptions = {
  prefix: true,
  // One wrong letter in a short word makes another one, such as "core" of "cors".
  fuzzy: (term: string): number | false => term.length > 4 && 0.2,
  boost: { title: 6, file: 6, text: 2, titles: 1 },
  boostDocument: (id: string, _term: string, stored?: Stored): number => {
    const start = stored?.titles?.length === 0 ? 1.3 : 1;
    if (/\/(?:getting-started\.|guides\/|recipes\/|tutorial\/)/.test(id)) return 1.5 * start;
    if (/\/(?:api|contributing|decisions|releases)\//.test(id)) return 0.5;
    return /\/(?:errors|(?:all-)?mistakes)\./.test(id) ? 0.8 : start;
  },
};
