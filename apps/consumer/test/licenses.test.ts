import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packages } from './support/packages.js';
import { workspace } from './support/project.js';

/** Licenses that let users do anything as long as they keep the notice. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Whether a license, or one of those to choose from, is permissive. */
const isPermissive = (license: string): boolean =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((one) => PERMISSIVE.includes(one));

interface Installed {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Finds the folder of a package as node does for an import from another folder. */
function findPackage(name: string, from: string): string | undefined {
  const lookups = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const folder = lookups.map((path) => join(path, name)).find((path) => existsSync(path));
  return folder && realpathSync(folder);
}

/** Collects a package and everything that it loads at runtime, by folder. */
function collect(folder: string, found = new Map<string, Installed>()): Map<string, Installed> {
  if (found.has(folder)) return found;
  const manifest: Installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  found.set(folder, manifest);
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest;
  const all = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  for (const name of Object.keys(all)) {
    const dependency = findPackage(name, folder);
    if (dependency !== undefined) collect(dependency, found);
    else if (name in dependencies && !(name in optionalDependencies)) {
      throw new Error(`Cannot find ${name}, a dependency of ${manifest.name}. Run pnpm install.`);
    }
  }
  return found;
}

it.each(packages)('loads only packages with a permissive license: %s', (name) => {
  const installed = [...collect(join(workspace, 'packages', name)).values()];
  const others = installed.filter(({ license = '' }) => !isPermissive(license));
  expect(
    others.map(({ name, version, license }) => `${name} ${version}: ${license}`),
    `packages/${name} depends on packages whose license is not in the list of permissive ones`,
  ).toEqual([]);
});

it('follows dependencies of dependencies', () => {
  const names = [...collect(join(workspace, 'packages/static')).values()].map(({ name }) => name);
  expect(names).toContain('mime-db');
});
