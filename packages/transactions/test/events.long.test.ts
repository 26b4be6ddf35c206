import { setTimeout as delay } from 'node:timers/promises';
import { createApp, listen } from '@fairlead/core';
import { eventStream } from '@fairlead/middleware';
import { startPostgres } from '@fairlead/test-support/postgres-server';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEvents, type Events, type EventsOptions, eventsTable } from '../src/events.js';
import { createTransactions } from '../src/index.js';
import { pgAdapter } from '../src/pg.js';

let pool: Pool;
let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = await startPostgres();
  ({ url, stop } = server);
  pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  await pool.query(eventsTable());
});

afterAll(async () => {
  await pool.end();
  await stop();
});

/** Starts the events of a process. */
async function start(
  options: Partial<EventsOptions> = {},
  db = createTransactions(pgAdapter(pool)),
) {
  const errors: unknown[] = [];
  const clients: Client[] = [];
  const connect = (): Client => {
    const client = new Client({ connectionString: url, application_name: 'listener' });
    clients.push(client);
    return client;
  };
  const events = createEvents(db, { connect, onError: (error) => errors.push(error), ...options });
  await events.start();
  onTestFinished(() => events.stop());
  return { db, events, errors, clients };
}

/** Collects the events of a topic after the first one, which it returns. */
async function collect(events: Events, topic: string, after?: string) {
  const received: unknown[] = [];
  const ids: string[] = [];
  const subscription = events.subscribe(topic, { after });
  const first = (await subscription.next()).value;
  const ended = (async () => {
    for await (const { id, data } of subscription) {
      received.push(data);
      ids.push(id);
    }
  })();
  return { received, ids, first, ended, subscription };
}

describe('events', () => {
  it('do not start without their table', async () => {
    const db = createTransactions(pgAdapter(pool));
    const connect = () => new Client({ connectionString: url });
    await expect(createEvents(db, { connect, table: 'missing' }).start()).rejects.toThrow(
      'The database has no table missing. Run the statements that eventsTable() returns, in a migration.',
    );
  });

  it('reach the subscribers of all processes when their transaction commits, and never otherwise', async () => {
    const [one, two] = [await start(), await start()];
    const [here, there, other] = [
      await collect(one.events, 'a'),
      await collect(two.events, 'a'),
      await collect(two.events, 'b'),
    ];
    await one.db
      .run(async () => {
        await one.events.publish('a', { data: 'never' });
        throw new Error('no');
      })
      .catch(() => undefined);
    await one.db.run(async () => {
      await one.events.publish('a', { data: { n: 1 } });
      await delay(20);
      expect(there.received).toEqual([]);
    });
    await one.events.publish('b', { event: 'named', data: 'b' });
    await two.events.publish('a', { data: 'two' });
    for (const { received } of [here, there]) {
      await expect.poll(() => received).toEqual([{ n: 1 }, 'two']);
    }
    await expect.poll(() => other.received).toEqual(['b']);
  });

  it('are in the order of commits, also when an earlier one commits later', async () => {
    const { db, events } = await start();
    const { received } = await collect(events, 'a');
    const [published, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = db.run(async () => {
      await events.publish('a', { data: 'slow' });
      published.resolve();
      await committed.promise;
    });
    await published.promise;
    await events.publish('a', { data: 'quick' });
    await expect.poll(() => received).toEqual(['quick']);
    committed.resolve();
    await slow;
    await expect.poll(() => received).toEqual(['quick', 'slow']);
  });

  it('are in the order of commits, also when the commit of an earlier one takes time', async () => {
    // A deferred trigger that runs after that of the events.
    await pool.query(`
      CREATE TABLE slow ();
      CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER sleep AFTER INSERT ON slow
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sleep();`);
    const { db, events } = await start();
    const { received } = await collect(events, 'commits');
    const hasBegun = Promise.withResolvers<void>();
    const slow = db.run(async () => {
      await events.publish('commits', { data: 'slow' });
      await db.client.query('INSERT INTO slow DEFAULT VALUES');
      hasBegun.resolve();
    });
    await hasBegun.promise;
    const countSleeping = async () => {
      const { rowCount } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
      );
      return rowCount;
    };
    await expect.poll(countSleeping).toBe(1);
    await events.publish('commits', { data: 'quick' });
    await slow;
    await expect.poll(() => received).toEqual(['slow', 'quick']);
  });

  it('continue after the ID of a client', async () => {
    const { events } = await start();
    const before = await collect(events, 'a');
    expect(before.first).toMatchObject({ event: 'start', data: { missed: false } });
    await events.publish('a', { data: 1 });
    await events.publish('b', { data: 'other' });
    await events.publish('a', { data: 2 });
    await expect.poll(() => before.received).toEqual([1, 2]);
    const id = before.ids[0] ?? '';
    const after = await collect(events, 'a', id);
    expect(after.first).toEqual({ id, event: 'start', data: { missed: false } });
    await events.publish('a', { data: 3 });
    await expect.poll(() => after.received).toEqual([2, 3]);
    // From the start, before which there was nothing.
    const all = await collect(events, 'a', before.first.id);
    await expect.poll(() => all.received).toEqual([1, 2, 3]);
  });

  it('say that a client has missed some, when they are deleted or the ID is not of the log', async () => {
    const { events } = await start({ retention: 1_000 });
    await events.publish('a', { data: 1 });
    const old = await collect(events, 'a');
    await events.publish('a', { data: 2 });
    await expect.poll(() => old.received).toEqual([2]);
    await events.publish('a', { data: 3 });
    const count = async () => (await pool.query('SELECT FROM events')).rowCount;
    await expect.poll(count).toBe(1);
    for (const id of [old.first.id, 'x', '', '999999999999', '99999999999999999999']) {
      const { first } = await collect(events, 'a', id);
      expect(first).toMatchObject({ event: 'start', data: { missed: true } });
    }
    // Nothing came after the last one.
    await expect.poll(() => old.received).toEqual([2, 3]);
    const { first } = await collect(events, 'a', old.ids.at(-1));
    expect(first.data).toEqual({ missed: false });
  });

  it('are kept for longer than PostgreSQL counts years', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const adapter = pgAdapter(pool);
    const deletions: Promise<unknown>[] = [];
    const db = createTransactions({
      ...adapter,
      query: (client, text, values) => {
        const rows = adapter.query(client, text, values);
        if (text.startsWith('DELETE')) deletions.push(rows);
        return rows;
      },
    });
    const { events } = await start({ retention: Number.MAX_SAFE_INTEGER }, db);
    await events.publish('kept', { data: 1 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.all(deletions)).toEqual([[]]);
  });

  it('wait in the log for a subscriber that is slow', async () => {
    const { db, events } = await start();
    const subscription = events.subscribe('a');
    await subscription.next();
    const count = 1_200;
    await db.run(async () => {
      for (let n = 0; n < count; n += 1) await events.publish('a', { data: n });
    });
    const quick = await collect(events, 'a');
    await events.publish('a', { data: count });
    await expect.poll(() => quick.received).toEqual([count]);
    const received: unknown[] = [];
    for await (const { data } of subscription) {
      received.push(data);
      if (received.length > count) break;
    }
    expect(received).toEqual(Array.from({ length: count + 1 }, (_, n) => n));
  });

  it('survive the loss of the connection that listens', async () => {
    const { events, errors, clients } = await start();
    const { received } = await collect(events, 'a');
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener'",
    );
    await events.publish('a', { data: 1 });
    await expect.poll(() => received).toEqual([1]);
    await expect.poll(() => clients.length).toBe(2);
    await events.publish('a', { data: 2 });
    await expect.poll(() => received).toEqual([1, 2]);
    expect(errors.map(String)).toEqual(['Error: The connection that listens for events was lost.']);
  });

  it('end when the log cannot be read', async () => {
    await pool.query(eventsTable('fleeting'));
    const { events } = await start({ table: 'fleeting' });
    const subscription = events.subscribe('a');
    await pool.query('DROP TABLE fleeting');
    await expect(subscription.next()).rejects.toThrow('does not exist');
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
  });

  it('end with their process', async () => {
    const { events } = await start();
    const { ended, subscription } = await collect(events, 'a');
    await events.stop();
    await ended;
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
    expect(() => events.subscribe('a')).toThrow("Cannot subscribe to 'a': events have stopped.");
  });

  it('are server-sent events, which end when the client leaves or the server closes', async () => {
    const { events } = await start();
    const app = createApp().get('/:topic', (ctx) =>
      eventStream(events.subscribe(ctx.params.topic, { after: ctx.get('Last-Event-ID') })),
    );
    const server = await listen(app, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    const response = await fetch(`${server.url}/a`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => (await reader?.read())?.value;
    expect(await read()).toMatch(/^event: start\nid: \d+\ndata: \{"missed":false\}\n\n$/);
    await events.publish('a', { event: 'paid', data: { n: 1 } });
    expect(await read()).toMatch(/^event: paid\nid: \d+\ndata: \{"n":1\}\n\n$/);
    await server.close();
    expect(await read()).toBeUndefined();
  });
});
