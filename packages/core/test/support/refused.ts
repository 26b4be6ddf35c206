import { once } from 'node:events';
import { connect } from 'node:net';

/** Resolves once nobody listens on a port any more. */
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
