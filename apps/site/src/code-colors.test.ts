import { join } from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { expect, it } from 'vitest';
import site from './config.ts';
import { workspace } from './pages.ts';

it('code has classes in place of styles, and no elements in the color of the block', async () => {
  const md = await createMarkdownRenderer(workspace, site.markdown);
  const render = () =>
    md.render('```ts\nexport const text = b(c); // d\n```\n', {
      path: join(workspace, 'docs/errors.md'),
      relativePath: 'errors.md',
    });
  // While it compiles a grammar, Shiki may give up on a line.
  render();
  const html = render();
  const [, line = ''] = /<span class="line">(.*)<\/span><\/code>/.exec(html) ?? [];

  expect(line).not.toContain('style=');
  expect(line).toContain('<span class="code-keyword">export</span>');
  expect(line).toContain('<span class="code-comment">// d</span>');
  expect(line).toContain('); <span');
});
