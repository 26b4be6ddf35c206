import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Application } from '@fairlead/core';
import { RefusedHandshakeError } from './errors.js';

/** Options of `app.websocket()`. */
export interface TestSocketInit {
  /** Headers of the handshake, such as `Authorization` or `Origin`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The subprotocols to offer. */
  readonly protocols?: readonly string[];
}

/** Why a WebSocket connection has closed. */
export interface TestSocketClose {
  /** 1005 if the application sent none, and 1006 if the connection broke. */
  readonly code: number;
  /** The text that the application sent; often empty. */
  readonly reason: string;
}

/** The client's side of a WebSocket connection. */
export interface TestSocket {
  /** The subprotocol that the application has selected; empty if none. */
  readonly protocol: string;
  /** Resolves when the connection has closed. Never rejects. */
  readonly closed: Promise<TestSocketClose>;
  /** Sends a string as a text message, or bytes as a binary message. */
  send(data: string | Uint8Array): void;
  /**
   * Returns the next message: a string for a text message, a `Buffer` for a binary one.
   *
   * @throws When the connection closes first.
   */
  receive(): Promise<string | Buffer>;
  /** Closes the connection. Resolves when it has closed. */
  close(code?: number, reason?: string): Promise<TestSocketClose>;
}

/**
 * Opens a WebSocket connection to an application, in memory.
 *
 * @throws {RefusedHandshakeError} When the application sends an ordinary response.
 */
export async function openTestSocket(
  app: Application,
  path: string,
  { headers = {}, protocols = [] }: TestSocketInit,
): Promise<TestSocket> {
  // Most tests need no WebSocket.
  const { WebSocket } = await import('ws');
  const ws = new WebSocket(`ws://localhost${path}`, [...protocols], {
    headers: { ...headers },
    perMessageDeflate: false,
    // ws accepts any duplex stream.
    createConnection: () => app.connect() as Socket,
  });
  const messages: (string | Buffer)[] = [];
  let change = Promise.withResolvers<void>();
  const notify = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  ws.on('message', (data, isBinary) => {
    // The default binaryType of ws is a Buffer.
    messages.push(isBinary ? (data as Buffer) : data.toString());
    notify();
  });
  let close: TestSocketClose | undefined;
  const closed = new Promise<TestSocketClose>((resolve) => {
    ws.once('close', (code, reason) => {
      close = { code, reason: reason.toString() };
      resolve(close);
      notify();
    });
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.on('error', reject);
    ws.once('unexpected-response', (_, incoming) => {
      toResponse(incoming).then(
        (response) => reject(new RefusedHandshakeError(path, response)),
        reject,
      );
    });
  });
  return {
    protocol: ws.protocol,
    closed,
    send: (data) => ws.send(data),
    receive: async () => {
      while (messages.length === 0) {
        if (close !== undefined) {
          const { code, reason } = close;
          throw new Error(
            `The connection to ${path} closed with code ${code} and reason '${reason}'.`,
          );
        }
        await change.promise;
      }
      return messages.shift() as string | Buffer;
    },
    close: (code = 1000, reason = '') => {
      ws.close(code, reason);
      return closed;
    },
  };
}

async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const { statusCode: status = 500, rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const body = await buffer(incoming);
  return new Response(body.length === 0 ? null : body, { status, headers });
}
