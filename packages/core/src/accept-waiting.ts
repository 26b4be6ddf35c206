import type { Server } from 'node:net';

/** How many connections the system lets wait for a listening server; node's own default. */
const BACKLOG = 511;

/**
 * Accepts the connections that wait by now: their clients take them for open and may have sent
 * a request, and the system resets them when the server stops to listen.
 *
 * @param server - A server that listens.
 * @returns Resolves when none waits, or as many were accepted as can have waited.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let before = -1; before < accepted && accepted < BACKLOG; ) {
    before = accepted;
    // The event loop accepts at least one, if one waits, between the first and the second.
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', count);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
