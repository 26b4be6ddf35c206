import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The end of a response: ReadyForQuery, outside a transaction. */
const READY = Buffer.from('Z\0\0\0\u0005I');

/** The error that `pg_terminate_backend` sends to a session. */
const FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0';
const TERMINATED = Buffer.from(`E\0\0\0${String.fromCharCode(FIELDS.length + 4)}${FIELDS}`);

/** Forwards a response of the database, or ends the connection. */
type Act = (client: Socket, response: Buffer) => unknown;

export const pass: Act = (client, response) => client.write(response);
export const endAfterwards: Act = (client, response) =>
  client.end(Buffer.concat([response, TERMINATED]));
export const endInstead: Act = (client) => client.end(TERMINATED);
export const endSilently: Act = (client) => client.end();
export const ignore: Act = () => {};

/** A proxy for PostgreSQL whose connections the test can terminate. */
export class DatabaseProxy {
  /** How to treat the next responses, including the one that opens a connection. All others pass. */
  acts: Act[] = [];
  readonly #clients: Socket[] = [];
  readonly #server = createServer((client) => this.#serve(client));
  #database: URL;

  constructor(database: string) {
    this.#database = new URL(database);
  }

  /** Starts listening and returns the URL of the database through this proxy. */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void this.#server.close());
    const url = new URL(this.#database);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Ends all connections, and forwards later ones to another server. */
  failOver(database: string): void {
    this.#database = new URL(database);
    this.endAll();
  }

  endAll(): void {
    for (const client of this.#clients) client.destroy();
  }

  #serve(client: Socket): void {
    this.#clients.push(client);
    const database = connect(Number(this.#database.port), this.#database.hostname);
    client.on('error', () => {}).on('close', () => database.destroy());
    database.on('error', () => {}).on('close', () => client.end());
    client.pipe(database);
    database.on('data', (response) => {
      const act = response.subarray(-READY.length).equals(READY) ? this.acts.shift() : pass;
      (act ?? pass)(client, response);
    });
  }
}
