import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { createApp } from '../app/application.js';
import { NotFoundError } from '../errors/http-error.js';
import { errorHandler } from './error-handler.js';

it('the outer of two error handlers gets the error of a streamed body', async () => {
  const [outer, inner] = [vi.fn(), vi.fn()];
  const broken = new Error('The disk is gone.');
  const app = createApp().use(
    errorHandler({ onError: outer }),
    errorHandler({ onError: inner }),
    (ctx) =>
      ctx.send(
        Readable.from(
          (async function* () {
            yield 'first';
            throw broken;
          })(),
        ),
      ),
  );
  const response = await app.request('/');
  await expect(response.text()).rejects.toThrow();
  expect(outer.mock.calls).toEqual([[broken, expect.anything()]]);
  expect(inner).not.toHaveBeenCalled();
});

it.each(['Vary', 'vary', 'VARY'])(
  'the %s header of an error adds to earlier ones',
  async (name) => {
    const app = createApp().use(errorHandler(), (ctx) => {
      ctx.append('Vary', 'Origin');
      throw new NotFoundError('gone', { headers: { [name]: 'Accept' } });
    });
    expect((await app.request('/')).headers.get('Vary')).toBe('Origin, Accept');
  },
);
