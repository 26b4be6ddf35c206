import { describe, expect, it } from 'vitest';
import {
  type Context,
  createApp,
  errorHandler,
  type HeaderValue,
  HttpError,
  type Middleware,
} from '../src/index.js';
import { serve } from './support/serve.js';

/** Middleware such as `cors()`. */
const addOrigin: Middleware = (ctx, next) => {
  ctx.append('Vary', 'Origin');
  return next();
};

describe('what middleware adds to Vary', () => {
  it.each<[string, (ctx: Context) => unknown, string]>([
    ['ctx.set()', (ctx) => ctx.set('Vary', 'Accept'), 'Origin, Accept'],
    ['ctx.set() in another case', (ctx) => ctx.set('vary', 'Accept'), 'Origin, Accept'],
    ['ctx.set() with several values', (ctx) => ctx.set('Vary', ['A', 'B, c']), 'Origin, A, B, c'],
    ['ctx.set() with the same name', (ctx) => ctx.set('Vary', 'origin, Accept'), 'Origin, Accept'],
    ['ctx.set() with no name', (ctx) => ctx.set('Vary', ''), 'Origin'],
    ['responseHeaders.set()', (ctx) => ctx.responseHeaders.set('Vary', 'Accept'), 'Origin, Accept'],
    ['ctx.append()', (ctx) => ctx.append('Vary', ['Accept', 'ORIGIN']), 'Origin, Accept'],
    ['ctx.set() with *', (ctx) => ctx.set('Vary', '*'), '*'],
    [
      'a Response',
      () => new Response('sent', { headers: { Vary: 'Accept, Origin' } }),
      'Origin, Accept',
    ],
    [
      'an error',
      () => {
        throw new HttpError(406, 'None.', { headers: { VARY: 'Accept' } });
      },
      'Origin, Accept',
    ],
    [
      'an error after ctx.set()',
      (ctx) => {
        ctx.set('Vary', 'Accept');
        throw new HttpError(406, 'None.');
      },
      'Origin, Accept',
    ],
    [
      'a stream that fails before its first byte',
      (ctx) => {
        ctx.set('Vary', 'Accept');
        return new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
      },
      'Origin, Accept',
    ],
  ])('survives %s', async (_case, handler, expected) => {
    const app = createApp().use(errorHandler({ onError: () => undefined }), addOrigin);
    app.get('/', (ctx) => handler(ctx) ?? 'sent');
    expect((await app.request('/')).headers.get('Vary')).toBe(expected);
    const { url } = await serve(app);
    expect((await fetch(url)).headers.get('Vary')).toBe(expected);
  });

  it('is added to *, which stays alone', async () => {
    const app = createApp().use(async (ctx, next) => {
      await next();
      ctx.append('Vary', 'Accept-Encoding');
    });
    app.get('/', (ctx) => {
      ctx.set('Vary', '*');
      return 'sent';
    });
    expect((await app.request('/')).headers.get('Vary')).toBe('*');
  });

  it('can be removed', async () => {
    const app = createApp()
      .use(addOrigin)
      .get('/', (ctx) => {
        ctx.responseHeaders.delete('vary');
        ctx.set('Vary', 'Accept');
        return 'sent';
      });
    expect((await app.request('/')).headers.get('Vary')).toBe('Accept');
  });
});

it.each<[string, HeaderValue]>([
  ['Link', '</b>; rel=next'],
  ['Vari', 'b'],
  ['Allow', 'POST'],
])('ctx.set() replaces %s', async (name, value) => {
  const app = createApp().use((ctx) => {
    ctx.append(name, 'a');
    ctx.set(name, value);
    ctx.send('');
  });
  expect((await app.request('/')).headers.get(name)).toBe(value);
});
