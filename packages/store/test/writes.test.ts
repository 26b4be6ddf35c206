import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoreError } from '../src/index.js';
import {
  metricsOf,
  type NotesStore,
  openNotes,
  openRaw,
  temporaryPath,
  textsOf,
} from './support/notes.js';

describe('writes', () => {
  it('return the first row of RETURNING, or undefined', async () => {
    const store = openNotes(temporaryPath());
    expect(await store.write('add', 'Ada')).toEqual({ id: 1, text: 'Ada' });
    expect(await store.write('insert', 2 ** 40, 'Bb 😀')).toBeUndefined();
    expect(textsOf(store)).toEqual(['Ada', 'Bb 😀']);
    expect(await store.write('remove', 7)).toBeUndefined();
    expect(await store.write('remove', null)).toBeUndefined();
  });

  it('are made together or not at all by writeAll(), beside others of the batch', async () => {
    const store = openNotes(temporaryPath());
    const results = await Promise.allSettled([
      store.write('add', 'Ada'),
      store.writeAll([
        ['add', 'Bob'],
        ['insert', 7, 'Cy'],
        ['remove', 7],
      ]),
      store.writeAll([
        ['add', 'Dee'],
        ['insert', 1, 'again'],
        ['add', 'Eve'],
      ]),
      store.writeAll([['add', 'Fay']]),
      store.writeAll([]),
    ]);
    expect(results).toMatchObject([
      { value: { id: 1 } },
      { value: [{ id: 2, text: 'Bob' }, undefined, { id: 7 }] },
      { reason: { code: 'STORE_CONSTRAINT', message: expect.stringContaining("'insert'") } },
      { value: [{ text: 'Fay' }] },
      { value: [] },
    ]);
    expect(textsOf(store)).toEqual(['Ada', 'Bob', 'Fay']);
    await expect(store.writeAll([['add', 'Gil'], ['remove']])).rejects.toMatchObject({
      code: 'INVALID_WRITE',
    });
    expect(textsOf(store)).toHaveLength(3);
  });

  it('store text with NUL, which Node.js 22 only reads up to there', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    const read = process.versions.node.startsWith('22.') ? 'B' : 'B\u0000b 😀';
    expect(await store.write('add', 'B\u0000b 😀')).toEqual({ id: 1, text: read });
    expect(textsOf(store)).toEqual([read]);
    const bytes = openRaw(path).prepare('SELECT CAST(text AS BLOB) AS bytes FROM notes').get();
    expect(bytes).toEqual({ bytes: new Uint8Array(Buffer.from('B\u0000b 😀')) });
  });

  it('work under node --watch, which sends messages from the thread', async () => {
    vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const store = openNotes(temporaryPath());
    expect(await store.write('add', 'Ada')).toMatchObject({ text: 'Ada' });
  });

  it.each([
    [
      'violates a constraint',
      ['insert', 1, 'again'],
      'STORE_CONSTRAINT',
      "cannot run the statement 'insert', which violates a constraint (UNIQUE constraint failed: notes.id). " +
        'Use values that satisfy it, or catch STORE_CONSTRAINT.',
    ],
    [
      'has a value of the wrong type',
      ['insert', 'one', 'text'],
      'STORE_FAILED',
      "cannot run the statement 'insert' (datatype mismatch). Use values of the types that the SQL expects.",
    ],
    [
      'has a value that a function of SQLite rejects',
      ['addJson', '{'],
      'STORE_FAILED',
      "cannot run the statement 'addJson' (malformed JSON). Correct its SQL.",
    ],
    [
      'fails in the middle of its rows',
      ['addTwo', 0, 'text'],
      'STORE_CONSTRAINT',
      "cannot run the statement 'addTwo', which violates a constraint (UNIQUE constraint failed: notes.id). " +
        'Use values that satisfy it, or catch STORE_CONSTRAINT.',
    ],
    [
      'returns a number above 2⁵³ − 1',
      ['count', 'text', Number.MAX_SAFE_INTEGER, 1],
      'STORE_FAILED',
      "cannot return the row of the statement 'count' (Value is too large to be represented as a JavaScript " +
        'number: 9007199254740992). Return text, null, and numbers up to 2⁵³ − 1.',
    ],
    [
      'returns an infinite number',
      ['count', 'text', 1, '9e999'],
      'STORE_FAILED',
      "cannot return the row of the statement 'count' (it returns Infinity as share). " +
        'Return text, null, and numbers up to 2⁵³ − 1.',
    ],
    [
      'returns a negative infinite number',
      ['count', 'text', 1, '-9e999'],
      'STORE_FAILED',
      "cannot return the row of the statement 'count' (it returns -Infinity as share). " +
        'Return text, null, and numbers up to 2⁵³ − 1.',
    ],
    [
      'has a value that becomes too long',
      ['addZeros', 2_000_000_000],
      'STORE_FAILED',
      "cannot run the statement 'addZeros' (string or blob too big). Pass shorter values.",
    ],
    [
      'returns bytes',
      ['bytes', 'text'],
      'STORE_FAILED',
      "cannot return the row of the statement 'bytes' (it returns bytes as content). " +
        'Return text, null, and numbers up to 2⁵³ − 1.',
    ],
  ] as const)(
    'are committed when another write of the batch %s',
    async (_, [statement, ...rest], code, problem) => {
      const path = temporaryPath();
      const store = openNotes(path);
      await store.write('add', 'Ada');
      const results = await Promise.allSettled([
        store.write('add', 'Bob'),
        store.write(statement, ...rest),
        store.write('add', 'Cy'),
      ]);
      const reason = { code, isTransient: false, message: `The store ${path} ${problem}` };
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason },
        { status: 'fulfilled' },
      ]);
      expect(textsOf(store)).toEqual(['Ada', 'Bob', 'Cy']);
    },
  );

  it('are all rejected when a statement rolls back', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    const results = await Promise.allSettled([
      store.write('add', 'Bob'),
      store.write('insertOrRollback', 1, 'again'),
      store.write('add', 'Cy'),
    ]);
    const problem =
      'rolled back all writes of a batch (UNIQUE constraint failed: notes.id). ' +
      'Remove ON CONFLICT ROLLBACK and deferred constraints from the SQL.';
    const reason = { code: 'STORE_FAILED', message: `The store ${path} ${problem}` };
    expect(results).toMatchObject(results.map(() => ({ status: 'rejected', reason })));
    expect(textsOf(store)).toEqual(['Ada']);
    await store.write('add', 'Dee');
    expect(textsOf(store)).toEqual(['Ada', 'Dee']);
  });

  it('names the statement whose table another process has dropped', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    openRaw(path).exec('DROP TABLE notes');
    await expect(store.write('add', 'Ada')).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(`${path} cannot run the statement 'add' (no such table: `),
    });
  });

  it.each([
    [['toString', 'a'], "write() cannot use 'toString' as a statement. Add it to statements."],
    [
      ['insert', 1, Number.NaN],
      "write() cannot use NaN as parameter 2 of 'insert'. Use a string, a finite number or null.",
    ],
    [
      ['add', new Uint8Array(1)],
      "write() cannot use an instance of Uint8Array as parameter 1 of 'add'. " +
        'Use a string, a finite number or null.',
    ],
    [
      ['insert', 1],
      "write() cannot use 1 as the number of parameters of 'insert', which is 2. " +
        'Pass a value or null for each placeholder.',
    ],
    [
      ['addTwo'],
      "write() cannot use 0 as the number of parameters of 'addTwo', which is 2. " +
        'Pass a value or null for each placeholder.',
    ],
    [
      ['add', 'text', 'text'],
      "write() cannot use 2 as the number of parameters of 'add', which is 1. " +
        'Pass a value or null for each placeholder.',
    ],
  ])('are rejected with INVALID_WRITE for %j', async (call, message) => {
    const store = openNotes(temporaryPath());
    const write = store.write(...(call as ['add', string]));
    await expect(write).rejects.toMatchObject({ code: 'INVALID_WRITE', message });
  });

  it('rejects a whole batch when the disk is full, and recovers when there is space', async () => {
    const store = openNotes(temporaryPath(), { maxPages: 20 });
    await store.write('add', 'x'.repeat(15_000));
    const large = 'x'.repeat(10_000);
    const results = await Promise.allSettled(
      [large, large, large].map((text) => store.write('add', text)),
    );
    expect(results).toEqual(
      results.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'STORE_FULL', isTransient: true }),
      })),
    );
    expect(textsOf(store)).toHaveLength(1);
    await store.write('remove', 1);
    await store.write('add', large);
    expect(textsOf(store)).toEqual([large]);
  });

  it('rejects the writes of every batch with STORE_LOCKED while another process holds the lock', async () => {
    const path = temporaryPath();
    const store = openNotes(path, { timeout: 200 });
    openRaw(path).exec('BEGIN IMMEDIATE');
    const writes = Array.from({ length: 1_500 }, () => store.write('add', 'Ada'));
    const results = await Promise.allSettled(writes);
    const reasons = results.map((result) => (result as PromiseRejectedResult).reason.code);
    expect(new Set(reasons)).toEqual(new Set(['STORE_LOCKED']));
    expect(textsOf(store)).toEqual([]);
  });

  it('rejects writes while 10,000 are waiting, and accepts them later', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const waiting = Array.from({ length: 10_000 }, () => store.write('add', 'Ada'));
    expect(metricsOf(store)).toMatchObject({ store_waiting_writes: 10_000 });
    await expect(store.write('add', 'Ada')).rejects.toMatchObject({
      code: 'STORE_BUSY',
      isTransient: true,
    });
    expect(textsOf(store)).toEqual([]);
    raw.exec('ROLLBACK');
    await Promise.all(waiting);
    await store.write('add', 'Ada');
    expect(textsOf(store)).toHaveLength(10_001);
    expect(metricsOf(store)).toMatchObject({ store_waiting_writes: 0 });
  });

  it('finishes pending writes when it is closed', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    const writes = Promise.all([store.write('add', 'Ada'), store.write('add', 'Ada')]);
    await store.close();
    expect(await writes).toHaveLength(2);
    expect(textsOf(openNotes(path))).toHaveLength(2);
  });

  it('rejects the writes of a thread that dies, warns, and starts a new thread', async () => {
    const path = temporaryPath();
    const warnings: StoreError[] = [];
    const store = openNotes(path, { warn: (error) => warnings.push(error) });
    const worker = await startedBy(() => store.write('add', 'Ada'));
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const interrupted = expect(store.write('add', 'Ada')).rejects.toMatchObject({
      code: 'STORE_INTERRUPTED',
      isTransient: true,
    });
    await setImmediate();
    await worker.terminate();
    await interrupted;
    raw.exec('ROLLBACK');
    await store.write('add', 'Ada');
    expect(textsOf(store)).toHaveLength(2);
    expect(warnings).toMatchObject([{ code: 'STORE_INTERRUPTED' }]);
  });
});

describe('the thread', () => {
  it('keeps the process alive only while a write or close() waits for it', async () => {
    const store = openNotes(temporaryPath());
    const worker = await startedBy(() => store.write('add', 'Ada'));
    const calls: string[] = [];
    vi.spyOn(worker, 'ref').mockImplementation(() => void calls.push('ref'));
    vi.spyOn(worker, 'unref').mockImplementation(() => void calls.push('unref'));
    await store.write('add', 'Bob');
    expect(calls).toEqual(['ref', 'unref']);
    await store.close();
    expect(calls).toEqual(['ref', 'unref', 'ref']);
  });

  it('that dies of an error has it as the cause', async () => {
    const warn = vi.fn<(error: StoreError) => void>();
    const store = openNotes(temporaryPath(), { warn });
    const worker = await startedBy(() => store.write('add', 'Ada'));
    const write = store.write('add', 'Bob');
    worker.postMessage('not JSON');
    await expect(write).rejects.toMatchObject({
      code: 'STORE_INTERRUPTED',
      cause: expect.any(SyntaxError),
    });
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe('check() of a store whose writes fail', () => {
  it('reports that the file is full, and recovers with the next commit or when there is space', async () => {
    const path = temporaryPath();
    const store = openNotes(path, { maxPages: 8 });
    const fill = async (): Promise<never> => {
      for (;;) await store.write('add', 'x'.repeat(400));
    };
    const full = { code: 'STORE_FULL', message: expect.stringContaining(path) };
    expect(store.check()).toEqual({ degraded: undefined });
    await expect(fill()).rejects.toMatchObject(full);
    // A probe does not succeed either.
    await expectDegraded(store, full, 3);
    expect(metricsOf(store)).toMatchObject({ store_writes_failing: 1 });
    await store.write('remove', 1);
    expect(store.check()).toEqual({ degraded: undefined });
    expect(metricsOf(store)).toMatchObject({ store_writes_failing: 0 });
    await expect(fill()).rejects.toMatchObject(full);
    openRaw(path).exec('DELETE FROM notes');
    await expect.poll(() => store.check()).toEqual({ degraded: undefined });
    expect(textsOf(store)).toEqual([]);
  });

  it('reports a lock, and recovers without further writes', async () => {
    const path = temporaryPath();
    const store = openNotes(path, { timeout: 200 });
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const locked = { code: 'STORE_LOCKED' };
    await expect(store.write('add', 'Ada')).rejects.toMatchObject(locked);
    await expectDegraded(store, locked, 3);
    raw.exec('ROLLBACK');
    await expect.poll(() => store.check(), { timeout: 60_000 }).toEqual({ degraded: undefined });
    expect(textsOf(store)).toEqual([]);
  });

  it('tries one empty write at a time', async () => {
    const path = temporaryPath();
    const store = openNotes(path, { timeout: 200 });
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    await expect(store.write('add', 'Ada')).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    for (const _ of Array(3)) store.check();
    expect(metricsOf(store)).toMatchObject({ store_waiting_writes: 1 });
    raw.exec('ROLLBACK');
  });

  it('fails if the file cannot be read', () => {
    const path = temporaryPath();
    const store = openNotes(path);
    // Node.js 24 protects the schema unless told otherwise.
    const unprotected: object = { defensive: false };
    const raw = new DatabaseSync(path, unprotected);
    raw.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'broken'");
    raw.exec('PRAGMA schema_version = 99');
    raw.close();
    expect(() => store.check()).toThrow(expect.objectContaining({ code: 'STORE_NOT_A_DATABASE' }));
  });

  it('does not report a write that violates a constraint', async () => {
    const store = openNotes(temporaryPath());
    await store.write('insert', 1, 'Ada');
    await expect(store.write('insert', 1, 'Ada')).rejects.toThrow('violates a constraint');
    expect(store.check()).toEqual({ degraded: undefined });
  });
});

/** Checks a store, and lets it finish the probe that this starts, several times. */
async function expectDegraded(store: NotesStore, error: object, times: number): Promise<void> {
  for (const _ of Array(times)) {
    expect(store.check().degraded).toMatchObject(error);
    await expect.poll(() => metricsOf(store)).toMatchObject({ store_waiting_writes: 0 });
  }
}

it('a store survives a warn() that throws', async () => {
  const path = temporaryPath();
  const warn = () => {
    throw new Error('Log failed.');
  };
  const onError = vi.fn();
  process.once('uncaughtException', onError);
  onTestFinished(() => void process.removeListener('uncaughtException', onError));
  const store = openNotes(path, { warn });
  const worker = await startedBy(() => store.write('add', 'Ada'));
  const raw = openRaw(path);
  raw.exec('BEGIN IMMEDIATE');
  const interrupted = store.write('add', 'Ada').catch(({ code }: StoreError) => code);
  await setImmediate();
  // The promise does not settle, because warn() throws before its listener runs.
  void worker.terminate();
  expect(await interrupted).toBe('STORE_INTERRUPTED');
  raw.exec('ROLLBACK');
  await store.write('add', 'Ada');
});

/** Runs a callback and returns the thread that it starts. */
async function startedBy(work: () => Promise<unknown>): Promise<Worker> {
  const workers: Worker[] = [];
  const onThread = (message: unknown) => void workers.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', onThread);
  await work();
  unsubscribe('worker_threads', onThread);
  expect(workers).toHaveLength(1);
  return workers[0] as Worker;
}
