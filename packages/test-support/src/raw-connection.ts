import { connect, type Socket } from 'node:net';

/** A TCP connection for requests written by hand. */
export interface RawConnection {
  readonly socket: Socket;
  /** Resolves with the complete responses once there are at least `count` of them. */
  responses(count: number): Promise<string[]>;
  /** Resolves with everything received, once the connection is closed. */
  ended(): Promise<string>;
}

/**
 * Opens a connection to a local port.
 *
 * @param socket - A socket that is connected to the port, such as a TLS socket.
 */
export function connectRaw(port: number, socket = connect(port, '127.0.0.1')): RawConnection {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let received = '';
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    received += chunk;
  });
  return {
    socket,
    responses: (count) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const complete = splitResponses(received);
          if (complete.length < count) return;
          socket.off('data', check);
          resolve(complete);
        };
        socket.on('data', check);
        check();
        void closed.then(() => reject(new Error(`The connection closed after: ${received}`)));
      }),
    ended: async () => {
      await closed;
      return received;
    },
  };
}

/** Sends a text on a new connection and returns everything received until the server closes it. */
export function exchange(port: number, text: string): Promise<string> {
  const connection = connectRaw(port);
  connection.socket.write(text);
  return connection.ended();
}

/** Returns the complete responses at the start of a text. Each one has a `Content-Length`. */
function splitResponses(text: string): string[] {
  const responses: string[] = [];
  let rest = text;
  for (;;) {
    const head = rest.indexOf('\r\n\r\n') + 4;
    const length = Number(/^content-length: (\d+)/im.exec(rest.slice(0, head))?.[1]);
    if (head < 4 || !(rest.length >= head + length)) return responses;
    responses.push(rest.slice(0, head + length));
    rest = rest.slice(head + length);
  }
}
