import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { HttpError } from '@fairlead/core';
import { expect, it } from 'vitest';
import { openBody } from './negotiate.js';

const here = fileURLToPath(import.meta.url);
const found = (file: string, headers: Record<string, string | number>) => ({
  file,
  status: 200,
  headers: new Map(Object.entries(headers)),
});

it.each([
  [{ 'Content-Length': 6 }, 'import'],
  [{ 'Content-Length': 4, 'Content-Range': 'bytes 2-5/100' }, 'port'],
  [{ 'Content-Length': 0 }, ''],
  [{}, ''],
])('reads the bytes that %j describes', async (headers, expected) => {
  const body = await openBody(found(here, headers), 'GET');
  expect(await text(body ?? Readable.from([]))).toBe(expected);
});

it('returns undefined for a file that was deleted after it was found', async () => {
  expect(await openBody(found(`${here}.gone`, { 'Content-Length': 1 }), 'GET')).toBeUndefined();
});

it('throws a 500 with the path of a file that cannot be opened', async () => {
  const opening = openBody(found(`${here}/below`, { 'Content-Length': 1 }), 'GET');
  await expect(opening).rejects.toThrow(HttpError);
  await expect(opening).rejects.toMatchObject({
    status: 500,
    expose: false,
    message: expect.stringContaining(`${here}/below`),
    cause: expect.objectContaining({ code: 'ENOTDIR' }),
  });
});
