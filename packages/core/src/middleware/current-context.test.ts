import { expect, it } from 'vitest';
import { createApp } from '../application.js';
import { currentContext, shareContext } from './current-context.js';

it('knows the context of each of many requests at once, also after an await', async () => {
  const app = createApp().use(shareContext(), async (ctx) => {
    await new Promise((resolve) => setImmediate(resolve));
    ctx.json({ own: ctx.path, current: currentContext()?.path });
  });
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const answers = await Promise.all(paths.map(async (path) => (await app.request(path)).json()));
  expect(answers).toEqual(paths.map((path) => ({ own: path, current: path })));
});

it('knows none outside of shareContext()', async () => {
  const app = createApp().use((ctx) => ctx.json(currentContext() ?? null));
  expect(await (await app.request('/')).json()).toBeNull();
  expect(currentContext()).toBeUndefined();
});
