import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { here, run, runTsc, workspace } from './support/project.js';

const page = await readFile(join(workspace, 'docs/contributing/type-stripping.md'), 'utf8');
const guide = await readFile(join(workspace, 'docs/getting-started.md'), 'utf8');

/** The rows of the tables: what they show, the code, and what Node.js and tsc do with it. */
const rows = [...page.matchAll(/^\| (.+) \| `(.+)` \| `?(.+?)`? \| (.+) \|$/gm)].map(
  ([, title = '', code = '', node, tsc], index) => ({
    title,
    code,
    node,
    tsc,
    file: `src/row-${index}.ts`,
  }),
);

/** The `tsconfig.json` for users. */
const [, config = ''] = /^`tsconfig\.json`\n\n```json\n(.*?)^```/ms.exec(guide) ?? [];

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-stripping-'));
  await mkdir(join(project, 'src'));
  const { compilerOptions, include } = JSON.parse(config);
  const typeRoots = [join(here, 'node_modules/@types')];
  const paths = { '@/*': ['./src/*.ts'] };
  const files = {
    'package.json': { type: 'module', imports: { '#*': './src/*.ts' } },
    'tsconfig.json': { compilerOptions: { ...compilerOptions, paths, typeRoots }, include },
  };
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(project, file), JSON.stringify(content));
  }
  const user = 'export interface User { name: string }\nexport const ada: User = { name: "Ada" };';
  await writeFile(join(project, 'src/user.ts'), user);
  for (const { file, code } of rows) await writeFile(join(project, file), `${code}\nexport {};\n`);
});

afterAll(() => rm(project, { recursive: true }));

describe('the page Type stripping', () => {
  it('has tables of code', () => {
    expect(rows.length).toBeGreaterThan(15);
  });

  it.each(rows)('says what Node.js does: $title', async ({ file, node }) => {
    const { stderr } = await run(process.execPath, [file], project).catch((failure) => failure);
    // A system error has its code in brackets.
    const [, name, code] = /^(\w*Error)(?: \[(\w+)\])?: /m.exec(stderr) ?? [];
    expect(code ?? name ?? 'runs').toBe(node);
  });

  it.each(['typescript', 'typescript-6', 'typescript-7'])('says what %s does', async (compiler) => {
    const { stdout } = await runTsc(compiler, [], project).catch((failure) => failure);
    const codesOf = (file: string): string[] =>
      [...stdout.matchAll(/^(\S+?)\(.*?error (TS\d+)/gm)].flatMap(([, path, code]) =>
        path === file ? [code] : [],
      );
    const found = rows.map(({ title, file }) => [title, [...new Set(codesOf(file))].join()]);
    expect(found).toEqual(rows.map(({ title, tsc }) => [title, tsc === 'accepts' ? '' : tsc]));
  });
});
