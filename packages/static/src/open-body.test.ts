import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { HttpError } from '@fairlead/core';
import { expect, it } from 'vitest';
import { openBody } from './open-body.js';

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
])('reads what %j says', async (headers, expected) => {
  const body = await openBody(found(here, headers), 'GET');
  expect(await text(body ?? Readable.from([]))).toBe(expected);
});

it('gives no stream of a file that has gone since it was found', async () => {
  expect(await openBody(found(`${here}.gone`, { 'Content-Length': 1 }), 'GET')).toBeUndefined();
});

it('fails with the file, for the log, when it cannot be opened', async () => {
  const opening = openBody(found(`${here}/below`, { 'Content-Length': 1 }), 'GET');
  await expect(opening).rejects.toThrow(HttpError);
  await expect(opening).rejects.toMatchObject({
    status: 500,
    expose: false,
    message: expect.stringContaining(`${here}/below`),
    cause: expect.objectContaining({ code: 'ENOTDIR' }),
  });
});
