import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, type HttpError, type Middleware } from '@fairlead/core';
import { expect, it } from 'vitest';
import { type CsrfOptions, type CsrfTokenOptions, csrf, csrfTokens } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's tables list every option", () => {
  const options: Readonly<Record<keyof CsrfOptions, true>> = {
    origins: true,
    tokens: true,
    withoutCredentials: true,
    skip: true,
  };
  const tokenOptions: Readonly<Record<keyof CsrfTokenOptions, true>> = {
    keys: true,
    session: true,
    header: true,
    field: true,
    name: true,
    secure: true,
  };
  const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, name]) => name);
  expect(listed).toEqual([...Object.keys(options), ...Object.keys(tokenOptions)]);
});

it("the README's table lists every error with its code, its status and whether it has a cause", async () => {
  const errors: HttpError[] = [];
  const keep: Middleware = async (ctx, next) => {
    ctx.send('');
    try {
      await next();
    } catch (error) {
      errors.push(error as HttpError);
    }
  };
  const tokens = csrfTokens({ keys: ['k'.repeat(32)], session: () => undefined });
  const post = { method: 'POST', headers: { Cookie: 'session=1' } };
  await createApp().use(keep, csrf()).request('/', post);
  await createApp().use(keep, csrf({ tokens })).request('/', post);
  await createApp()
    .use(keep, () => csrf({ origins: ['*'] }))
    .request('/');

  const rows = readme.matchAll(/^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\| (.*) \|$/gm);
  expect(
    [...rows].map(([, name, code, status, cause]) => [
      name,
      code,
      status,
      /has `cause`/.test(cause ?? ''),
    ]),
  ).toEqual(
    errors.map(({ name, code, status = '', cause }) => [
      name,
      code,
      String(status),
      cause !== undefined,
    ]),
  );
});
