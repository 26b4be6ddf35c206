import { once } from 'node:events';
import fs, { existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { describeValue, markIntended } from '@fairlead/options';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqlite } from '../src/index.js';
import {
  CREATE_NOTES,
  metricsOf,
  NOTES,
  openNotes,
  openRaw,
  temporaryFolder,
  temporaryPath,
  textsOf,
} from './support/notes.js';

/** Writes a database like another program, and returns the bytes of the file. */
function writeDatabase(path: string, sql: string): Buffer {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return readFileSync(path);
}

const AT_WORK = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData);
  database.exec('BEGIN IMMEDIATE');
  parentPort.postMessage('begun');
  database.exec(\`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000000)
    SELECT count(*) FROM numbers\`);
  database.exec('COMMIT');
  database.close();`;

/** Resolves once a thread has started a long write to a file. */
async function writing(path: string): Promise<void> {
  const worker = new Worker(AT_WORK, { eval: true, workerData: path });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
}

/** A message that ends with the place of the call. */
const at = (message: string): unknown => expect.stringContaining(`${message}\n  At: test/`);

/** An error about the program. */
const mistake = (code: string, message: string): unknown =>
  expect.objectContaining({ name: 'StoreError', code, message: at(message) });

describe('openSqlite', () => {
  it('creates the file and its folders', () => {
    const path = join(temporaryFolder(), 'a', 'b', 'notes.db');
    openNotes(path);
    expect(existsSync(path)).toBe(true);
  });

  it('flushes the folder of each folder that it creates', () => {
    const folder = temporaryFolder();
    const inodeOf = (descriptor: number) => fs.fstatSync(descriptor).ino;
    const flushed: [descriptor: number, inode: number][] = [];
    const flush = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      flushed.push([descriptor, inodeOf(descriptor)]);
    });
    syncBuiltinESMExports();
    openNotes(join(folder, 'a', 'b', 'notes.db'));
    flush.mockRestore();
    syncBuiltinESMExports();
    const inodes = [folder, join(folder, 'a')].map((path) => fs.statSync(path).ino);
    expect(flushed.map(([, inode]) => inode)).toEqual(inodes);
    // Closed descriptors are in use for other files by now.
    expect(flushed.map(([descriptor]) => inodeOf(descriptor))).not.toEqual(
      expect.arrayContaining(inodes.slice(0, 1)),
    );
  });

  it('leaves a file of the latest version as it is', async () => {
    const path = temporaryPath();
    await openNotes(path).close();
    const bytes = readFileSync(path);
    await openNotes(path).close();
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('uses a write-ahead log, which it removes when it is closed', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    expect(existsSync(`${path}-wal`)).toBe(true);
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('rejects a file that is not a database without modifying it, and names it', () => {
    const path = join(temporaryFolder(), 'notes.txt');
    const text = 'A shopping list, which is by no means a database. '.repeat(50);
    writeFileSync(path, text);
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        name: 'StoreError',
        code: 'STORE_NOT_A_DATABASE',
        message: expect.stringContaining(`The store ${path} is not an SQLite database`),
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('rejects a folder', () => {
    const path = temporaryFolder();
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_UNREACHABLE',
        message: expect.stringContaining(path),
      }),
    );
  });

  it('rejects a device', () => {
    expect(() => openNotes('/dev/null')).toThrow(
      expect.objectContaining({
        code: 'STORE_UNREACHABLE',
        message: 'The store /dev/null is not a regular file. Set NOTES_PATH to another file.',
      }),
    );
  });

  it.each([
    ['below a file', (folder: string) => join(folder, 'file', 'notes.db')],
    ['two levels below a file', (folder: string) => join(folder, 'file', 'a', 'notes.db')],
    ['below a broken link', (folder: string) => join(folder, 'link', 'notes.db')],
  ])('rejects a path %s', (_, pathIn) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'missing'), join(folder, 'link'));
    const path = pathIn(folder);
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        name: 'StoreError',
        code: 'STORE_UNREACHABLE',
        message: expect.stringContaining(`The store ${path} `),
      }),
    );
  });

  it('rejects a damaged database', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    await store.close();
    truncateSync(path, 5_000);
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_NOT_A_DATABASE',
        message: expect.stringContaining(path),
      }),
    );
  });

  it('rejects writes while another process holds the lock, and recovers', async () => {
    const path = temporaryPath();
    const store = openNotes(path, { timeout: 200 });
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    await expect(store.write('add', 'Ada')).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining(path),
      isTransient: true,
    });
    raw.exec('ROLLBACK');
    // A loaded machine may need more time than the timeout of a write.
    await vi.waitFor(() => store.write('add', 'Bob'), 60_000);
    expect(new Set(textsOf(store))).toEqual(new Set(['Bob']));
  });

  it('waits for the writes of another process while opening', async () => {
    const path = temporaryPath();
    await writing(path);
    const store = openNotes(path);
    expect(textsOf(store)).toEqual([]);
  });

  it('reads what another store has written to the same file', async () => {
    const path = temporaryPath();
    const [one, other] = [openNotes(path), openNotes(path)];
    await one.write('add', 'Ada');
    await other.write('add', 'Bob');
    expect([textsOf(one), textsOf(other)]).toEqual([
      ['Ada', 'Bob'],
      ['Ada', 'Bob'],
    ]);
  });

  it('reads a snapshot while another process writes', () => {
    const path = temporaryPath();
    const store = openNotes(path);
    const raw = openRaw(path);
    const counts = store.snapshot(({ texts }) => {
      const before = texts.all(-1).length;
      raw.exec("INSERT INTO notes (text) VALUES ('Ada')");
      return [before, texts.all(-1).length];
    });
    expect(counts).toEqual([0, 0]);
    expect(textsOf(store)).toEqual(['Ada']);
  });

  it.each(['read', 'snapshot'] as const)('stays usable after a failed %s', async (method) => {
    const store = openNotes(temporaryPath());
    await store.write('add', 'Ada');
    expect(() => store[method](({ texts }) => texts.all(1.5))).toThrow(
      expect.objectContaining({ code: 'STORE_FAILED', cause: expect.any(Error) }),
    );
    expect(store[method](({ texts }) => texts.all(1))).toEqual([{ text: 'Ada' }]);
  });

  it('rejects every call but close once it is closed', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    await store.close();
    const closed = {
      code: 'STORE_CLOSED',
      message: `The store ${path} is closed. Open a new one.`,
    };
    for (const work of [
      () => store.read(() => 1),
      () => store.snapshot(() => 1),
      () => store.check(),
    ]) {
      expect(work).toThrow(expect.objectContaining(closed));
    }
    await expect(store.write('add', 'Ada')).rejects.toMatchObject(closed);
    await store.close();
  });

  it.each(['read', 'snapshot'] as const)(
    'rethrows the errors of the caller from %s unchanged',
    async (method) => {
      const store = openNotes(temporaryPath());
      const error = Object.assign(new Error('There is no such note.'), { status: 404 });
      const work = () => {
        throw error;
      };
      expect(() => store[method](work)).toThrow(error);
      await store.write('add', 'Ada');
      expect(textsOf(store)).toEqual(['Ada']);
    },
  );

  it.each(['read', 'snapshot'] as const)('explains a mistake in the SQL of %s', (method) => {
    const path = temporaryPath();
    const raw = openRaw(path);
    const store = openNotes(path);
    expect(() => store[method](() => raw.exec('SELEC 1'))).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: `The store ${path} cannot run a query (near "SELEC": syntax error). Correct its SQL.`,
      }),
    );
  });

  it('warns about a timeout that looks like seconds, unless it is intended', async () => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    await openSqlite(temporaryPath(), { ...NOTES, timeout: 5 }).close();
    const [[message, options] = []] = emit.mock.calls as readonly (readonly unknown[])[];
    expect(options).toMatchObject({ code: 'FAIRLEAD_OPTION' });
    expect(message).toMatch(
      /^The timeout of openSqlite\(\) is 5 milliseconds\. If you mean seconds, multiply by 1,000; otherwise pass the options to intended\(\)\.\n {2}At: test\/sqlite\.test\.ts:\d+:\d+$/,
    );
    await openSqlite(temporaryPath(), markIntended({ ...NOTES, timeout: 5 })).close();
    await openSqlite(temporaryPath(), { ...NOTES, timeout: 100 }).close();
    expect(emit).toHaveBeenCalledOnce();
  });

  it('is closed by `await using`', async () => {
    const path = temporaryPath();
    const open = async () => {
      await using store = openSqlite(path, NOTES);
      await store.write('add', 'Ada');
      return store;
    };
    const store = await open();
    expect(() => store.check()).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('resolves a relative path and names the file by it', async () => {
    const path = temporaryPath();
    const store = openNotes(relative('.', path));
    await store.close();
    expect(() => store.check()).toThrow(`The store ${path} is closed`);
  });

  it('marks the file, and migrates it from an earlier version', async () => {
    const path = temporaryPath();
    const before = openNotes(path, { migrations: [CREATE_NOTES] });
    await before.write('add', 'Ada');
    await before.close();
    const marks =
      'SELECT user_version AS version, application_id AS id, (SELECT count(*) FROM sqlite_schema) AS objects FROM pragma_user_version, pragma_application_id';
    expect(openRaw(path).prepare(marks).get()).toEqual({ version: 1, id: 0x6e6f7465, objects: 1 });
    expect(textsOf(openNotes(path))).toEqual(['Ada']);
    expect(openRaw(path).prepare(marks).get()).toEqual({ version: 2, id: 0x6e6f7465, objects: 2 });
  });

  it('migrates completely or not', () => {
    const path = temporaryPath();
    const migrations = [CREATE_NOTES, 'CREATE TABLE notes (id TEXT)'];
    expect(() => openNotes(path, { migrations })).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: at(
          `The store ${path} cannot run migration 2 (table notes already exists). Correct its SQL.`,
        ),
      }),
    );
    expect(openRaw(path).prepare('SELECT * FROM sqlite_schema').all()).toEqual([]);
  });

  describe('with foreign keys', () => {
    const CREATE = `CREATE TABLE authors (name TEXT PRIMARY KEY);
      CREATE TABLE books (author TEXT NOT NULL REFERENCES authors ON DELETE CASCADE);
      INSERT INTO authors VALUES ('Ada'); INSERT INTO books VALUES ('Ada')`;

    it('keeps the rows that refer to a table which a migration replaces', () => {
      const path = temporaryPath();
      const replace = `CREATE TABLE authors2 (name TEXT PRIMARY KEY, born INTEGER);
        INSERT INTO authors2 (name) SELECT name FROM authors;
        DROP TABLE authors; ALTER TABLE authors2 RENAME TO authors`;
      openNotes(path, { migrations: [CREATE_NOTES, CREATE] });
      openNotes(path, { migrations: [CREATE_NOTES, CREATE, replace] });
      expect(openRaw(path).prepare('SELECT author FROM books').all()).toEqual([{ author: 'Ada' }]);
    });

    it('rejects a migration that leaves rows without the row that they refer to', () => {
      const path = temporaryPath();
      const migrations = [CREATE_NOTES, CREATE, 'DELETE FROM authors'];
      expect(() => openNotes(path, { migrations })).toThrow(
        expect.objectContaining({
          code: 'STORE_FAILED',
          message: at(
            `The migrations of the store ${path} break a foreign key: a row of books refers to a row of authors that does not exist. Correct the last migration.`,
          ),
        }),
      );
      expect(openRaw(path).prepare('SELECT * FROM sqlite_schema').all()).toEqual([]);
    });
  });

  it('refuses to write in read()', () => {
    const path = temporaryPath();
    const store = openNotes(path, {
      prepare: (database) => ({
        texts: database.prepare("DELETE FROM notes WHERE text <> '' || ?"),
      }),
    });
    expect(() => textsOf(store)).toThrow('attempt to write a readonly database');
  });

  it('rejects a database with a newer schema without modifying it', () => {
    const path = temporaryPath();
    const bytes = writeDatabase(
      path,
      `${CREATE_NOTES}; PRAGMA application_id = 0x6e6f7465; PRAGMA user_version = 99`,
    );
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_INCOMPATIBLE',
        message:
          `The store ${path} has schema version 99, but this notes supports versions up to 2. ` +
          'Run a newer notes, or set NOTES_PATH to another file.',
      }),
    );
    expect(readFileSync(path)).toEqual(bytes);
  });

  it.each([
    ['without a schema version', 'CREATE TABLE songs (title TEXT)'],
    ['with a schema version of ours', `PRAGMA user_version = 1; ${CREATE_NOTES}`],
    ['with another application id', `PRAGMA application_id = 7; ${CREATE_NOTES}`],
  ])('rejects a database of another program %s without modifying it', (_, sql) => {
    const path = temporaryPath();
    const bytes = writeDatabase(path, sql);
    expect(() => openNotes(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_INCOMPATIBLE',
        message: `The store ${path} is a database of another program. Set NOTES_PATH to another file.`,
      }),
    );
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('accepts a database without the application id that isOurs recognizes, and marks it', () => {
    const path = temporaryPath();
    writeDatabase(path, `PRAGMA user_version = 1; ${CREATE_NOTES}`);
    const isOurs = vi.fn((database: DatabaseSync, version: number) => {
      return version === 1 && database.prepare('SELECT * FROM notes').all().length === 0;
    });
    const store = openSqlite(path, { ...NOTES, isOurs });
    onTestFinished(() => store.close());
    expect(isOurs).toHaveBeenCalled();
    expect(textsOf(openNotes(path))).toEqual([]);
  });

  it('names and closes the file when a released migration was edited', async () => {
    const path = temporaryPath();
    await openNotes(path, { migrations: [CREATE_NOTES] }).close();
    const migrations = [CREATE_NOTES.replace('text TEXT', 'text TEXT, time TEXT')];
    const statements = { ...NOTES.statements, add: 'INSERT INTO notes (time) VALUES (?)' };
    expect(() => openNotes(path, { migrations, statements })).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: at(
          `The store ${path} cannot run the statement 'add' (table notes has no column named time). ` +
            'Correct its SQL, or append a migration that creates what is missing. ' +
            'Never edit a migration that you have released.',
        ),
      }),
    );
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('names the migration whose rows violate a constraint', () => {
    const path = temporaryPath();
    const migrations = [CREATE_NOTES, "INSERT INTO notes VALUES (1, 'a'), (1, 'b')"];
    expect(() => openNotes(path, { migrations })).toThrow(
      expect.objectContaining({
        code: 'STORE_CONSTRAINT',
        message: expect.stringContaining('migration 2, which violates a constraint (UNIQUE '),
      }),
    );
  });

  it('explains a mistake in the SQL of prepare', () => {
    const path = temporaryPath();
    const prepare = (database: DatabaseSync) => ({ texts: database.prepare('SELEC text') });
    expect(() => openNotes(path, { prepare })).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: at(
          `The store ${path} cannot run a query of prepare() (near "SELEC": syntax error). Correct its SQL.`,
        ),
      }),
    );
  });

  it('rethrows other errors of prepare unchanged, and closes the file', () => {
    const path = temporaryPath();
    const error = new TypeError('Not a function.');
    const prepare = () => {
      throw error;
    };
    expect(() => openNotes(path, { prepare })).toThrow(error);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  const ONE = 'DELETE FROM notes WHERE id = ?';

  it.each<[string, readonly number[], readonly string[]]>([
    [`${ONE};`, [1], []],
    [` -- Removes; a note.\n ${ONE} ; ;\n-- Done; really.\n/* The end; */ /* or not`, [1], []],
    ["INSERT INTO notes (text) VALUES ('; -- /*')", [], ['Milk', '; -- /*']],
  ])('runs one statement with comments: %j', async (add, values, texts) => {
    const store = openNotes(temporaryPath(), { statements: { ...NOTES.statements, add } });
    await store.write('insert', 1, 'Milk');
    await store.write('add', ...values);
    expect(textsOf(store)).toEqual(texts);
  });

  it.each([`${ONE}; ${ONE}`, `${ONE}; -- First.\n SELEC`, `${ONE};\0${ONE}`])(
    'rejects several statements, which SQLite would ignore: %j',
    (add) => {
      const statements = { ...NOTES.statements, add };
      expect(() => openNotes(temporaryPath(), { statements })).toThrow(
        mistake(
          'INVALID_OPTION',
          'openSqlite() cannot use several SQL statements as statements.add. ' +
            'Use one statement, and a trigger in a migration for other effects of the write.',
        ),
      );
    },
  );

  it.each([':text', '@text', '$text', ':é'])('rejects a parameter with a name: %s', (name) => {
    const add = `INSERT INTO notes (text) VALUES (coalesce(${name}, ?))`;
    const statements = { ...NOTES.statements, add };
    expect(() => openNotes(temporaryPath(), { statements })).toThrow(
      mistake(
        'INVALID_OPTION',
        `openSqlite() cannot use SQL with the parameter ${name} as statements.add. Use a ? for each parameter.`,
      ),
    );
  });

  it('accepts text and names that look like a parameter', async () => {
    const add = 'INSERT INTO notes (text) VALUES (\':a\' || ?) RETURNING text AS "@b" -- $c';
    const store = openNotes(temporaryPath(), { statements: { ...NOTES.statements, add } });
    expect(await store.write('add', 'd')).toEqual({ '@b': ':ad' });
  });

  it.each(['', ' ;\n', '-- DELETE\n/* FROM'])('rejects a statement without SQL: %j', (add) => {
    const statements = { ...NOTES.statements, add };
    expect(() => openNotes(temporaryPath(), { statements })).toThrow(
      mistake(
        'INVALID_OPTION',
        'openSqlite() cannot use text without SQL as statements.add. Use one statement.',
      ),
    );
  });

  it.each(['', ':memory:', 'file:notes.db', 'FILE:notes.db?mode=memory', 'a\0b'])(
    'rejects a path that is not that of a file: %j',
    (path) => {
      const text = describeValue(path);
      expect(() => openSqlite(path, NOTES)).toThrow(
        mistake(
          'INVALID_OPTION',
          `path of openSqlite() must be the path of a file, such as join(folder, 'test.db') with a folder from mkdtemp(): got ${text}.`,
        ),
      );
      expect(existsSync(path)).toBe(false);
    },
  );

  it('counts commits, and the commits and time that waited for another process', async () => {
    const path = temporaryPath();
    const store = openNotes(path);
    await Promise.all([store.write('add', 'Ada'), store.write('add', 'Ada')]);
    expect(metricsOf(store)).toEqual({
      store_waiting_writes: 0,
      store_commits_total: 1,
      store_lock_waits_total: 0,
      store_lock_wait_seconds_total: 0,
      store_writes_failing: 0,
    });
    await writing(path);
    const start = performance.now();
    await store.write('add', 'Ada');
    const seconds = (performance.now() - start) / 1_000;
    expect(metricsOf(store)).toEqual({
      store_waiting_writes: 0,
      store_commits_total: 2,
      store_lock_waits_total: 1,
      store_lock_wait_seconds_total: expect.any(Number),
      store_writes_failing: 0,
    });
    expect(metricsOf(store).store_lock_wait_seconds_total).toBeGreaterThan(0);
    expect(metricsOf(store).store_lock_wait_seconds_total).toBeLessThanOrEqual(seconds);
  });

  it('reports every invalid option', () => {
    const path = temporaryPath();
    const options = {
      ...NOTES,
      applicationId: 0,
      setting: undefined,
      migrations: [],
      statements: { add: 7 },
      timout: 1,
    };
    expect(() => openSqlite('', options as never)).toThrow(
      mistake(
        'INVALID_OPTION',
        [
          "path of openSqlite() must be the path of a file, such as join(folder, 'test.db') with a folder from mkdtemp(): got ''.",
          'applicationId of openSqlite() must be an integer from 1 to 2147483647: got 0.',
          'migrations of openSqlite() must be a non-empty array of SQL strings: got [].',
          'statements of openSqlite() must be an object of SQL strings by name: got an object.',
          "openSqlite() has no option 'timout'. Did you mean 'timeout'?",
          'openSqlite() needs the option setting. Use a non-empty string.',
        ].join('\n'),
      ),
    );
    expect(existsSync(path)).toBe(false);
  });

  it('reports missing options', () => {
    expect(() => openSqlite(temporaryPath(), undefined as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('openSqlite() needs the option prepare. Use a function.'),
      }),
    );
  });
});
