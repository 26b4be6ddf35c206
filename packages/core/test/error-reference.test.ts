import { readdirSync, readFileSync } from 'node:fs';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import * as core from '../src/index.js';

const packageRoot = new URL('..', import.meta.url);

/** Cells of the tables in docs/errors.md, without backticks. */
const rows = [...errorsOf('core').matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) =>
  cells.replaceAll('`', '').split(' | '),
);

/** Every error code in the source. */
const codes = readdirSync(new URL('src', packageRoot), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test)\.ts$/.test(file))
  .map((file) => readFileSync(new URL(`src/${file}`, packageRoot), 'utf8'))
  .flatMap((source) => [
    ...source.matchAll(/(?:\w+: |SetupError\(\s*|super\(\s*|\bwarn\(\s*)'([A-Z]+(?:_[A-Z]+)+)'/g),
    // The rules of the startup checks, by code.
    ...source.matchAll(/\b([A-Z]+(?:_[A-Z]+)+): \[\s*[a-z]/g),
  ])
  .map(([, code]) => code);

function construct(
  type: (typeof core)[keyof typeof core] & { prototype: unknown },
): core.HttpError {
  return Reflect.construct(type, [type === core.ValidationError ? [] : 'Why.']) as core.HttpError;
}

/** The exported HttpErrors with a fixed status, by name. */
const httpErrors = Object.entries(core).flatMap(([name, value]) =>
  typeof value === 'function' && value.prototype instanceof core.HttpError
    ? [[name, construct(value)] as const]
    : [],
);

it('docs/errors.md lists every HttpError with its status and code', () => {
  const documented = rows.filter(([name]) => /^\w+Error$/.test(name ?? ''));
  const exported = httpErrors.map(([name, { status, code }]) => [name, String(status), code]);
  expect(documented.sort()).toEqual(exported.sort());
});

it('docs/errors.md lists exactly the codes in the source', () => {
  const documented = rows
    .map(([code]) => code)
    .filter((code) => /^[A-Z]+(_[A-Z]+)+$/.test(code ?? ''));
  expect(documented.sort()).toEqual([...new Set(codes)].sort());
});

it.each(['ROUTE_CONFLICT', 'MALFORMED_TARGET', 'APPLICATION_SEALED', 'INVALID_OPTION'])(
  'the search finds %s in the source',
  (code) => {
    expect(codes).toContain(code);
  },
);
