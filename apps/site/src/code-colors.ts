import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MarkdownOptions } from 'vitepress';

const STYLES = join(import.meta.dirname, '../.vitepress/theme/code.css');
const RULE = /^\.([\w-]+) \{([^}]+)\}/gm;

/** The classes of code.css by their colors. */
const classes = new Map(
  [...readFileSync(STYLES, 'utf8').matchAll(RULE)].map(([, name = '', style = '']) => [
    colorsOf(style),
    name,
  ]),
);

type Transformer = NonNullable<MarkdownOptions['codeTransformers']>[number];

/**
 * Replaces the style of each token of code with a class, and leaves out the elements of tokens in the color of the
 * block. A style per token makes up half of the HTML of a page with code.
 */
export const shareColors: Transformer = {
  name: 'share-colors',
  span(node) {
    const name = classes.get(colorsOf(String(node.properties.style)));
    if (name === undefined) return;
    delete node.properties.style;
    node.properties.class = name;
  },
  line(node) {
    node.children = node.children.flatMap((child) =>
      child.type === 'element' && child.properties.class === 'vp-code' ? child.children : [child],
    );
  },
};

/** Returns the color in the light scheme and that in the dark one. */
function colorsOf(style: string): string {
  const colors = ['light', 'dark'].map(
    (scheme) => new RegExp(`--shiki-${scheme}: ?(#\\w+)`).exec(style)?.[1],
  );
  return colors.join(' ').toLowerCase();
}
