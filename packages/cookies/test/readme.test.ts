import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CookieKeysError, type CookieOptions, setCookie, signedCookies } from '../src/index.js';
import { runHandler } from './support/run-handler.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
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
    const { errors } = await runHandler(async (ctx) => {
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

/** Returns the error that a call throws. */
function caught(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new TypeError('The call did not throw.');
}
