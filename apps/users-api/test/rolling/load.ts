import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Clients that create, read, list, update and delete users until they are stopped. Half of them reuse
 * connections, and half open a connection for each request.
 */
export class Load {
  /** Number of requests that received the expected status. */
  answered = 0;
  /** Number of other requests by method and status or error code. */
  readonly failures = new Map<string, number>();
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: Promise<unknown>;
  #isStopping = false;

  constructor(port: number, clients: number) {
    this.#port = port;
    const agents = Array.from({ length: clients }, (_, client) =>
      client % 2 === 0 ? this.#agent : false,
    );
    this.#clients = Promise.all(agents.map((agent) => this.#run(agent)));
  }

  /** Stops the clients after their current users. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#clients;
    this.#agent.destroy();
  }

  async #run(agent: Agent | false): Promise<void> {
    while (!this.#isStopping) await this.#useOneUser(agent);
  }

  /** Creates a user, and stops at the first failure, which may change the result of what follows. */
  async #useOneUser(agent: Agent | false): Promise<void> {
    const send = this.#send.bind(this, agent);
    const created = await send('POST', '', 201, { name: 'Ada', email: 'ada@example.com' });
    if (created === undefined) return;
    const path = `/${JSON.parse(created).data.id}`;
    const isDeleted =
      (await send('GET', path, 200)) !== undefined &&
      (await send('PUT', path, 200, { name: 'Ada Lovelace' })) !== undefined &&
      (await send('GET', '?page=1&limit=5', 200)) !== undefined &&
      (await send('DELETE', path, 204)) !== undefined;
    if (isDeleted) await send('GET', path, 404);
  }

  /** Sends a request and counts its result. Returns the body if the status is the expected one. */
  async #send(
    agent: Agent | false,
    method: string,
    path: string,
    expected: number,
    value?: unknown,
  ): Promise<string | undefined> {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${this.#port}/api/users${path}`;
    try {
      const outgoing = request(url, { method, headers, agent }).end(body);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      const received = await text(incoming);
      if (incoming.statusCode === expected) {
        this.answered += 1;
        return received;
      }
      this.#count(`${method} ${incoming.statusCode} ${received.slice(0, 100)}`);
    } catch (error) {
      this.#count(`${method} ${(error as NodeJS.ErrnoException).code}`);
    }
    return undefined;
  }

  #count(failure: string): void {
    this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
  }
}
