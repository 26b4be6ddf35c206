import { execFile } from 'node:child_process';
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

async function upgrade(requested: string): Promise<void> {
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
  const names = [...new Set(ranges.map(({ name }) => name))];
  const [first = '@fairlead/core'] = names;
  const version = await findVersion(first, requested);
  // A package may be newer, or older, than the version. No npm may outlive the command.
  const found = await Promise.allSettled(names.slice(1).map((name) => findVersion(name, version)));
  for (const one of found) if (one.status === 'rejected') throw one.reason;
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

/**
 * Returns the version of a package that the registry has, from which npm is configured to install.
 *
 * @param version - A version or a tag.
 * @throws {UsageError} When the registry does not have it, or cannot be reached.
 */
async function findVersion(name: string, version: string): Promise<string> {
  if (!VERSION.test(version) && !/^[a-z][\w.-]*$/i.test(version)) {
    throw new UsageError(`Cannot use the version '${version}'. Use one such as 0.2.0, or latest.`);
  }
  const args = ['view', `${name}@${version}`, 'version', '--json'];
  // On Windows, npm is a .cmd file, which needs a shell.
  const options = { shell: process.platform === 'win32' };
  const { stdout, stderr, error } = await new Promise<{
    readonly stdout: string;
    readonly stderr: string;
    readonly error: Error | null;
  }>((resolve) => {
    execFile('npm', args, options, (error, stdout, stderr) => resolve({ stdout, stderr, error }));
  });
  const found: unknown = error === null && stdout.trim() !== '' ? JSON.parse(stdout) : undefined;
  if (typeof found === 'string' && VERSION.test(found)) return found;
  // The message of the error is the command line.
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const [, reason = typeof code === 'string' ? code : 'the registry has no such version'] =
    /^npm (?:error|ERR!) (?!code)(.+)/m.exec(stderr) ?? [];
  throw new UsageError(
    `Cannot find the version '${version}' of ${name}: ${reason.replace(/\.$/, '')}. Pass a version that all packages have, such as fairlead upgrade 0.2.0.`,
  );
}
