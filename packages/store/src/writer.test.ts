import { describe, expect, it, onTestFinished } from 'vitest';
import { NOTES, openNotes, openRaw, temporaryPath } from '../test/support/notes.js';
import { FileWatch, rememberFiles, type SqliteWrite } from './connection.js';
import { SqliteWriter } from './writer.js';

/** A writer to a new file, and a connection like that of another process. */
function openWriter() {
  const path = temporaryPath();
  openNotes(path);
  const files = rememberFiles(path);
  const { statements, program, setting } = NOTES;
  const writer = new SqliteWriter({
    file: { path, program, setting },
    files,
    watch: new FileWatch(files),
    statements,
    maxPages: 0,
    timeout: 7,
    warn: process.emitWarning,
  });
  onTestFinished(() => writer.close());
  const raw = openRaw(path);
  const texts = () => raw.prepare('SELECT text FROM notes').all();
  return { path, writer, raw, texts };
}

function add(text: string): SqliteWrite {
  return ['add', text];
}

describe('SqliteWriter', () => {
  it('never makes a write that was given up while another process held the lock', async () => {
    const { path, writer, raw, texts } = openWriter();
    raw.exec('BEGIN IMMEDIATE');
    const committed = writer.commit([add('a'), add('b'), add('c')]);
    expect([writer.giveUp(1), writer.giveUp(2)]).toMatchObject(
      Array.from({ length: 2 }, () => ({
        code: 'STORE_LOCKED',
        message:
          `The store ${path} could not start a write within 7 ms and dropped it. End the ` +
          'process that locks the file, or try again later.',
      })),
    );
    raw.exec('ROLLBACK');
    await committed;
    expect(texts()).toEqual([{ text: 'c' }]);
  });

  it('stops waiting for the lock once every write is given up', async () => {
    const { writer, raw, texts } = openWriter();
    await writer.commit([add('a')]);
    raw.exec('BEGIN IMMEDIATE');
    const committed = writer.commit([add('b'), add('c')]);
    const locked = { code: 'STORE_LOCKED' };
    expect(writer.giveUp(2)).toMatchObject(locked);
    expect(await committed).toMatchObject([locked, locked]);
    raw.exec('ROLLBACK');
    await writer.commit([add('d')]);
    expect(texts()).toEqual([{ text: 'a' }, { text: 'd' }]);
  });

  it('reports an unknown outcome for a write that was given up too late', async () => {
    const { path, writer, texts } = openWriter();
    await writer.commit([add('a')]);
    expect(writer.giveUp(1)).toMatchObject({
      code: 'STORE_INTERRUPTED',
      message: `The store ${path} did not finish a write within 7 ms but may still make it. Check the disk.`,
    });
    expect(texts()).toEqual([{ text: 'a' }]);
  });
});
