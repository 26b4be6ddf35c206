import { createApp, type Middleware } from '@fairlead/core';
import { expect, it, vi } from 'vitest';
import { currentContext, shareContext } from './current-context.js';

it('returns the context of each concurrent request, even after an await', async () => {
  const app = createApp().use(shareContext(), async (ctx) => {
    await new Promise((resolve) => setImmediate(resolve));
    ctx.json({ own: ctx.path, current: currentContext()?.path });
  });
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const responses = await Promise.all(paths.map(async (path) => (await app.request(path)).json()));
  expect(responses).toEqual(paths.map((path) => ({ own: path, current: path })));
});

it('reaches the handler of mount() and the stream that it returns', async () => {
  const user = () => String(currentContext()?.state.user);
  const respond = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve));
          controller.enqueue(new TextEncoder().encode(user()));
          controller.close();
        },
      }),
      { headers: { 'X-User': user() } },
    );
  const identify: Middleware<{ user: string }> = (ctx, next) => {
    ctx.state.user = 'ada';
    return next();
  };
  const app = createApp()
    .use(shareContext())
    .mount('/x', respond, { middleware: [identify] });
  const response = await app.request('/x');
  expect([response.headers.get('X-User'), await response.text()]).toEqual(['ada', 'ada']);
});

it('reaches a generator, and all steps of a web stream', async () => {
  const path = () => `${currentContext()?.path} `;
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const app = createApp()
    .use(shareContext())
    .get('/generator', async function* () {
      yield path();
      await nextTurn();
      yield path();
    })
    .get('/stream', () => {
      let left = 2;
      return new ReadableStream(
        {
          async pull(controller) {
            await nextTurn();
            controller.enqueue(path());
            left -= 1;
            if (left === 0) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    });
  for (const target of ['/generator', '/stream'])
    expect(await (await app.request(target)).text()).toBe(`${target} ${target} `);
});

it('returns undefined outside shareContext()', async () => {
  const app = createApp().use((ctx) => ctx.json(currentContext() ?? null));
  expect(await (await app.request('/')).json()).toBeNull();
  expect(currentContext()).toBeUndefined();
});

it('is the same for two copies of the package', async () => {
  vi.resetModules();
  const other = await import('./current-context.js');
  expect(other.currentContext).not.toBe(currentContext);
  const app = createApp()
    .use(shareContext())
    .get('/:id', () => other.currentContext()?.params);
  expect(await (await app.request('/7')).json()).toEqual({ id: '7' });
});
