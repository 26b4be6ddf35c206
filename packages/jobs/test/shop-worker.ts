// A worker on the SQLite file that is its argument.
import { setTimeout as delay } from 'node:timers/promises';
import { runProcess } from '@fairlead/serve';
import { createTransactions } from '@fairlead/transactions';
import { storeAdapter } from '@fairlead/transactions/store';
import { z } from 'zod';
import { createJobs } from '../src/index.js';
import { storeBackend } from '../src/store.js';
import { openShop } from './shop.js';

await runProcess(async (lifecycle) => {
  const store = openShop(String(process.argv[2]));
  lifecycle.onClose(() => store.close());
  const db = createTransactions(storeAdapter(store));
  const jobs = createJobs(storeBackend(store, db), { onError: () => undefined });
  const options = { payload: z.object({ item: z.string() }), retries: 100, backoff: 0 };
  jobs.define('seen', options, async ({ payload }) => {
    await store.write('addEffect', payload.item);
    await delay(Math.random() * 300);
  });
  jobs.define('once', { ...options, transaction: true }, async ({ payload }) => {
    await db.client.write('sell', payload.item);
    await delay(Math.random() * 300);
  });
  await jobs.start(lifecycle);
  process.send?.('ready');
});
