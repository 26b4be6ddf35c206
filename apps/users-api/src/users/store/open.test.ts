import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT } from '../../../test/support/stores.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { MemoryUserStore } from './memory.js';
import { describeStore, openStore } from './open.js';
import { SqliteUserStore } from './sqlite/sqlite-user-store.js';

describe('openStore', () => {
  it('opens a memory store', async () => {
    expect(await openStore({ kind: 'memory' })).toBeInstanceOf(MemoryUserStore);
  });

  it('opens an SQLite store', async () => {
    const store = await openStore({ kind: 'sqlite', path: join(temporaryFolder(), 'users.db') });
    onTestFinished(async () => {
      await store.close();
    });
    expect(store).toBeInstanceOf(SqliteUserStore);
  });
});

describe('describeStore', () => {
  it('returns a URL like DATABASE_URL', () => {
    expect(describeStore({ kind: 'memory' })).toBe('memory:');
    expect(describeStore({ kind: 'sqlite', path: '/data/users.db' })).toBe('sqlite:/data/users.db');
  });

  it('omits user, password and parameters of a PostgreSQL URL', () => {
    const url = 'postgresql://ada:s3cret@db:5433/users?password=s3cret';
    expect(describeStore({ kind: 'postgres', url, ...PATIENT })).toBe('postgres://db:5433/users');
  });
});
