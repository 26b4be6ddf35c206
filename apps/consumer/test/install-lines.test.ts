import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { published } from './support/packages.js';
import { workspace } from './support/project.js';

const read = (path: string) => readFileSync(join(workspace, path), 'utf8');

interface Manifest {
  readonly name: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * The packages of others that Yarn, and pnpm without autoInstallPeers, do not install with another one. Some pages add a
 * package to a project that has those of Fairlead.
 */
const peersOf = new Map(
  published.map((folder) => {
    const manifest: Manifest = JSON.parse(read(`packages/${folder}/package.json`));
    const { name, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const required = Object.keys(peerDependencies).filter(
      (peer) => !peer.startsWith('@fairlead/') && peerDependenciesMeta[peer]?.optional !== true,
    );
    return [name, required] as const;
  }),
).set('vitest', ['vite']);

const pages = globSync(['README.md', 'docs/**/*.md', 'packages/*/README.md'], {
  cwd: workspace,
  exclude: ['docs/decisions/**', 'docs/releases/**', 'docs/contributing/**'],
});

/** The packages that the commands of a page install. */
function installedOn(page: string): readonly string[] {
  const lines = read(page).matchAll(/^npm install (.+)$/gm);
  return [...lines].flatMap(([, words = '']) =>
    words.split(' ').filter((word) => /^@?[a-z]/.test(word)),
  );
}

it.each(pages.filter((page) => installedOn(page).length > 0))(
  '%s installs the peers of what it installs',
  (page) => {
    const installed = installedOn(page);
    const missing = installed.flatMap((name) =>
      (peersOf.get(name) ?? []).filter((peer) => !installed.includes(peer)),
    );
    expect([...new Set(missing)]).toEqual([]);
  },
);
