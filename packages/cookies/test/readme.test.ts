import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { format, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CookieKeysError, type CookieOptions, setCookie, signedCookies } from '../src/index.js';
import { answer } from './support/answer.js';

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
  it('list every option', () => {
    const options: Required<CookieOptions> = {
      maxAge: 60,
      expires: new Date(0),
      domain: 'example.com',
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'none',
      partitioned: true,
    };
    const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
    expect(listed).toEqual(Object.keys(options));
  });

  it('list every error with its code and status', async () => {
    const { errors } = await answer(async (ctx) => {
      const failing: [string, string, CookieOptions][] = [
        ['', '', {}],
        ['a', '\n', {}],
        ['a', '', { path: '' }],
        ['__Host-a', '', {}],
        ['a', 'x'.repeat(5_000), {}],
      ];
      throw new AggregateError(failing.map((cookie) => caught(() => setCookie(ctx, ...cookie))));
    });
    const [thrown] = errors as [AggregateError];
    const keysError = caught(() => signedCookies([]));
    expect(keysError).toBeInstanceOf(CookieKeysError);

    const rows = readme.matchAll(/^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\|/gm);
    expect([...rows].map(([, name, code, status]) => [name, code, status])).toEqual(
      [...thrown.errors, keysError].map(({ name, code, status = '' }) => [
        name,
        code,
        String(status),
      ]),
    );
  });
});

/** What a call throws. */
function caught(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new TypeError('The call was to throw.');
}
