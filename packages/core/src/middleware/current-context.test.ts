import { expect, it } from 'vitest';
import { createApp } from '../application.js';
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

it('returns undefined outside shareContext()', async () => {
  const app = createApp().use((ctx) => ctx.json(currentContext() ?? null));
  expect(await (await app.request('/')).json()).toBeNull();
  expect(currentContext()).toBeUndefined();
});
