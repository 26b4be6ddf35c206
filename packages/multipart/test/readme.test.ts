import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

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
  }, 30_000);

  it.each(blocks)('prints what it says: $file', async ({ file, code }) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(join(folder, file));
    const said = [...code.matchAll(/\/\/ (.*)$/gm)].map(([, text]) => text);
    expect(log.mock.calls.map((values) => format(...values))).toEqual(said);
    log.mockRestore();
  });
});

describe("the README's table of errors", () => {
  it('lists every code that the source has', async () => {
    const sources = await Promise.all(
      ['disposition', 'form-reader', 'limits', 'parts'].map((name) =>
        readFile(join(root, `src/${name}.ts`), 'utf8'),
      ),
    );
    const thrown = sources.join().matchAll(/(?:code|Size|files|fields|parts|Pairs): '([A-Z_]+)'/g);
    const listed = readme.matchAll(/^\| \d{3} +\| `([A-Z_]+)` /gm);
    const codes = [...listed].map(([, code]) => code);
    const expected = [...thrown].map(([, code]) => code);
    expect(codes.toSorted()).toEqual([...expected, 'UNSUPPORTED_MEDIA_TYPE'].toSorted());
  });
});
