import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { createApp, type ResponseBody } from '../src/index.js';

/** Sends a body as a type. Returns the type of the response, which is that of HEAD, too. */
async function typeOf(type: string, create: () => ResponseBody): Promise<string | null> {
  const app = createApp().use((ctx) => {
    ctx.set('Content-Type', type);
    ctx.send(create());
  });
  const response = await app.request('/');
  const head = await app.request('/', { method: 'HEAD' });
  expect(head.headers.get('Content-Type')).toBe(response.headers.get('Content-Type'));
  expect(await response.text()).toBe('é');
  return response.headers.get('Content-Type');
}

describe('a body of strings', () => {
  const chunks = async function* () {
    yield 'é';
  };
  it.each<[string, () => ResponseBody]>([
    ['text', () => 'é'],
    ['a generator', chunks],
    ['a stream', () => Readable.from(['é'])],
    ['a stream of the web', () => ReadableStream.from(['é'])],
    [
      'a stream with an encoding',
      () => Readable.from([Buffer.from('é')], { objectMode: false, encoding: 'utf8' }),
    ],
  ])('has the charset of its bytes in a text type: %s', async (_case, create) => {
    expect(await typeOf('text/csv', create)).toBe('text/csv; charset=utf-8');
    expect(await typeOf('Text/CSV; header=present', create)).toBe(
      'Text/CSV; header=present; charset=utf-8',
    );
    for (const type of ['text/csv; charset=UTF-8', 'text/csv;charset="utf-8"', 'application/xml'])
      expect(await typeOf(type, create)).toBe(type);
  });

  it.each<[string, () => ResponseBody]>([
    ['bytes', () => Buffer.from('é')],
    ['a Blob', () => new Blob(['é'])],
    [
      'a generator',
      async function* () {
        yield Buffer.from('é');
      },
    ],
    ['a stream', () => Readable.from([Buffer.from('é')])],
  ])('does not include %s of bytes, whose type stays as it is', async (_case, create) => {
    expect(await typeOf('text/csv', create)).toBe('text/csv');
  });
});
