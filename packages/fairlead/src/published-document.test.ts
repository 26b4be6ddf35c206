import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LoadError, UsageError } from './errors.js';
import { readPublished } from './published-document.js';

async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-published-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** Creates a repository whose branch `trunk` has a document. */
async function createRepository(): Promise<string> {
  const folder = await createFolder({ 'openapi.json': '{"openapi":"3.1.0"}' });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=trunk');
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/api.yaml'), 'openapi: 3.0.3\n');
  await writeFile(join(folder, 'docs/.api.json'), '{"openapi":"3.1.1"}');
  git('add', '.');
  git('commit', '--quiet', '--message=Document the API');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  await writeFile(join(folder, 'openapi.json'), '{"openapi":"3.2.0"}');
  await writeFile(join(folder, 'new.json'), '{}');
  return folder;
}

describe('a published document', () => {
  it('is a file, or the file of a commit', async () => {
    const folder = await createRepository();
    const read = (given: string, file = 'openapi.json') => readPublished(given, file, folder);
    const old = { openapi: '3.1.0' };
    expect(await read('openapi.json')).toEqual({
      root: { openapi: '3.2.0' },
      origin: 'openapi.json',
    });
    expect(await read('trunk')).toEqual({ root: old, origin: 'openapi.json of trunk' });
    expect(await read('HEAD', './openapi.json')).toMatchObject({ root: old });
    expect(await read('HEAD', join(folder, 'openapi.json'))).toMatchObject({ root: old });
    const yaml = { root: { openapi: '3.0.3' }, origin: 'docs/api.yaml of origin/main' };
    expect(await read('origin/main:docs/api.yaml')).toEqual(yaml);
    expect(await read('origin/main', 'docs/api.yaml')).toEqual(yaml);
    const below = await readPublished('trunk', '../openapi.json', join(folder, 'docs'));
    expect(below).toEqual({ root: old, origin: '../openapi.json of trunk' });
    const hidden = await readPublished('trunk:.api.json', 'openapi.json', join(folder, 'docs'));
    expect(hidden.root).toEqual({ openapi: '3.1.1' });
  });

  it('has to exist', async () => {
    const folder = await createRepository();
    for (const [given, file, message] of [
      [
        'trunk',
        'api.json',
        'The commit trunk has no file api.json. Commit what fairlead openapi --out api.json writes, or name the file: --against trunk:docs/openapi.json.',
      ],
      [
        'trunk:new.json',
        'openapi.json',
        'The commit trunk has no file new.json. Commit new.json there first, or compare with another commit.',
      ],
      [
        'main',
        'openapi.json',
        'Cannot find main: there is no such file, and git has no commit main. Pass --against origin/main',
      ],
      [
        'other',
        'openapi.json',
        'Cannot find other: there is no such file, and git has no commit other. Correct the name, or fetch the commit first: git fetch --depth 1 origin other:other',
      ],
      [
        'a.json',
        'openapi.json',
        'Cannot find a.json: there is no such file, and git has no commit a.json. Write the file with fairlead openapi --out a.json, or pass a commit, as in --against main.',
      ],
      ['--output=x', 'openapi.json', 'git has no commit --output=x.'],
    ] as const) {
      const refused = readPublished(given, file, folder);
      await expect(refused).rejects.toThrow(UsageError);
      await expect(refused).rejects.toThrow(message);
    }
  });

  it('has to be a file where there is no repository', async () => {
    const folder = await createFolder({});
    const refused = readPublished('a.json', 'openapi.json', folder);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(
      /^Cannot find a\.json: .*repository.* Correct the path\.$/,
    );
  });

  it.each([
    ['text', 'hello', 'it is not JSON'],
    ['broken YAML', 'openapi: 3.1.0\n  paths: [', 'it is not YAML: '],
    ['a list', '[]', 'it is not an OpenAPI document'],
  ])('cannot be %s', async (_name, text, message) => {
    const folder = await createFolder({ 'a.json': text });
    const refused = readPublished('a.json', 'openapi.json', folder);
    await expect(refused).rejects.toThrow(LoadError);
    await expect(refused).rejects.toThrow(`Cannot use a.json: ${message}`);
  });
});
