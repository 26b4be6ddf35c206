import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documents } from './support/documents.js';
import { workspace } from './support/project.js';

const HEAD = `# Errors

Every error that the packages throw, with its stable code. An error thrown during a request becomes a response with the
status of the error, or with 500 if it has none. An error thrown while the application is set up or shut down makes that
step fail, regardless of its status. Each table also appears in its package's README, where a test compares it with the
code. To regenerate this page, run \`pnpm --filter consumer exec vitest run errors-page -u\`.

To throw your own errors, or to see what clients receive, read [guides/errors.md](guides/errors.md).
`;

/** Returns the "Errors" section of a README without its code blocks, with links from the folder of documents. */
function errorsOf(readme: string): string {
  const [, section = ''] = /^## Errors\n(.*?)(?=^## )/ms.exec(`${readme}\n## `) ?? [];
  return section
    .replace(/^```.*?^```\n/gms, '')
    .replaceAll('](../../docs/', '](')
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

it('docs/errors.md contains the errors of every package', async () => {
  const page = [HEAD, ...sections].join('\n');
  await expect(page).toMatchFileSnapshot(join(workspace, 'docs/errors.md'));
});

it.each([
  'core',
  'di',
  'controllers',
  'middleware',
  'session',
  'static',
  'multipart',
  'rate-limit',
  'serve',
  'metrics',
  'jwt',
  'pino',
  'connect',
  'aws-lambda',
  'openapi',
  'mcp',
  'opentelemetry',
  'store',
  'testing',
])('includes the errors of @fairlead/%s', (name) => {
  expect(sections).toContainEqual(expect.stringContaining(`@fairlead/${name}]`));
});
