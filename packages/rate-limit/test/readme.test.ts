import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, promisify } from 'node:util';
import { createApp, type HttpError, type Middleware } from '@fairlead/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rateLimit, type RateLimitOptions } from '../src/index.js';

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
    const said = [...code.matchAll(/; \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(log.mock.calls.map((values) => format(...values))).toEqual(said);
    log.mockRestore();
  });
});

describe("the README's tables", () => {
  it('list every option', () => {
    const options: Required<RateLimitOptions> = {
      points: 1,
      duration: 1,
      key: () => '',
      limiter: new RateLimiterMemory({ points: 1, duration: 1 }),
      name: 'default',
      onFailure: 'open',
      onError: () => undefined,
    };
    const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
    expect(listed).toEqual(Object.keys(options));
  });

  it('list every error with its code and status', async () => {
    const gone = { consume: () => Promise.reject(new Error('The store is gone.')) };
    const limit = { points: 1, duration: 1 };
    const errors: unknown[] = [];
    const keep: Middleware = async (_, next) => {
      try {
        await next();
      } catch (error) {
        errors.push(error);
      }
    };
    const full = createApp().use(keep, rateLimit(limit));
    await full.request('/');
    await full.request('/');
    const closed = rateLimit({ ...limit, limiter: gone, onFailure: 'closed' });
    await createApp().use(keep, closed).request('/');
    await createApp()
      .use(keep, () => rateLimit({ points: 0, duration: 1 }))
      .request('/');

    const rows = readme.matchAll(/^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\|/gm);
    expect([...rows].map(([, name, code, status]) => [name, code, status])).toEqual(
      (errors as HttpError[]).map(({ name, code, status = '' }) => [name, code, String(status)]),
    );
  });
});
