import { expect, it } from 'vitest';
import { startPinned } from '../src/pinned-process.js';

const QUITTER = "process.send('ready'); process.on('message', () => process.exit(3));";

it('reports a process that ends instead of answering, and can still be stopped', async () => {
  const { ask, stop } = await startPinned(process.execPath, ['--eval', QUITTER]);
  await expect(ask('question')).rejects.toThrow('exited early with code 3');
  await expect(stop()).resolves.toBeUndefined();
});
