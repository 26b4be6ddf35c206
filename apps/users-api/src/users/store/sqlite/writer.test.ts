import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRaw, openStore } from '../../../../test/support/sqlite.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { rememberFiles } from './connection.js';
import { SqliteWriter } from './writer.js';
import type { SqliteWrite } from './writer-worker.js';

/** A writer to a new file, and a connection like that of another process. */
function openWriter() {
  const path = join(temporaryFolder(), 'users.db');
  openStore(path);
  const files = rememberFiles(path);
  const options = { path, files, maxPages: 0, timeout: 7, warn: process.emitWarning };
  const writer = new SqliteWriter(options);
  onTestFinished(() => writer.close());
  const raw = openRaw(path);
  const ids = () => raw.prepare('SELECT id FROM users').all();
  return { path, writer, raw, ids };
}

function create(id: string): SqliteWrite {
  return ['create', id, 'Ada', 'ada@example.com', '', ''];
}

describe('SqliteWriter', () => {
  it('never makes a write that was given up while another process held the lock', async () => {
    const { path, writer, raw, ids } = openWriter();
    raw.exec('BEGIN IMMEDIATE');
    const committed = writer.commit([create('a'), create('b'), create('c')]);
    expect([writer.giveUp(1), writer.giveUp(2)]).toMatchObject(
      Array.from({ length: 2 }, () => ({
        code: 'STORE_LOCKED',
        message:
          `The store ${path} could not start a write within 7 ms and has dropped it. End the ` +
          'process that locks the file, or try again later.',
      })),
    );
    raw.exec('ROLLBACK');
    await committed;
    expect(ids()).toEqual([{ id: 'c' }]);
  });

  it('stops waiting for the lock once every write is given up', async () => {
    const { writer, raw, ids } = openWriter();
    raw.exec('BEGIN IMMEDIATE');
    const committed = writer.commit([create('a'), create('b')]);
    writer.giveUp(2);
    const locked = { code: 'STORE_LOCKED' };
    expect(await committed).toMatchObject([locked, locked]);
    raw.exec('ROLLBACK');
    await writer.commit([create('c')]);
    expect(ids()).toEqual([{ id: 'c' }]);
  });

  it('reports an unknown outcome for a write that was given up too late', async () => {
    const { path, writer, ids } = openWriter();
    await writer.commit([create('a')]);
    expect(writer.giveUp(1)).toMatchObject({
      code: 'STORE_INTERRUPTED',
      message: `The store ${path} did not finish a write within 7 ms but may still make it. Check the disk.`,
    });
    expect(ids()).toEqual([{ id: 'a' }]);
  });
});
