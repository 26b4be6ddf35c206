import { join } from 'node:path';
import { highlightTree } from '@lezer/highlight';
import { createMarkdownRenderer } from 'vitepress';
import { expect, it } from 'vitest';
import site from './config.ts';
import { workspace } from './pages.ts';
import { codeClasses, language } from './playground/code-classes.ts';

/** Returns the HTML of a block of code. */
async function render(name: string, code: string): Promise<string> {
  const md = await createMarkdownRenderer(workspace, site.markdown);
  const renderOnce = () =>
    md.render(`\`\`\`${name}\n${code}\`\`\`\n`, {
      path: join(workspace, 'docs/errors.md'),
      relativePath: 'errors.md',
    });
  // While it compiles a grammar, Shiki may give up on a line.
  renderOnce();
  return renderOnce();
}

it('code has classes in place of styles, and no elements in the color of the block', async () => {
  const html = await render('ts', 'export const text = b(c); // d\n');
  const [, line = ''] = /<span class="line">(.*)<\/span><\/code>/.exec(html) ?? [];

  expect(line).not.toContain('style=');
  expect(line).toContain('<span class="code-keyword">export</span>');
  expect(line).toContain('<span class="code-comment">// d</span>');
  expect(line).toContain('); <span');
});

const PROGRAM = `import { createApp } from '@fairlead/core';

// A comment.
class Clock {
  static inject = ['log'];
  format(hours) {
    return this.text + hours;
  }
}

const port = 8080;
async function start(app, { clock }) {
  if (port === 1_000 || clock !== null) throw new Error(clock.format(3));
  await app.plugin({ prefix: \`/api\`, router: true });
  const { log } = app.use((line) => print(line));
}
`;

/** Returns each word that has a class, after the class. */
const list = (spans: readonly (readonly [string, string])[]) =>
  spans.flatMap(([name, text]) =>
    [...text.matchAll(/\S+/g)].map(([word]) => `${name.replace('code-', '')} ${word}`),
  );

it('words have the same classes in the editor of the playground', async () => {
  const html = await render('js', PROGRAM);
  const block = [...html.matchAll(/<span class="(code-\w+)">([^<]*)</g)].map(
    ([, name = '', text = '']) => [name, text] as const,
  );
  const editor: [string, string][] = [];
  highlightTree(language.parser.parse(PROGRAM), codeClasses, (from, to, name) => {
    editor.push([name, PROGRAM.slice(from, to)]);
  });

  expect(list(editor)).toEqual(list(block));
});
