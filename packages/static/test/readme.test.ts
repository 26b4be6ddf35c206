import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { format, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp, errorHandler, InvalidPatternError, type Problem } from '@fairlead/core';
import { serveStatic, type StaticOptions, StaticRootError } from '../src/index.js';
import { createFolder, type Folder } from './support/folder.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({
  code,
  file: `block-${index + 1}.ts`,
}));

describe("the README's code", () => {
  let folder: string;

  beforeAll(async () => {
    await mkdir(join(root, 'reports'), { recursive: true });
    folder = await mkdtemp(join(root, 'reports/readme-'));
    const config = { extends: '../../tsconfig.json', include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await Promise.all(blocks.map(({ file, code }) => writeFile(join(folder, file), code)));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('compiles', async () => {
    const tsc = join(root, 'node_modules/.bin/tsc');
    await expect(promisify(execFile)(tsc, ['-p', folder])).resolves.toMatchObject({ stdout: '' });
  });

  it.each(blocks)('prints what it says: $file', async ({ file, code }) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(join(folder, file));
    const said = [...code.matchAll(/\/\/ (.*)$/gm)].map(([, text]) => text);
    expect(log.mock.calls.map((values) => format(...values))).toEqual(said);
    log.mockRestore();
  });
});

describe("the README's tables", () => {
  let folder: Folder;
  beforeAll(async () => {
    folder = await createFolder();
    await symlink('loop', join(folder.root, 'loop'));
  });
  afterAll(() => folder.remove());

  it('list every option', () => {
    const options: Required<StaticOptions> = {
      prefix: '/',
      index: false,
      dotfiles: 'deny',
      cacheControl: false,
    };
    const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
    expect(listed).toEqual(Object.keys(options));
  });

  it('list every error with its code and status', async () => {
    const app = createApp().use(
      errorHandler({ onError: () => undefined }),
      serveStatic(folder.root, { dotfiles: 'deny' }),
    );
    const failing: [string, Record<string, string>][] = [
      ['/%', {}],
      ['/.env', {}],
      ['/a.txt', { 'If-Match': '"other"' }],
      ['/a.txt', { Range: 'bytes=99-' }],
      ['/loop', {}],
    ];
    const problems = await Promise.all(
      failing.map(async ([path, headers]): Promise<Problem> => {
        const response = await app.request(path, { headers });
        return (await response.json()) as Problem;
      }),
    );
    const rows = [...readme.matchAll(/^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\|/gm)].map(
      ([, name, code, status]) => [name, code, status],
    );
    expect(rows).toEqual([
      ...problems.map(({ code, status }) => ['HttpError', code, String(status)]),
      ['StaticRootError', new StaticRootError('').code, ''],
      ['InvalidPatternError', new InvalidPatternError('', '').code, ''],
    ]);
  });
});
