import { expect, it } from 'vitest';
import { cpuOf, startPinned } from '../src/pinned-process.js';

const QUITTER = "process.send('ready'); process.on('message', () => process.exit(3));";

it('reports a process that ends instead of answering, and can still be stopped', async () => {
  const { ask, stop } = await startPinned(process.execPath, ['--eval', QUITTER]);
  await expect(ask('question')).rejects.toThrow('exited early with code 3');
  await expect(stop()).resolves.toBeUndefined();
});

it.runIf(process.platform === 'linux')(
  'reads the CPU time of a process from the kernel',
  async () => {
    const busy =
      "process.on('message', () => { for (let i = 0; i < 3e8; i += 1); process.send(0); }); process.send(0);";
    const { ask, pid = 0, stop } = await startPinned(process.execPath, ['--eval', busy]);
    const before = cpuOf(pid) ?? Number.NaN;
    await ask('work');
    const used = (cpuOf(pid) ?? Number.NaN) - before;
    expect(process.platform === 'linux' ? used > 10_000 : Number.isNaN(used)).toBe(true);
    await stop();
  },
);
