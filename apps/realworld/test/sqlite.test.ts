import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeConduit } from './support/contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'conduit-'));
afterAll(() => rmSync(folder, { recursive: true }));

describeConduit('SQLite', () => join(folder, 'conduit.db'));
