import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import { type SqliteOptions, StoreError, type StoreErrorCode } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's table lists every option", () => {
  const options: Readonly<Record<keyof SqliteOptions<string, unknown>, true>> = {
    program: true,
    setting: true,
    applicationId: true,
    migrations: true,
    statements: true,
    prepare: true,
    isOurs: true,
    timeout: true,
    maxPages: true,
    warn: true,
  };
  const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});

it('docs/errors.md lists every code, and whether it is transient', () => {
  const codes: Readonly<Record<StoreErrorCode, true>> = {
    STORE_UNREACHABLE: true,
    STORE_BUSY: true,
    STORE_LOCKED: true,
    STORE_INTERRUPTED: true,
    STORE_GONE: true,
    STORE_FULL: true,
    STORE_NOT_A_DATABASE: true,
    STORE_INCOMPATIBLE: true,
    STORE_READ_ONLY: true,
    STORE_CLOSED: true,
    STORE_CONSTRAINT: true,
    STORE_FAILED: true,
    INVALID_OPTION: true,
    INVALID_WRITE: true,
  };
  const rows = [...errorsOf('store').matchAll(/^\| `([A-Z]+_[A-Z_]+)` \| (yes|no) /gm)];
  expect(rows.map(([, code]) => code)).toEqual(Object.keys(codes));
  expect(rows.map(([, , transient]) => transient)).toEqual(
    rows.map(([, code]) => (new StoreError(code as StoreErrorCode, '').isTransient ? 'yes' : 'no')),
  );
});
