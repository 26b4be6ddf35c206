import { connect, type Socket } from 'node:net';

/** A connection on which a test writes bytes as it likes. */
export interface RawConnection {
  readonly socket: Socket;
  /** Resolves with everything that has come once `count` complete responses are among it. */
  responses(count: number): Promise<string[]>;
  /** Resolves with everything that came, once the server has ended the connection. */
  ended(): Promise<string>;
}

/** Opens a connection to a port of this machine. */
export function connectRaw(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1');
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
        const look = () => {
          const complete = splitResponses(received);
          if (complete.length < count) return;
          socket.off('data', look);
          resolve(complete);
        };
        socket.on('data', look);
        look();
        void closed.then(() => reject(new Error(`The connection ended after: ${received}`)));
      }),
    ended: async () => {
      await closed;
      return received;
    },
  };
}

/** Sends a text on a connection of its own and returns all that comes back until the server ends it. */
export function exchange(port: number, text: string): Promise<string> {
  const connection = connectRaw(port);
  connection.socket.write(text);
  return connection.ended();
}

/** The complete responses at the start of a text; each has a `Content-Length`. */
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
