import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '@fairlead/test-support/postgres-server';
import { Client, Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createEvents, type Events, eventsTable } from '../src/events.js';
import { createTransactions } from '../src/index.js';
import { pgAdapter } from '../src/pg.js';

const PUBLISHERS = 6;
const TRANSACTIONS = 120;
const TOPICS = ['a', 'b'];

it('clients that reconnect to any process receive each committed event once, in order, while connections are killed', async () => {
  const server = await startPostgres();
  const { url } = server;
  const control = new Pool({ connectionString: url, max: 2, application_name: 'control' });
  // The server may end a connection that the pool has begun to close.
  control.on('error', () => undefined);
  await control.query(eventsTable());
  const pool = new Pool({ connectionString: url, max: 10, application_name: 'pool' });
  pool.on('error', () => undefined);
  const db = createTransactions(pgAdapter(pool));
  const processes: Events[] = [];
  for (let index = 0; index < 2; index += 1) {
    const events = createEvents(db, {
      connect: () => new Client({ connectionString: url, application_name: 'listener' }),
      onError: () => undefined,
    });
    await events.start();
    processes.push(events);
  }
  onTestFinished(async () => {
    await Promise.all([...processes.map((events) => events.stop()), pool.end(), control.end()]);
    await server.stop();
  });
  const anyProcess = (): Events => {
    const events = processes[Math.floor(Math.random() * processes.length)];
    if (events === undefined) throw new Error('There is no process.');
    return events;
  };

  let isOver = false;
  let [connections, failures] = [0, 0];
  /** Receives a topic over many short connections. */
  const receive = async (topic: string): Promise<unknown[]> => {
    const received: unknown[] = [];
    let after: string | undefined = '0';
    const isComplete = async () => {
      const { rows } = await control.query('SELECT count(*)::int FROM events WHERE topic = $1', [
        topic,
      ]);
      return isOver && rows[0].count === received.length;
    };
    while (!(await isComplete())) {
      connections += 1;
      const subscription = anyProcess().subscribe(topic, { after });
      const timer = setTimeout(() => void subscription.return?.(), Math.random() * 200);
      try {
        for await (const { id, event, data } of subscription) {
          if (event === 'start') expect(data).toEqual({ missed: false });
          else received.push(data);
          after = id;
        }
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== '57P01' && !/Connection/.test(String(error)))
          throw error;
        failures += 1;
      }
      clearTimeout(timer);
    }
    return received;
  };
  const receiving = Promise.all(TOPICS.map(receive));

  let [rolledBack, lost] = [0, 0];
  const publish = async (publisher: number): Promise<void> => {
    for (let index = 0; index < TRANSACTIONS; index += 1) {
      const work = db.run(async () => {
        for (const topic of TOPICS) {
          await anyProcess().publish(topic, { data: `${publisher}-${index}` });
          await delay(Math.random() * 10);
        }
        if (index % 2 === 0) throw new Error('rolled back');
      });
      await work.catch((error) => {
        if (error.message === 'rolled back') rolledBack += 1;
        else lost += 1;
      });
    }
  };
  const publishing = Promise.all(Array.from({ length: PUBLISHERS }, (_, index) => publish(index)));
  const killing = (async () => {
    while (!isOver) {
      await control.query(`SELECT pg_terminate_backend(pid) FROM (
        SELECT pid FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name IN ('pool', 'listener')
        ORDER BY random() LIMIT 2) AS one`);
      await delay(50);
    }
  })();
  await publishing;
  isOver = true;
  await killing;
  const received = await receiving;
  const { rows } = await control.query('SELECT topic, data FROM events ORDER BY position');
  const expected = TOPICS.map((topic) =>
    rows.filter((row) => row.topic === topic).map(({ data }) => data),
  );
  expect(received).toEqual(expected);
  // Those of odd numbers commit, unless their connection was killed.
  const committed = (PUBLISHERS * TRANSACTIONS) / 2;
  expect(expected[0]?.length).toBeGreaterThan(committed / 2);
  expect(Math.min(rolledBack, lost, failures, connections - 20)).toBeGreaterThan(0);
});
