import { once } from 'node:events';
import { type Application, type ListenOptions, listen, type Server } from '@fairlead/core';
import { connectRaw, type RawConnection } from '@fairlead/test-support/raw-connection';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

/** Listens on a free port until the test finishes. */
export async function serve(app: Application, options: ListenOptions = {}): Promise<Server> {
  const server = await listen(app, 0, { host: '127.0.0.1', ...options });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}

/** A client that has not connected yet. Errors that no test waits for are ignored. */
export function connect({ port }: Server, path: string, options: ClientOptions = {}): WebSocket {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    perMessageDeflate: false,
    ...options,
  });
  client.on('error', () => undefined);
  onTestFinished(() => client.terminate());
  return client;
}

/** Connects a client. */
export async function open(
  server: Server,
  path: string,
  options: ClientOptions = {},
): Promise<WebSocket> {
  const client = connect(server, path, options);
  await once(client, 'open');
  return client;
}

/** Returns the next message as text. */
export async function next(client: WebSocket): Promise<string> {
  const [data] = await once(client, 'message');
  return String(data);
}

/** Returns why a connection closes. */
export async function closing(client: WebSocket): Promise<string> {
  const [code, reason] = await once(client, 'close');
  return `${code} ${reason}`.trim();
}

/** The headers of a valid handshake. */
export const HANDSHAKE = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
} as const;

/** Writes a handshake with changed headers; undefined omits one. */
export function handshake(path: string, changes: Record<string, string | undefined> = {}): string {
  const lines = Object.entries({ ...HANDSHAKE, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}`,
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Opens a connection for frames written by hand. */
export async function openRaw({ port }: Server, path: string): Promise<RawConnection> {
  const raw = connectRaw(port);
  onTestFinished(() => void raw.socket.destroy());
  raw.socket.write(handshake(path));
  await once(raw.socket, 'data');
  return raw;
}

/** Formats a frame with a zero mask. */
export function frame(
  opcode: number,
  payload: string | Buffer = '',
  { masked = true, final = true, length = Buffer.byteLength(payload) } = {},
): Buffer {
  const head = [(final ? 0x80 : 0) | opcode];
  const mask = masked ? 0x80 : 0;
  if (length < 126) head.push(mask | length);
  else if (length < 65_536) head.push(mask | 126, length >> 8, length & 255);
  else {
    const long = Buffer.alloc(8);
    long.writeBigUInt64BE(BigInt(length));
    head.push(mask | 127, ...long);
  }
  const key = masked ? [0, 0, 0, 0] : [];
  return Buffer.concat([Buffer.from([...head, ...key]), Buffer.from(payload)]);
}

export const [TEXT, CONTINUATION, CLOSE, PING, PONG] = [1, 0, 8, 9, 10];
