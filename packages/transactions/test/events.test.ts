import { Client } from 'pg';
import { expect, it } from 'vitest';
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
});
