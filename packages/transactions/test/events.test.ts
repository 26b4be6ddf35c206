import { EventEmitter } from 'node:events';
import { Client } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEvents, type EventsOptions, eventsTable } from '../src/events.js';
import { createTransactions } from '../src/index.js';

const db = createTransactions({
  client: undefined,
  transact: (work) => work(undefined),
  query: async () => [],
});

it('createEvents() and its functions refuse mistakes', async () => {
  const create = (options: object) => expect(() => createEvents(db, options as EventsOptions));
  create({}).toThrow('createEvents() needs the option connect.');
  create({ connect: 1 }).toThrow('connect of createEvents() must be a function');
  create({ connect: () => new Client(), retention: 1 }).toThrow('retention');
  create({ connect: () => new Client(), table: 'a b' }).toThrow('table');
  expect(() => eventsTable('a b')).toThrow("eventsTable() cannot use the name 'a b'.");
  const events = createEvents(db, { connect: () => new Client() });
  expect(() => events.subscribe('a')).toThrow('Await start() when the process starts.');
  await expect(events.publish('a', { data: undefined })).rejects.toThrow(
    "Cannot publish undefined to 'a': JSON cannot carry it.",
  );
  await expect(events.publish('a', { data: { text: 'b\0' } })).rejects.toThrow(
    "Cannot publish to 'a': PostgreSQL cannot store NUL or half of a surrogate pair, which the event.data.text contains.",
  );
  await expect(events.publish('a', { data: 1n })).rejects.toThrow(
    "Cannot publish 1n to 'a': JSON cannot carry it.",
  );
  for (const event of ['a\nb', 'a\rb', 7, null])
    await expect(events.publish('a', { event: event as string, data: 1 })).rejects.toThrow(
      'its type is no text of one line',
    );
  await expect(events.publish('a', { event: 'start', data: 1 })).rejects.toThrow(
    "Cannot publish the event 'start' to 'a': the first event of each subscription has this type. Rename it.",
  );
  await expect(events.publish('a\ud800', { data: 1 })).rejects.toThrow('which the event.topic');
  await expect(events.publish('a', { event: '\0', data: 1 })).rejects.toThrow('the event.event');
});

/** A connection that is open once `opened` has resolved. */
class FakeClient extends EventEmitter {
  readonly opened = Promise.withResolvers<void>();
  hasEnded = false;

  connect(): Promise<void> {
    return this.opened.promise;
  }

  async query(): Promise<void> {}

  async end(): Promise<void> {
    this.hasEnded = true;
    this.emit('end');
  }
}

it('createEvents() does not listen again if it stops while it reconnects', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const clients: FakeClient[] = [];
  const errors: unknown[] = [];
  const connect = () => {
    const client = new FakeClient();
    clients.push(client);
    return client as unknown as Client;
  };
  const stored = createTransactions({
    client: undefined,
    transact: (work) => work(undefined),
    query: async () => [{ last: '0' }],
  });
  const events = createEvents(stored, { connect, onError: (error) => errors.push(error) });
  const started = events.start();
  await expect.poll(() => clients).toHaveLength(1);
  clients[0]?.opened.resolve();
  await started;
  clients[0]?.emit('error', new Error('The server has restarted.'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(clients).toHaveLength(2);
  await events.stop();
  clients[1]?.opened.resolve();
  // Longer than until the next attempt.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(clients[1]?.hasEnded).toBe(true);
  expect(clients).toHaveLength(2);
  expect(errors.map(String)).toEqual(['Error: The connection that listens for events was lost.']);
});

it('a start() that fails leaves no connection open, and may be repeated', async () => {
  const clients: FakeClient[] = [];
  const connect = () => {
    const client = new FakeClient();
    client.opened.resolve();
    clients.push(client);
    return client as unknown as Client;
  };
  let hasTable = false;
  const stored = createTransactions({
    client: undefined,
    transact: (work) => work(undefined),
    query: async () => {
      if (!hasTable) throw new Error('There is no table.');
      return [{ last: '0' }];
    },
  });
  const events = createEvents(stored, { connect });
  const areOpen = () => clients.filter(({ hasEnded }) => !hasEnded);
  await expect(events.start()).rejects.toThrow('There is no table.');
  expect(areOpen()).toEqual([]);
  hasTable = true;
  await events.start();
  expect(areOpen()).toHaveLength(1);
  await events.stop();
  expect(areOpen()).toEqual([]);
});
