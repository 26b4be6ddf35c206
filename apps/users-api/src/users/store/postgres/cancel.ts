import { once } from 'node:events';
import { connect, isIP, Socket } from 'node:net';
import * as tls from 'node:tls';
import type pg from 'pg';

const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;

/**
 * Asks the database to cancel the current statement of a connection. A request needs no session, so it succeeds even if
 * the database accepts no more of them. The statement fails or, if it only waits for its commit to be replicated,
 * succeeds.
 *
 * @param timeout - Maximum time, in milliseconds.
 * @throws {Error} When the request cannot be sent. Its effect is unknown in any case.
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export async function cancelStatement(client: pg.Client, timeout: number): Promise<void> {
  const request = cancelRequest(client);
  // Other engines have no keys.
  if (request === undefined) return;
  const signal = AbortSignal.timeout(timeout);
  const socket = connect({ ...addressOf(client), signal });
  // Between the steps, nothing listens for errors. The next step fails.
  socket.on('error', () => {});
  let secure: Socket = socket;
  try {
    await once(socket, 'connect', { signal });
    if (client.ssl) secure = await encrypt(socket, client, signal);
    // PgBouncer 1.18 crashes if the client closes the connection first.
    secure.write(request);
    secure.resume();
    // The database closes the connection after it has sent the signal.
    await once(secure, 'close', { signal });
  } finally {
    secure.destroy();
    socket.destroy();
  }
}

/** Returns the process of a connection, or undefined on an engine that does not tell. */
export function processOf(client: pg.Client): number | undefined {
  const { processID } = Object(client) as { readonly processID?: unknown };
  return typeof processID === 'number' ? processID : undefined;
}

function cancelRequest(client: pg.Client): Buffer | undefined {
  const { secretKey } = Object(client) as { readonly secretKey?: unknown };
  const process = processOf(client);
  if (process === undefined || typeof secretKey !== 'number') return undefined;
  return message(CANCEL_REQUEST, process, secretKey);
}

/** Returns a message without a type: its length and numbers of 32 bits. */
function message(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 + 4 * numbers.length);
  for (const [index, number] of [bytes.length, ...numbers].entries()) {
    bytes.writeInt32BE(number, 4 * index);
  }
  return bytes;
}

/** Returns where the connection leads, which may be one of several addresses of the host. */
function addressOf({ host, port, connection }: pg.Client) {
  const { stream } = connection;
  if (host.startsWith('/')) return { path: `${host}/.s.PGSQL.${port}` };
  const address = stream instanceof Socket ? stream.remoteAddress : undefined;
  return { host: address ?? host, port };
}

async function encrypt(
  socket: Socket,
  { host, ssl }: pg.Client,
  signal: AbortSignal,
): Promise<Socket> {
  socket.write(message(SSL_REQUEST));
  const [reply] = await once(socket, 'data', { signal });
  if (String(reply) !== 'S') throw new Error('The server does not support SSL connections');
  const options: unknown = ssl;
  const secure = tls.connect({
    ...(typeof options === 'object' ? options : {}),
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
  });
  secure.on('error', () => {});
  await once(secure, 'secureConnect', { signal });
  return secure;
}
