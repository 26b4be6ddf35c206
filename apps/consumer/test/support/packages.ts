import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { here, run, workspace } from './project.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of each package's tarball, by the name of its folder. */
    readonly tarballs: Readonly<Record<string, string>>;
  }
}

/** The folders of the packages that are published: those with a README. */
export const packages: readonly string[] = readdirSync(join(workspace, 'packages')).filter((name) =>
  existsSync(join(workspace, 'packages', name, 'README.md')),
);

/** Packs every package once for all test files, as it would be published. */
export default async function packAll(project: TestProject): Promise<() => Promise<void>> {
  assertBuilt();
  const target = await mkdtemp(join(tmpdir(), 'fairlead-packed-'));
  const tarballs = packages.map(async (name) => {
    const folder = join(target, name);
    await run('pnpm', ['pack', '--pack-destination', folder], join(workspace, 'packages', name));
    const [file = ''] = await readdir(folder);
    return [name, join(folder, file)] as const;
  });
  project.provide('tarballs', Object.fromEntries(await Promise.all(tarballs)));
  return () => rm(target, { recursive: true, force: true });
}

/** The test task builds what this package depends on, and nothing else. */
function assertBuilt(): void {
  const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const missing = packages.filter((name) => devDependencies[`@fairlead/${name}`] === undefined);
  if (missing.length === 0) return;
  throw new Error(
    `Add ${missing.map((name) => `@fairlead/${name}`).join(', ')} to the devDependencies of apps/consumer, so that it is built before it is packed.`,
  );
}
