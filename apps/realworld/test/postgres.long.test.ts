import { startPostgres } from '@fairlead/test-support/postgres-server';
import { afterAll, beforeAll } from 'vitest';
import { describeConduit } from './support/contract.ts';

let server: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeConduit('PostgreSQL', () => server.url);
