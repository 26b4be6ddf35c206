import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Application, listen } from '@fairlead/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { here, run, runTsc } from './support/project.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-generated-'));
  await cp(join(here, 'fixtures/generated-client'), folder, { recursive: true });
  await symlink(join(here, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const program = join(here, 'node_modules/fairlead/dist/main.js');
  await run(process.execPath, [program, 'client', 'app.ts', '--out', 'api.ts'], folder);
});

afterAll(() => rm(folder, { recursive: true }));

/** Returns the errors of a compiler. */
async function compile(compiler: string, file: string, options: object): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, noUnusedLocals: true },
    ...{ verbatimModuleSyntax: true, erasableSyntaxOnly: true, isolatedModules: true },
    ...{ allowImportingTsExtensions: true, noEmit: true, skipLibCheck: true },
    ...{ target: 'ES2022', module: 'NodeNext', lib: ['ES2023', 'DOM'], types: ['node'] },
    ...options,
  };
  const config = JSON.stringify({ compilerOptions, files: [file] });
  await writeFile(join(folder, 'tsconfig.json'), config);
  const { stdout } = await runTsc(compiler, [], folder).catch((error) => error);
  return stdout;
}

describe('a client from fairlead client', () => {
  it.each(['typescript', 'typescript-6', 'typescript-7'])('compiles with %s', async (compiler) => {
    expect(await compile(compiler, 'use.ts', { exactOptionalPropertyTypes: true })).toBe('');
  });

  it('has the types of the inferred client', async () => {
    // With exactOptionalPropertyTypes, those of zod have undefined, too.
    expect(await compile('typescript-7', 'same.ts', {})).toBe('');
  });

  it('receives what its types say', async () => {
    const { createOfflineApp }: { createOfflineApp(): Promise<Application> } = await import(
      join(folder, 'app.ts')
    );
    const { useApi } = await import(join(folder, 'use.ts'));
    const server = await listen(await createOfflineApp(), 0);
    const results = await useApi(server.url);
    await server.close();
    expect(results).toEqual({
      ...{ tags: ['a'], city: undefined, role: 'member', page: 2, listed: ['x', 'y'] },
      ...{ side: 2, folder: 'b', odd: ['7', 1, true], pair: 1, count: 1, file: 'a/b c' },
      ...{ rest: 'a/b', empty: null, removed: undefined, bytes: 2 },
      ...{ missing: 'USER_NOT_FOUND', taken: 'NAME_TAKEN' },
    });
  });
});
