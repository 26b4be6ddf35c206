import { existsSync, fstatSync, readdirSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { createApp } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { openSqlite, StoreError, streamJsonList, WriteQueue } from '../src/index.js';
import {
  CREATE_NOTES,
  metricsOf,
  NOTES,
  openNotes,
  openRaw,
  temporaryPath,
  textsOf,
} from './support/notes.js';

describe('a write', () => {
  it.each([true, 1n, undefined, {}, Number.POSITIVE_INFINITY])(
    'takes strings, finite numbers and null, not %o',
    async (value) => {
      const write = openNotes(temporaryPath()).write('add', value as never);
      await expect(write).rejects.toMatchObject({ code: 'INVALID_WRITE' });
    },
  );

  it('of more than 64 Mi characters is rejected', async () => {
    const write = openNotes(temporaryPath()).write('add', 'x'.repeat(64 * 1024 * 1024 + 1));
    await expect(write).rejects.toMatchObject({ code: 'STORE_BUSY' });
  });

  it('runs in one transaction with other writes, in the order of the calls', async () => {
    const store = openNotes(temporaryPath());
    const texts = ['a', 'b', 'c'];
    const rows = await Promise.all(texts.map((text) => store.write('add', text)));
    expect(rows.map((row) => row?.id)).toEqual([1, 2, 3]);
    expect(metricsOf(store)).toMatchObject({ store_commits_total: 1 });
  });

  it('with a deferred constraint rolls back the other writes of its batch', async () => {
    const create = `${CREATE_NOTES}; CREATE TABLE links (
      note INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED)`;
    const statements = { ...NOTES.statements, link: 'INSERT INTO links VALUES (?)' };
    const path = temporaryPath();
    await using store = openSqlite(path, { ...NOTES, migrations: [create], statements });
    const writes = [store.write('add', 'Ada'), store.write('link', 7)];
    const statuses = (await Promise.allSettled(writes)).map(({ status }) => status);
    expect(statuses).toEqual(['rejected', 'rejected']);
    expect(store.read(({ texts }) => texts.all(-1))).toEqual([]);
  });

  it('has no effect if its trigger fails, and is rejected with STORE_CONSTRAINT by RAISE(ABORT)', async () => {
    const create = `${CREATE_NOTES}; CREATE TABLE counts (notes INTEGER); INSERT INTO counts VALUES (0);
      CREATE TRIGGER added AFTER INSERT ON notes BEGIN
        UPDATE counts SET notes = notes + 1;
        SELECT RAISE(ABORT, 'too long') WHERE length(new.text) > 3;
      END`;
    const path = temporaryPath();
    const store = openNotes(path, { migrations: [create] });
    const results = await Promise.allSettled(
      ['Ada', 'Barbara', 'Cy'].map((text) => store.write('add', text)),
    );
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      {
        reason: { code: 'STORE_CONSTRAINT', message: expect.stringContaining('(too long)') },
      },
      { status: 'fulfilled' },
    ]);
    expect(textsOf(store)).toEqual(['Ada', 'Cy']);
    expect(openRaw(path).prepare('SELECT notes FROM counts').get()).toEqual({ notes: 2 });
  });

  it('that violates a constraint has the constraint in the message of its cause', async () => {
    const store = openNotes(temporaryPath());
    await store.write('insert', 1, 'Ada');
    await expect(store.write('insert', 1, 'Bob')).rejects.toMatchObject({
      code: 'STORE_CONSTRAINT',
      cause: { message: 'UNIQUE constraint failed: notes.id' },
    });
  });

  it('returns undefined for a row that exists, with ON CONFLICT DO NOTHING RETURNING', async () => {
    const add = 'INSERT INTO notes VALUES (1, ?) ON CONFLICT DO NOTHING RETURNING id';
    const statements = { ...NOTES.statements, add };
    const store = openNotes(temporaryPath(), { statements });
    expect(await store.write('add', 'Ada')).toEqual({ id: 1 });
    expect(await store.write('add', 'Bob')).toBeUndefined();
  });
});

describe('a queue without limits', () => {
  function openQueue(textOf: (write: number) => number) {
    const sizes: number[] = [];
    const commit = async (writes: readonly number[]) => {
      sizes.push(writes.length);
      return writes;
    };
    return { sizes, queue: new WriteQueue<number, number>('test', commit, { textOf }) };
  }

  it('commits a single write without waiting for others', async () => {
    const { queue, sizes } = openQueue(() => 0);
    expect(await queue.add(7)).toBe(7);
    expect(sizes).toEqual([1]);
  });

  it('forms batches of at most 1,000 writes', async () => {
    const { queue, sizes } = openQueue(() => 0);
    await Promise.all(Array.from({ length: 1_001 }, (_, index) => queue.add(index)));
    expect(sizes).toEqual([1_000, 1]);
  });

  it('rejects writes with STORE_BUSY while 64 Mi characters wait', async () => {
    const { queue } = openQueue((characters) => characters);
    const limit = 64 * 1024 * 1024;
    const waiting = [queue.add(limit - 1), queue.add(1)];
    await expect(queue.add(1)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    expect(await Promise.all(waiting)).toEqual([limit - 1, 1]);
    expect(await queue.add(1)).toBe(1);
  });
});

describe('a read', () => {
  it('sees the same moment as an iterator that is not read to its end', async () => {
    await using store = openSqlite(temporaryPath(), {
      ...NOTES,
      prepare: (database) => ({
        each: database.prepare('SELECT id FROM notes'),
        total: database.prepare('SELECT count(*) AS total FROM notes'),
      }),
    });
    await Promise.all([store.write('add', 'Ada'), store.write('add', 'Bob')]);
    const iterator = store.read(({ each }) => each.iterate());
    iterator.next();
    await store.write('add', 'Cy');
    expect(store.read(({ total }) => total.get())).toEqual({ total: 2 });
    expect([...iterator]).toHaveLength(1);
    expect(store.read(({ total }) => total.get())).toEqual({ total: 3 });
  });
});

it('streamJsonList() reads at most one batch ahead', async () => {
  let read = 0;
  let written = 0;
  const ahead: number[] = [];
  const batches = (async function* () {
    while (read < 5) {
      read += 1;
      yield [read];
    }
  })();
  for await (const part of streamJsonList(batches, 'data')) {
    for (const _ of Array(5)) await setImmediate();
    written += part.includes(']') ? 0 : 1;
    ahead.push(read - written);
  }
  expect(written).toBe(5);
  expect(Math.max(...ahead)).toBe(1);
});

describe('streamJsonList() as a response', () => {
  async function* readBatches(...batches: string[][]) {
    yield* batches;
    throw new StoreError('STORE_GONE', 'Gone.');
  }
  const onError = () => undefined;

  it('is an error response if the first batch fails', async () => {
    const app = createApp({ onError }).get('/', () => streamJsonList(readBatches(), 'data'));
    const response = await app.request('/');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'STORE_GONE' });
  });

  it('closes the connection if a later batch fails', async () => {
    const app = createApp({ onError }).get('/', () =>
      streamJsonList(readBatches(['Milk']), 'data'),
    );
    const response = await app.request('/');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('a migration', () => {
  it('that has run does not run again when it was edited', async () => {
    const path = temporaryPath();
    await openNotes(path, { migrations: [CREATE_NOTES] }).close();
    const edited = `${CREATE_NOTES}; CREATE TABLE other (id)`;
    openNotes(path, { migrations: [edited] });
    openNotes(path, { migrations: [edited, 'CREATE TABLE more (id)'] });
    const tables = openRaw(path).prepare("SELECT name FROM sqlite_schema WHERE type = 'table'");
    expect(tables.all()).toEqual([{ name: 'notes' }, { name: 'more' }]);
  });
});

describe('an option', () => {
  it.each([
    [{ applicationId: 2 ** 31 }, 'must be an integer from 1 to 2147483647: got 2147483648.'],
    [{ maxPages: 0 }, 'must be an integer number of pages from 1 to 4294967294: got 0.'],
    [{ migrations: CREATE_NOTES }, 'must be a non-empty array of SQL strings: got '],
    [{ migrations: [''] }, 'must be a non-empty array of SQL strings: got '],
    [{ statements: 'DELETE FROM notes' }, 'must be an object of SQL strings by name: got '],
    [{ statements: null }, 'must be an object of SQL strings by name: got null.'],
  ])('cannot be %j', (changed, problem) => {
    const path = temporaryPath();
    const message = `${Object.keys(changed)[0]} of openSqlite() ${problem}`;
    expect(() => openSqlite(path, { ...NOTES, ...(changed as object) })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
    expect(existsSync(path)).toBe(false);
  });

  it('timeout is 5 seconds by default', async () => {
    const path = temporaryPath();
    openRaw(path).exec('PRAGMA user_version = 2');
    const timeouts: unknown[] = [];
    const isOurs = (database: DatabaseSync) => {
      timeouts.push(database.prepare('PRAGMA busy_timeout').get());
      return false;
    };
    const { timeout, ...options } = NOTES;
    expect(timeout).toBeDefined();
    expect(() => openSqlite(path, { ...options, isOurs })).toThrow('of another program');
    expect(timeouts).toEqual([{ timeout: 5_000 }]);
  });

  it('timeout also bounds the opening of a locked file', () => {
    const path = temporaryPath();
    openRaw(path).exec('BEGIN EXCLUSIVE');
    expect(() => openNotes(path, { timeout: 50 })).toThrow(
      expect.objectContaining({ code: 'STORE_LOCKED', isTransient: true }),
    );
  });

  it('maxPages bounds the size of the file, in pages of 4 KiB', async () => {
    const path = temporaryPath();
    const store = openNotes(path, { maxPages: 8 });
    const write = store.write('add', 'x'.repeat(8 * 4_096));
    await expect(write).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(openRaw(path).prepare('PRAGMA page_size').get()).toEqual({ page_size: 4_096 });
  });

  it('program and setting are part of messages, as is the path', () => {
    const path = temporaryPath();
    openRaw(path).exec('PRAGMA user_version = 9; PRAGMA application_id = 0x6e6f7465');
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(`${path}.* newer notes, or set NOTES_PATH `),
      }),
    );
  });
});

describe('metrics', () => {
  it('have a name, a help text, a type and a value()', () => {
    const { metrics } = openNotes(temporaryPath());
    expect(metrics.map(({ name, type }) => [name, type])).toEqual([
      ['store_waiting_writes', 'gauge'],
      ['store_commits_total', 'counter'],
      ['store_lock_waits_total', 'counter'],
      ['store_lock_wait_seconds_total', 'counter'],
      ['store_writes_failing', 'gauge'],
    ]);
    expect(metrics.map(({ value }) => value())).toEqual([0, 0, 0, 0, 0]);
    expect(metrics.map(({ help }) => help)).not.toContain('');
  });
});

describe('close()', () => {
  it.each([1, 2, 3])('leaves no file open when the last of %i stores closes', async (count) => {
    const path = temporaryPath();
    const stores = Array.from({ length: count }, () => openNotes(path));
    for (const store of stores) await store.write('add', 'Ada');
    const inodes = [path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).ino);
    const openFiles = () =>
      readdirSync('/dev/fd').flatMap((descriptor) => {
        const inode = inodeOf(Number(descriptor));
        return inodes.filter((one) => one === inode);
      });
    expect(new Set(openFiles())).toEqual(new Set(inodes));
    for (const store of stores) await store.close();
    expect(openFiles()).toEqual([]);
  });

  it('leaves only the file, with what was written', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    await store.close();
    expect([`${path}-wal`, `${path}-shm`].filter(existsSync)).toEqual([]);
    expect(textsOf(openNotes(path))).toEqual(['Ada']);
  });
});

/** Returns undefined for a descriptor that was closed. */
function inodeOf(descriptor: number): number | undefined {
  try {
    return fstatSync(descriptor).ino;
  } catch {
    return undefined;
  }
}
