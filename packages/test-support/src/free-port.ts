import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral range, so the system never assigns one of these ports to another process. */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/**
 * Finds a free TCP port on 127.0.0.1 for a program that cannot listen on port 0.
 *
 * @returns A port that no process listens on and that the system does not assign automatically.
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
