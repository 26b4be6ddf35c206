import autocannon from 'autocannon';
import type { LoopDelay } from './messages.js';
import type { ServerProcess } from './server-process.js';

/** How many requests are under way at once. */
export const CONNECTIONS = 64;

/** What one slice of time has shown. */
export interface Slice {
  /** Creates that were answered, per second. */
  readonly rate: number;
  /** Latency of all but the slowest hundredth, in milliseconds. */
  readonly p99: number;
  readonly delay: LoopDelay;
}

/**
 * Creates users as fast as they are acknowledged.
 *
 * @param server - Where.
 * @param seconds - How long.
 * @throws {Error} When a request fails or is answered with another status than 201.
 */
export async function measureCreates(server: ServerProcess, seconds: number): Promise<Slice> {
  await server.beginDelay();
  const result = await autocannon({
    url: `${server.url}/api/users`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com' }),
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx + result.errors > 0) {
    throw new Error(`${server.url}: ${result.non2xx} wrong answers, ${result.errors} errors.`);
  }
  return {
    rate: result['2xx'] / result.duration,
    p99: result.latency.p99,
    delay: await server.readDelay(),
  };
}
