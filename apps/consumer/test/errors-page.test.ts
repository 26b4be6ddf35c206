import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documents } from './support/documents.js';
import { workspace } from './support/project.js';

const HEAD = `# Errors

Every error that the packages throw, with its stable code. Those with a status answer a request; the others are
thrown where the application is put together, and never for a request. Each table stands in its package's README,
too, where a test holds it to the code; \`pnpm --filter consumer exec vitest run errors-page -u\` writes this page.

What an error looks like to a client, and how to throw your own: [guides/errors.md](guides/errors.md).
`;

/** The section of a README on its errors, without code. */
function errorsOf(readme: string): string {
  const [, section = ''] = /^## Errors\n(.*?)(?=^## )/ms.exec(`${readme}\n## `) ?? [];
  return section
    .replace(/^```.*?^```\n/gms, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const CODE = /`[A-Z]+_[A-Z_]+`/;

const sections = documents
  .filter((document) => document.startsWith('packages/'))
  .map((document) => [document, readFileSync(join(workspace, document), 'utf8')] as const)
  .filter(([, readme]) => CODE.test(errorsOf(readme)))
  .map(([document, readme]) => {
    const name = /^# (.*)$/m.exec(readme)?.[1];
    return `## [${name}](../${document})\n\n${errorsOf(readme)}\n`;
  });

it('docs/errors.md has the errors of every package', async () => {
  const page = [HEAD, ...sections].join('\n');
  await expect(page).toMatchFileSnapshot(join(workspace, 'docs/errors.md'));
});

it.each(['core', 'di', 'controllers', 'cookies', 'static', 'multipart', 'rate-limit'])(
  '@fairlead/%s is among them',
  (name) => {
    expect(sections).toContainEqual(expect.stringContaining(`@fairlead/${name}]`));
  },
);
