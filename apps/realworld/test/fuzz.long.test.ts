import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzz } from '@fairlead/testing/fuzz';
import { expect, it, onTestFinished } from 'vitest';
import { createApp, open } from './support/client.ts';

it('keeps its promises for generated requests', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conduit-'));
  const app = await createApp(await open(join(folder, 'conduit.db')));
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const user = { username: 'ada', email: 'ada@example.com', password: 'a password' };
  const response = await app.request('/api/users', { method: 'POST', json: { user } });
  const { token } = ((await response.json()) as { user: { token: string } }).user;
  const report = await fuzz(app, { headers: { Authorization: `Token ${token}` } });
  expect(report.routes).toHaveLength(19);
  expect(report.routes.flatMap(({ notes }) => notes)).toEqual([]);
}, 120_000);
