import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { createApp, type Middleware, type ResponseBody } from '../src/index.js';

/** Replaces the body of what is downstream. `results` are those of the calls. */
function replacing(create: (body: ResponseBody | undefined) => unknown) {
  const results: boolean[] = [];
  const replace: Middleware = async (ctx, next) => {
    await next();
    results.push(ctx.replaceBody(create(ctx.responseBody) as ResponseBody));
  };
  return { replace, results };
}

it('replaces the body, and keeps the status and the headers except Content-Length', async () => {
  const { replace, results } = replacing((body) => String(body).toUpperCase());
  const app = createApp().use(replace, (ctx) => {
    ctx.status = 201;
    ctx.set('X-Own', 'yes');
    ctx.set('Content-Length', 1);
    ctx.json('text');
  });
  const response = await app.request('/');
  expect(response.status).toBe(201);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-length': '6',
    'content-type': 'application/json; charset=utf-8',
    'x-own': 'yes',
  });
  expect(await response.text()).toBe('"TEXT"');
  expect(results).toEqual([true]);
});

it('accepts a stream that reads the replaced one, and destroys that one with it', async () => {
  const source = Readable.from(['a', 'b']);
  const { replace } = replacing((body) =>
    Readable.from((body as Readable).map((chunk) => `${chunk}!`)),
  );
  const app = createApp().use(replace, (ctx) => ctx.send(source));
  const response = await app.request('/');
  expect(response.headers.get('Content-Type')).toBe('application/octet-stream');
  expect(await response.text()).toBe('a!b!');
  expect(source.destroyed).toBe(true);
});

it.each<[string, Middleware]>([
  [
    'no body',
    (ctx) => {
      ctx.status = 200;
    },
  ],
  [
    'a response that was taken over',
    (ctx) => {
      ctx.json(1);
      ctx.takeOver().end('raw');
    },
  ],
])('destroys the new body for %s', async (_what, handler) => {
  const body = new Readable({ read: () => undefined });
  const { replace, results } = replacing(() => body);
  await createApp().use(replace, handler).request('/');
  if (!body.closed) await once(body, 'close');
  expect(results).toEqual([false]);
});

it.each([undefined, 5, {}])('refuses %j', async (value) => {
  const onError = vi.fn();
  const { replace } = replacing(() => value);
  const app = createApp({ onError }).use(replace, (ctx) => ctx.json(null));
  expect((await app.request('/')).status).toBe(500);
  expect(onError.mock.calls[0]?.[0]).toMatchObject({
    name: 'TypeError',
    message: expect.stringMatching(
      /^ctx\.replaceBody\(\) received .*\. Pass text, bytes or a stream\.$/,
    ),
  });
});
