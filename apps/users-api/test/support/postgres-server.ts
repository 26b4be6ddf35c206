import { startPostgres } from '@fairlead/test-support/postgres-server';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run. Each test creates its own schema in it. */
    postgresUrl: string;
  }
}

/** Starts PostgreSQL for the test run. Returns a function that stops it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startPostgres();
  provide('postgresUrl', url);
  return stop;
}
