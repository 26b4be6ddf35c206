import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { published } from './packages.js';
import { run, workspace } from './project.js';
import { assertLocal, type Registry } from './registry.js';

/** A copy of this repository that releases its packages to a registry of this machine. */
export interface Repository {
  /**
   * Releases the first version as CI does: versions, build, publish.
   *
   * @returns The output of the build and of `changeset publish`.
   */
  release(): Promise<string>;
  /**
   * Releases a later version with the builds of the first one, because only versions differ.
   *
   * @param changeset - The text of a changeset.
   * @returns The output of `changeset publish`.
   */
  releaseAgain(changeset: string): Promise<string>;
  /** Reads a file of the copy. */
  read(path: string): Promise<string>;
}

/** Copies the files of this repository that git tracks or would track. */
export async function copyFiles(folder: string): Promise<void> {
  const listing = await run('git', ['ls-files', '-co', '--exclude-standard', '-z'], workspace);
  const deleted = await run('git', ['ls-files', '-d', '-z'], workspace);
  const gone = new Set(deleted.stdout.split('\0'));
  for (const file of listing.stdout.split('\0').filter((name) => name !== '' && !gone.has(name))) {
    await cp(join(workspace, file), join(folder, file), { recursive: true });
  }
}

/**
 * Copies this repository, and installs what the build needs.
 *
 * @param folder - Where to copy them.
 */
export async function copyRepository(folder: string, registry: Registry): Promise<Repository> {
  assertLocal(registry.url);
  const { env } = registry;
  await copyFiles(folder);
  await Promise.all(
    published.map((name) => publishOnlyTo(join(folder, 'packages', name), registry)),
  );
  const filters = ['--filter', '.', '--filter', './packages/*'];
  await run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', ...filters], folder);
  await run('git', ['init', '--quiet'], folder, { env });
  const commit = async (): Promise<void> => {
    await run('git', ['add', '--all'], folder, { env });
    await run('git', ['commit', '--quiet', '--message', 'Release'], folder, { env });
  };
  await commit();
  const version = async (): Promise<void> => {
    await run('pnpm', ['run', 'version-packages'], folder, { env });
    await commit();
    const { stdout } = await run('pnpm', ['config', 'get', 'registry'], folder, { env });
    assertLocal(stdout.trim());
  };
  let isReleased = false;
  return {
    async release() {
      await version();
      const { stdout } = await run('pnpm', ['run', 'release'], folder, { env, timeout: 1_800_000 });
      isReleased = true;
      return stdout;
    },
    async releaseAgain(changeset) {
      if (!isReleased) throw new Error('Cannot release again: the first release has failed.');
      await writeFile(join(folder, '.changeset/again.md'), changeset);
      await commit();
      await version();
      const withoutBuild = { ...env, pnpm_config_ignore_scripts: 'true' };
      const { stdout } = await run('pnpm', ['changeset', 'publish'], folder, { env: withoutBuild });
      return stdout;
    },
    read: (path) => readFile(join(folder, path), 'utf8'),
  };
}

/** Makes a package publish to one registry only, and without provenance, which needs a real one. */
async function publishOnlyTo(folder: string, { url }: Registry): Promise<void> {
  const file = join(folder, 'package.json');
  const { publishConfig, ...manifest } = JSON.parse(await readFile(file, 'utf8'));
  const { provenance: _, ...config } = publishConfig;
  const local = { ...manifest, publishConfig: { ...config, registry: url } };
  await writeFile(file, JSON.stringify(local, null, 2));
}
