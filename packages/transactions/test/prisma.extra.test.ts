import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransactions } from '../src/index.js';
import { type PrismaDatabase, type PrismaQueries, prismaAdapter } from '../src/prisma.js';
import { testLibrary, using } from './support/contract.js';
import { items, pool, useDatabase } from './support/database.js';

useDatabase();

/** The newest version. It is too large for the dependencies of this repository. */
const VERSION = '7.10.0';

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "./generated"
}
datasource db {
  provider = "postgresql"
}
model Order {
  item     String @id
  customer Int    @default(1)
  @@map("orders")
}
`;
const CONFIG = `
import { defineConfig } from 'prisma/config';
export default defineConfig({ schema: 'schema.prisma', datasource: { url: 'postgres://unused' } });
`;

interface Queries extends PrismaQueries {
  readonly order: { create(options: { data: { item: string } }): Promise<object> };
}

interface Prisma extends PrismaDatabase<Queries>, Queries {
  $disconnect(): Promise<void>;
}

const run = promisify(execFile);
let folder: string;
let prisma: Prisma;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-prisma-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  await writeFile(join(folder, 'schema.prisma'), SCHEMA);
  await writeFile(join(folder, 'prisma.config.ts'), CONFIG);
  const packages = ['prisma', '@prisma/client', '@prisma/adapter-pg'].map(
    (name) => `${name}@${VERSION}`,
  );
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags, ...packages], { cwd: folder });
  // Only migrations need the engine, which would be downloaded.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  };
  const generate = ['node_modules/prisma/build/index.js', 'generate'];
  await run(process.execPath, generate, { cwd: folder, env });
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href);
  const { PrismaClient } = await load('generated/client.ts');
  const { PrismaPg } = await load('node_modules/@prisma/adapter-pg/dist/index.mjs');
  const { connectionString } = pool.options;
  prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 8 }) });
}, 600_000);

afterAll(async () => {
  await prisma.$disconnect();
  await rm(folder, { recursive: true, force: true });
});

const open = () => prismaAdapter(prisma, { timeout: 60_000, maxWait: 60_000 });

describe('transactions of Prisma', () => {
  testLibrary(() => using(open()));

  it('run the statements of models', async () => {
    const db = createTransactions(open());
    await db.run(() => db.client.order.create({ data: { item: 'kept' } }));
    const failing = db.run(async () => {
      await db.client.order.create({ data: { item: 'lost' } });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await items()).toEqual(['kept']);
  });
});
