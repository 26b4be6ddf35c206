import { fuzz } from '@fairlead/testing/fuzz';
import { expect, it, onTestFinished } from 'vitest';
import { createOfflineApp } from '../src/app.js';

it('keeps its promises for generated requests', async () => {
  const app = await createOfflineApp();
  onTestFinished(() => app.close());
  const { routes } = await fuzz(app, { runs: 5 });
  expect(routes.map(({ route }) => route)).toContain('PUT /api/v1/users/:id');
  expect(routes.flatMap(({ notes }) => notes)).toEqual([]);
});
