import { createApp } from '@fairlead/core';
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
