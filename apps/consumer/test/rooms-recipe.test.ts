import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { blocks } from './support/documents.js';
import { here } from './support/project.js';

const ADAPTER = `{
  publish: () => Promise.reject(new Error('Redis is down.')),
  subscribe: async () => async () => {},
}`;

it('the recipe for notifications responds to a finished write while the broker is down', async () => {
  const [code = ''] = blocks.flatMap((block) =>
    block.location.startsWith('docs/recipes/websocket.md:') ? [block.code] : [],
  );
  const [application = ''] = code.split('const server = ');
  const project = await mkdtemp(join(tmpdir(), 'fairlead-rooms-'));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  await symlink(join(here, 'node_modules'), join(project, 'node_modules'));
  const shared = application.replace('createRooms()', `createRooms({ adapter: ${ADAPTER} })`);
  await writeFile(join(project, 'app.ts'), `${shared}export { app };`);
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const { app } = await import(join(project, 'app.ts'));
  const response = await app.request('/orders/7/shipped/ada', { method: 'POST' });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ id: '7', status: 'shipped' });
  expect(log.mock.calls).toEqual([[new Error('Redis is down.')]]);
});
