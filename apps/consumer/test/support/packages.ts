import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { here, run, workspace } from './project.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The paths of the packed tarballs, by folder name of the package. */
    readonly tarballs: Readonly<Record<string, string>>;
    /** The dependencies of this workspace package that compile what users write. */
    readonly compilers: readonly string[];
    /** The versions of Node.js that run the projects of `create-fairlead`. */
    readonly nodeVersions: readonly string[];
  }
}

/** The programs, which nobody imports. */
export const PROGRAMS: readonly string[] = ['create-fairlead', 'fairlead'];

/** The folder names of all published packages, which are those with a README. */
export const published: readonly string[] = readdirSync(join(workspace, 'packages')).filter(
  (name) => existsSync(join(workspace, 'packages', name, 'README.md')),
);

/** The folder names of the published packages that can be imported. */
export const packages: readonly string[] = published.filter((name) => !PROGRAMS.includes(name));

/** Packs every package as for publishing, once for all test files. */
export default async function packAll(project: TestProject): Promise<() => Promise<void>> {
  assertBuilt();
  const target = await mkdtemp(join(tmpdir(), 'fairlead-packed-'));
  const tarballs = published.map(async (name) => {
    const folder = join(target, name);
    // The test task has built the packages. Builds that run concurrently would replace files.
    const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
    await run('pnpm', args, join(workspace, 'packages', name));
    const [file = ''] = await readdir(folder);
    return [name, join(folder, file)] as const;
  });
  project.provide('tarballs', Object.fromEntries(await Promise.all(tarballs)));
  return () => rm(target, { recursive: true, force: true });
}

/** Checks that every package is a dependency, because the test task builds only dependencies. */
function assertBuilt(): void {
  const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const names = published.map((name) => (PROGRAMS.includes(name) ? name : `@fairlead/${name}`));
  const missing = names.filter((name) => devDependencies[name] === undefined);
  if (missing.length === 0) return;
  throw new Error(
    `Cannot pack packages that are not built before the tests. Add ${missing.join(', ')} to the devDependencies of apps/consumer.`,
  );
}
