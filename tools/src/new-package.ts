/** Creates a package like the others, in the repository that is the working directory. CONTRIBUTING.md lists what. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { renderAgents } from './agents.ts';

const USAGE = `Usage: pnpm new-package <name> "<what it does>"
Example: pnpm new-package job-queue "Runs jobs in the background"`;

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Returns what is wrong with the arguments, and how to fix it. */
function findProblem([name = '', description = '', unknown]: string[]): string | undefined {
  if (name === '') return 'the name is missing.';
  if (name.includes('/')) {
    return `the name '${name}' has a scope. Omit the scope: it is always @fairlead.`;
  }
  if (!NAME.test(name)) {
    return `the name '${name}' is not lowercase words joined by hyphens. Use a name such as 'job-queue'.`;
  }
  if (existsSync(`packages/${name}`)) return `packages/${name} exists. Use another name.`;
  if (description === '') return 'the description is missing.';
  if (unknown !== undefined) {
    return `there is an unknown argument '${unknown}'. Put the description in quotes.`;
  }
  if (!/^[A-Z][^|\n]*[^|\n.]$/.test(description)) {
    return `the description '${description}' is not a sentence without its period. Use one such as "Runs jobs in the background".`;
  }
  return undefined;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const readJson = (path: string) => JSON.parse(read(path));
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Inserts a line before the first of the matching lines that sorts after it, or else after the last of them. */
function insertSorted(text: string, matching: RegExp, line: string): string {
  const next = text.split('\n').find((one) => matching.test(one) && keyOf(one) > keyOf(line));
  return next === undefined
    ? insertLast(text, matching, line)
    : text.replace(`${next}\n`, () => `${line}\n${next}\n`);
}

/** Inserts a line after the last of the matching lines. */
function insertLast(text: string, matching: RegExp, line: string): string {
  const last = text.split('\n').findLast((one) => matching.test(one));
  if (last === undefined) throw new Error(`No line matches ${matching}. Adapt ${import.meta.url}.`);
  return text.replace(`${last}\n`, () => `${last}\n${line}\n`);
}

/** The name that a line of an object starts with. */
const keyOf = (line: string): string => line.split(':', 1).join().replaceAll("'", '').trim();

/** Returns the texts of the files that a package needs, by path. */
function filesOf(name: string, description: string): Readonly<Record<string, string>> {
  const folder = `packages/${name}`;
  const specifier = `@fairlead/${name}`;
  const pascal = name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  const factory = `create${pascal}`;
  const inTable = description.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  // A package with a single entry.
  const model = readJson('packages/aws-lambda/package.json');
  const consumer = readJson('apps/consumer/package.json');
  const own = ['@fairlead/core', '@fairlead/options', '@fairlead/test-support'];
  const tools = ['@types/node', 'tsup', 'typescript', 'vitest'];
  const key = name.includes('-') ? `'${name}'` : name;
  const budgets = 'apps/consumer/test/support/budgets.ts';
  const files = 'docs/contributing/files.md';
  const copies = ['LICENSE', 'tsconfig.json', 'tsup.config.ts', 'vitest.config.ts'];
  return {
    ...Object.fromEntries(
      copies.map((file) => [`${folder}/${file}`, read(`packages/aws-lambda/${file}`)]),
    ),
    [`${folder}/package.json`]: json({
      ...model,
      name: specifier,
      description,
      keywords: [name, 'fairlead'],
      scripts: { ...model.scripts, test: 'vitest run' },
      peerDependencies: { '@fairlead/core': 'workspace:^' },
      devDependencies: Object.fromEntries([
        ...own.map((dependency) => [dependency, 'workspace:*']),
        ...tools.map((dependency) => [dependency, 'catalog:']),
      ]),
    }),
    [`${folder}/README.md`]: `# ${specifier}

${description}.

\`\`\`sh
npm install @fairlead/core ${specifier}
\`\`\`

Requires Node.js 22.16 or newer. CommonJS can \`require()\` it.

\`\`\`ts
import { createApp, errorHandler } from '@fairlead/core';
import { ${factory} } from '${specifier}';

const app = createApp()
  .use(errorHandler(), ${factory}())
  .get('/', () => 'hello');
console.log((await app.request('/')).status); // 200
\`\`\`
`,
    [`${folder}/AGENTS.md`]: `## Use

\`\`\`ts
import { createApp, errorHandler } from '@fairlead/core';
import { ${factory} } from '${specifier}';

const app = createApp().use(errorHandler(), ${factory}());
\`\`\`

## Rules

- Register \`${factory}()\` after \`errorHandler()\`.
`,
    [`${folder}/src/index.ts`]: `export { ${factory} } from './${name}.js';\n`,
    [`${folder}/src/${name}.ts`]: `import type { Middleware } from '@fairlead/core';

/** Creates middleware that runs the next one. */
export function ${factory}(): Middleware {
  return (_ctx, next) => next();
}
`,
    [`${folder}/src/${name}.test.ts`]: `import { createApp, errorHandler } from '@fairlead/core';
import { expect, it } from 'vitest';
import { ${factory} } from './${name}.js';

it('runs the next middleware', async () => {
  const app = createApp()
    .use(errorHandler(), ${factory}())
    .get('/', () => 'hello');
  const response = await app.request('/');
  expect([response.status, await response.json()]).toEqual([200, 'hello']);
});
`,
    [`${folder}/api/index.api.md`]: `## API Report File for "${specifier}"

> Do not edit this file. It is a report generated by [API Extractor](https://api-extractor.com/).

\`\`\`ts

import { Middleware } from '@fairlead/core';

// @public
export function ${factory}(): Middleware;

// (No @packageDocumentation comment for this package)

\`\`\`
`,
    [`.changeset/${name}.md`]: `---\n'${specifier}': minor\n---\n\nFirst release. ${description}.\n`,
    'ARCHITECTURE.md': insertLast(
      read('ARCHITECTURE.md'),
      /^\| `packages\/(?!testing|options|create-fairlead|test-support)/,
      `| \`${folder}\` | ${inTable} | core |`,
    ),
    [files]: `${read(files)}
## ${name}

\`\`\`
index                   the explicit export list
${name.padEnd(23)} ${factory}()
\`\`\`
`,
    'README.md': insertLast(
      read('README.md'),
      /^\| \[`@fairlead\//,
      `| [\`${specifier}\`](${folder}/README.md) | ${inTable} |`,
    ),
    'apps/consumer/package.json': json({
      ...consumer,
      devDependencies: Object.fromEntries(
        Object.entries({ ...consumer.devDependencies, [specifier]: 'workspace:*' }).toSorted(
          ([one], [other]) => (one < other ? -1 : 1),
        ),
      ),
    }),
    [budgets]: insertSorted(
      insertSorted(read(budgets), /^ {2}\S+: \d+,$/, `  ${key}: 4,`),
      /^ {4}'@fairlead\//,
      `    '${specifier}': [1, 1],`,
    ),
  };
}

const args = process.argv.slice(2);
const problem = findProblem(args);
if (problem !== undefined) {
  console.error(`Cannot create a package: ${problem}\n${USAGE}`);
  process.exitCode = 1;
} else {
  const [name = '', description = ''] = args;
  for (const [path, text] of Object.entries(filesOf(name, description))) {
    mkdirSync(dirname(path), { recursive: true });
    const verb = existsSync(path) ? 'Changed' : 'Created';
    writeFileSync(path, text);
    console.log(`${verb} ${path}`);
  }
  // With parts that come from the other files.
  writeFileSync(`packages/${name}/AGENTS.md`, renderAgents(process.cwd(), name));
  console.log(`Next: pnpm install && pnpm --filter @fairlead/${name} test`);
}
