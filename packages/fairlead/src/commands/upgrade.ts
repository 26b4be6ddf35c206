import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { formatTable, print } from '../output.js';
import { isFairlead, readManifest } from '../project.js';

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The command that installs changed ranges, by the lock file of its package manager. */
const INSTALLS: Readonly<Record<string, string>> = {
  'pnpm-lock.yaml': 'pnpm install',
  'yarn.lock': 'yarn install',
  'bun.lock': 'bun install',
};

export function addUpgrade(program: Command): void {
  program
    .command('upgrade')
    .summary('move all packages of Fairlead to one version')
    .description('Moves all packages of Fairlead in package.json to one version.')
    .argument('[version]', 'a version or a tag of the registry', 'latest')
    .action(upgrade);
}

function upgrade(requested: string): void {
  const { text } = readManifest();
  const manifest = JSON.parse(text) as Record<string, Record<string, string>>;
  const lists = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const ranges = lists.flatMap((list) =>
    Object.entries(manifest[list] ?? {})
      .filter(([name, range]) => isFairlead(name) && /^[\^~]?\d/.test(range))
      .map(([name, range]) => ({ list, name, range })),
  );
  if (ranges.length === 0) {
    throw new UsageError(
      'package.json has no versions of @fairlead packages. Run fairlead upgrade in the folder of a project.',
    );
  }
  const version = VERSION.test(requested) ? requested : findVersion(requested);
  const rows: string[][] = [];
  for (const { list, name, range } of ranges) {
    const target = `${/^[\^~]?/.exec(range)}${version}`;
    if (target === range) continue;
    rows.push([name, range, target]);
    Object.assign(manifest[list] ?? {}, { [name]: target });
  }
  if (rows.length === 0) {
    print(`All packages have the version ${version}.`);
    return;
  }
  const [, indent = '  '] = /^([ \t]+)"/m.exec(text) ?? [];
  writeFileSync('package.json', `${JSON.stringify(manifest, undefined, indent)}\n`);
  print(formatTable(['PACKAGE', 'FROM', 'TO'], rows));
  const lock = Object.keys(INSTALLS).find((file) => existsSync(file));
  // npm install fails, because it does not replace packages that require each other as peers.
  print(
    `\nNext: read the release notes, and run ${lock === undefined ? 'npm update' : INSTALLS[lock]}`,
  );
}

/** Returns the version of a tag in the registry that npm is configured to use. */
function findVersion(tag: string): string {
  if (!/^[a-z][\w.-]*$/i.test(tag)) {
    throw new UsageError(`Cannot use the version '${tag}'. Use one such as 0.2.0, or latest.`);
  }
  const args = ['view', `@fairlead/core@${tag}`, 'version', '--json'];
  // On Windows, npm is a .cmd file, which needs a shell.
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const version: unknown = status === 0 && stdout.trim() !== '' ? JSON.parse(stdout) : undefined;
  if (typeof version === 'string' && VERSION.test(version)) return version;
  const [, reason = 'the registry has no such version'] =
    /^npm (?:error|ERR!) (?!code)(.+)/m.exec(stderr) ?? [];
  throw new UsageError(
    `Cannot find the version '${tag}' of @fairlead/core: ${(error?.message ?? reason).replace(/\.$/, '')}. Pass a version, such as fairlead upgrade 0.2.0.`,
  );
}
