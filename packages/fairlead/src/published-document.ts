import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fetchDocument, parseDocument, readDocument, type Source } from './document-source.js';
import { UsageError } from './errors.js';

/** The largest document that it reads, in bytes. */
const LIMIT = 256 * 1024 * 1024;

/**
 * Reads a document that clients know.
 *
 * @param given - A file, a URL, or what git knows as a commit, such as `main`, with or without the path of a file:
 *   `main:docs/openapi.json`.
 * @param file - The file of a commit whose path is not given.
 * @param folder - Where paths start; the working directory by default.
 * @throws {UsageError} When there is no such file or commit.
 * @throws {LoadError} When it is not a document.
 */
export async function readPublished(
  given: string,
  file: string,
  folder = process.cwd(),
): Promise<Source> {
  if (/^https?:\/\//i.test(given)) return fetchDocument(given);
  const local = resolve(folder, given);
  if (statSync(local, { throwIfNoEntry: false })?.isFile()) return readDocument(local, true, given);
  const [, ref = given, path = file] = /^([^:]+):(.+)$/.exec(given) ?? [];
  const commit = findCommit(ref, given, folder);
  const name = relative(folder, resolve(folder, path)).replaceAll('\\', '/');
  const { status, stdout } = git(
    folder,
    'show',
    `${commit}:${name.startsWith('../') ? '' : './'}${name}`,
  );
  if (status === 0) return parseDocument(stdout, `${path} of ${ref}`, true);
  const fix = existsSync(resolve(folder, path))
    ? `Commit ${path} there first, or compare with another commit`
    : `Commit what fairlead openapi --out ${path} writes, or name the file: --against ${ref}:docs/openapi.json`;
  throw new UsageError(`The commit ${ref} has no file ${path}. ${fix}.`);
}

/** @throws {UsageError} When git has no commit of a name. */
function findCommit(ref: string, given: string, folder: string): string {
  const found = revision(ref, folder);
  if (found !== undefined) return found;
  const { status, stderr, error } = git(folder, 'rev-parse', '--git-dir');
  const missing = `Cannot find ${given}: there is no such file`;
  if (error !== undefined) {
    throw new UsageError(
      `${missing}, and git does not run: ${error.message}. Correct the path, or install git.`,
    );
  }
  if (status !== 0) {
    throw new UsageError(
      `${missing}, and git fails in ${folder}: ${stderr.trim()}. Correct the path.`,
    );
  }
  const fix = fixOf(ref, given, folder);
  throw new UsageError(`${missing}, and git has no commit ${ref}. ${fix}`);
}

/** Tells how to name a commit that exists. */
function fixOf(ref: string, given: string, folder: string): string {
  if (/\.(?:json|ya?ml)$/i.test(ref)) {
    return `Write the file with fairlead openapi --out ${ref}, or pass a commit, as in --against main.`;
  }
  const remote = `origin/${ref}`;
  return revision(remote, folder) === undefined
    ? `Correct the name, or fetch the commit first: git fetch --depth 1 origin ${ref}:${ref}`
    : `Pass --against ${given.replace(ref, remote)}`;
}

function revision(ref: string, folder: string): string | undefined {
  const { status, stdout } = git(
    folder,
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  );
  return status === 0 ? stdout.trim() : undefined;
}

function git(folder: string, ...args: readonly string[]) {
  return spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: LIMIT });
}
