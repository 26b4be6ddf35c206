import { once } from 'node:events';
import { connect } from 'node:net';

/** Resolves when no server listens on the port. */
export async function refused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
    } catch {
      return;
    } finally {
      socket.destroy();
    }
  }
}
