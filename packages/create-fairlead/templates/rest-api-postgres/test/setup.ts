import { startPostgres } from './postgres.js';

/** Starts PostgreSQL for the tests, unless `DATABASE_URL` is the URL of a server. */
export default async function setup() {
  if (process.env.DATABASE_URL) return undefined;
  const { url, stop } = await startPostgres();
  process.env.DATABASE_URL = url;
  return async () => {
    // vitest calls this function again if its configuration changes.
    delete process.env.DATABASE_URL;
    await stop();
  };
}
