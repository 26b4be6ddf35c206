import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import satori from 'satori';
import { describePage } from './markdown.ts';
import type { Page } from './pages.ts';
import { groupPages } from './sidebar.ts';

/** The size of a card in pixels, which is that of a large preview. */
export const CARD = { width: 1200, height: 630 };

const require = createRequire(import.meta.url);
const fonts = ([400, 700] as const).map((weight) => ({
  name: 'Inter',
  weight,
  data: readFileSync(require.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff`)),
}));

/** The picture that shows a link to a page in a chat or a feed. */
export interface Card {
  /** The part of the site. */
  readonly part: string;
  readonly title: string;
  readonly text: string;
}

/** Returns the path of the card of a page, from the path of the page. */
export function cardPathOf(path: string): string {
  return `cards/${path.replace(/\.md$/, '.png')}`;
}

/** Writes the card of every page into the folder of the built site. */
export async function writeCards(folder: string, pages: readonly Page[]): Promise<void> {
  for (const { text: part, pages: own } of groupPages(pages)) {
    for (const page of own) {
      const card = { part, title: page.title, text: describePage(page) };
      const file = join(folder, cardPathOf(page.path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, await drawCard(card));
    }
  }
}

/** Draws a card as PNG, because feeds show no SVG. The letters become paths, so it looks the same on every machine. */
export async function drawCard({ part, title, text }: Card): Promise<Uint8Array> {
  const element = (style: object, ...children: unknown[]) => ({
    type: 'div',
    props: { style: { display: 'flex', ...style }, children },
  });
  const column = { flexDirection: 'column', justifyContent: 'space-between' };
  const page = { ...CARD, padding: 72, boxSizing: 'border-box', background: '#0b1f19' };
  const svg = await satori(
    element(
      { ...page, ...column, color: '#ffffff' },
      element({ fontSize: 34, fontWeight: 700, color: '#4cc9a0' }, `Fairlead · ${part}`),
      element({ fontSize: title.length > 24 ? 64 : 88, fontWeight: 700 }, title),
      element({ fontSize: 34, lineHeight: 1.4, color: '#d5e3dd' }, text),
    ),
    { ...CARD, fonts },
  );
  return new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng();
}
