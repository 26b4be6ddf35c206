import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to those who ask for any: none is taken by chance. */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/**
 * Finds a TCP port of 127.0.0.1 for a program that cannot be told to take any.
 *
 * @returns One on which nobody listens, and nobody will who has not asked for it by its number.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
