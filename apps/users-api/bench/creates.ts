import autocannon from 'autocannon';
import type { LoopDelay } from './messages.js';
import type { ServerProcess } from './server-process.js';

/** Number of concurrent connections, each with one request at a time. */
export const CONNECTIONS = 64;

/** Results of one time slice. */
export interface Slice {
  /** Creates per second. */
  readonly rate: number;
  /** 99th percentile of the latency, in milliseconds. */
  readonly p99: number;
  readonly delay: LoopDelay;
}

/**
 * Measures how fast a server creates users.
 *
 * @param server - The server to load.
 * @param seconds - Duration of the slice.
 * @throws {Error} When a request fails or its response does not have a 2xx status.
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
    throw new Error(
      `${server.url}: ${result.non2xx} unexpected statuses, ${result.errors} errors.`,
    );
  }
  return {
    rate: result['2xx'] / result.duration,
    p99: result.latency.p99,
    delay: await server.readDelay(),
  };
}
