import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { documents } from './support/documents.js';
import {
  createProject,
  here,
  run,
  runTsc,
  withoutSqliteWarning,
  workspace,
} from './support/project.js';

/** The newest version of each library that these recipes install. */
const VERSIONS: Readonly<Record<string, string>> = {
  '@apollo/client': '4.3.8',
  '@apollo/server': '5.5.1',
  '@auth/core': '0.41.3',
  '@orpc/client': '1.16.1',
  '@orpc/server': '1.16.1',
  '@sentry/node': '11.12.0',
  'better-auth': '1.7.25',
  graphql: '16.15.0',
  inngest: '4.24.0',
  'reflect-metadata': '0.2.2',
  'sql.js': '1.17.0',
  typeorm: '1.1.1',
  zod: '4.6.7',
};

/** Clients of recipes whose code has none: modules that import the compiled code. */
const CLIENTS: Readonly<Record<string, string>> = {
  Inngest: 'inngest.mjs',
  '# Send errors and traces to Sentry': 'sentry.mjs',
};

const tarballs = inject('tarballs');

interface Recipe {
  readonly document: string;
  readonly heading: string;
  readonly packages: readonly string[];
  readonly code: string;
}

/** The sections with a `ts extra` block, whose libraries are too large for the other tests of documents. */
const recipes = await Promise.all(
  documents.map(async (document): Promise<Recipe[]> => {
    const text = await readFile(join(workspace, document), 'utf8');
    return text.split(/^## /m).flatMap((section) => {
      const code = /^```ts extra\n(.*?)^```$/ms.exec(section)?.[1];
      const packages = /^npm install (.*)$/m.exec(section)?.[1]?.split(' ') ?? [];
      return code === undefined
        ? []
        : { document, heading: section.split('\n', 1)[0] ?? '', packages, code };
    });
  }),
);

describe('recipes for large libraries', () => {
  it('exist', () => {
    const headings = recipes.flat().map(({ heading }) => heading);
    expect(headings).toEqual([
      'Keep the repositories of TypeORM',
      'better-auth',
      'Auth.js',
      'oRPC',
      'Inngest',
      'Apollo Server',
      '# Send errors and traces to Sentry',
    ]);
  });

  it.each(recipes.flat())('$heading in $document', async ({ heading, packages, code }) => {
    const project = await mkdtemp(join(tmpdir(), 'fairlead-libraries-'));
    onTestFinished(() => rm(project, { recursive: true, force: true }));
    await createProject(project);
    const dependencies = packages.map(
      (name) => tarballs[name.replace('@fairlead/', '')] ?? `${name}@${VERSIONS[name]}`,
    );
    const flags = ['--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...flags, '@types/node@22.20.5', ...dependencies], project);
    const file = /^\/\/ (\S+)\.ts\n/.exec(code)?.[1] ?? 'recipe';
    await writeFile(join(project, `${file}.ts`), code);
    const { compilerOptions } = JSON.parse(await readFile(join(project, 'tsconfig.json'), 'utf8'));
    // The declarations of some of the libraries have errors.
    const config = {
      compilerOptions: { ...compilerOptions, skipLibCheck: true },
      files: [`${file}.ts`],
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
    // tsc prints its errors to stdout and fails.
    const { stdout } = await runTsc('typescript-7', [], project).catch((failure) => failure);
    expect(stdout).toBe('');
    const client = CLIENTS[heading];
    if (client !== undefined)
      await cp(join(here, 'fixtures/libraries', client), join(project, client));
    const { stderr } = await run(process.execPath, [client ?? `dist/${file}.js`], project);
    expect(withoutSqliteWarning(stderr)).toBe('');
  });
});
