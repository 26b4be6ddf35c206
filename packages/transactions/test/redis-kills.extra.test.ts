import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedis } from '@fairlead/test-support/redis-server';
import { createClient } from 'redis';
import { expect, it, onTestFinished } from 'vitest';

/** Longer runs set this variable. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 30);
const OPERATIONS = 10;

/** Counts the effects of each order, over a separate connection, as another service would. */
const PROGRAM = `
import { setTimeout as delay } from 'node:timers/promises';
import { createApp, listen } from '@fairlead/core';
import { redisIdempotency } from '@fairlead/transactions/redis';
import { createClient } from 'redis';

const connect = async (name) => {
  const client = createClient({
    name,
    disableOfflineQueue: true,
    socket: { path: process.argv[1], reconnectStrategy: () => 5 },
  });
  client.on('error', () => undefined);
  return client.connect();
};
const [keys, effects] = await Promise.all([connect('keys'), connect('effects')]);
const app = createApp({ onError: () => undefined }).post(
  '/orders/:item',
  { status: 201 },
  redisIdempotency(keys, { principal: () => 'all', required: true, lostAfter: 300 }),
  async ({ params: { item } }) => {
    const runs = await effects.incr('effect:' + item);
    await delay(Math.random() * 20);
    return { item, runs };
  },
);
const server = await listen(app, 0, { host: '127.0.0.1' });
process.send(server.url);
`;

it(
  'each operation happens at most once, and what is acknowledged once, although servers and connections are killed',
  async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const control = await createClient({ socket: { path: redis.path, tls: false } }).connect();
    onTestFinished(() => control.destroy());
    const start = async () => {
      const args = ['--input-type=module', '--eval', PROGRAM, redis.path];
      const child: ChildProcess = spawn(process.execPath, args, {
        cwd: join(import.meta.dirname, '..'),
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const [origin] = await once(child, 'message');
      return { child, origin: String(origin) };
    };
    let server = await start();
    let spare = start();
    const outcomes = new Map<string, string>();
    let repeated = 0;
    /** Repeats an operation until its outcome is known, or known to be unknown. */
    const order = async (item: string): Promise<void> => {
      for (;;) {
        const response = await fetch(`${server.origin}/orders/${item}`, {
          method: 'POST',
          headers: { 'Idempotency-Key': item },
        }).catch(() => undefined);
        const text = await response?.text().catch(() => undefined);
        const isUnknown = text?.includes('IDEMPOTENCY_OUTCOME_UNKNOWN') === true;
        // An error of the handler may hide its effect. Its next response is that the outcome is unknown.
        if (text !== undefined && (response?.status === 201 || isUnknown)) {
          outcomes.set(item, isUnknown ? 'unknown' : text);
          return;
        }
        repeated += 1;
        await delay(10);
      }
    };
    const items: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = await spare;
      const started = Array.from({ length: OPERATIONS }, (_, index) => `${round}-${index}`);
      items.push(...started);
      const orders = [...started, ...started].map(order);
      await delay(Math.random() * 20);
      for (const { id, name } of await control.clientList())
        if (name === 'keys' && Math.random() < 0.5) await control.clientKill({ filter: 'ID', id });
      await delay(Math.random() * 20);
      server.child.kill('SIGKILL');
      server = next;
      spare = start();
      await Promise.all(orders);
    }
    await spare;
    // What was acknowledged stays so.
    const acknowledged = new Map([...outcomes].filter(([, outcome]) => outcome !== 'unknown'));
    await Promise.all([...acknowledged.keys()].map(order));
    for (const [item, outcome] of acknowledged) expect(outcomes.get(item)).toBe(outcome);

    const effects = new Map<string, number>();
    for (const item of items) effects.set(item, Number(await control.get(`effect:${item}`)));
    expect([...effects.values()].filter((count) => count > 1)).toEqual([]);
    for (const [item, outcome] of acknowledged)
      expect([effects.get(item), outcome]).toEqual([1, JSON.stringify({ item, runs: 1 })]);
    // Each fault has happened.
    const unknown = [...outcomes.values()].filter((outcome) => outcome === 'unknown').length;
    expect(outcomes.size).toBe(items.length);
    expect(acknowledged.size).toBeGreaterThan(0);
    expect(unknown).toBeGreaterThan(0);
    expect(repeated).toBeGreaterThan(0);
    console.info(
      `${items.length} operations: ${acknowledged.size} acknowledged, ${unknown} unknown, none twice, ${repeated} requests repeated.`,
    );
  },
  ROUNDS * 18_000,
);
