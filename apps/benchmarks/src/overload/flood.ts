import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What became of the requests of a flood. Times are in milliseconds. */
export interface Flood {
  /** The latency of each 200. */
  readonly done: readonly number[];
  /** The latency of each 503. */
  readonly rejected: readonly number[];
  /** The number of requests that the client gave up, or whose connection failed. */
  readonly lost: number;
  /** The latency of each probe; `patience` for those that were lost. */
  readonly probes: readonly number[];
  /** The number of requests that were sent in each second. */
  readonly rate: number;
}

/** Milliseconds between two looks at the clock, and between two probes. */
const TICK = 5;
const PROBING = 50;

/** How requests arrive. */
export interface FloodOptions {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds for which requests are sent. */
  readonly duration: number;
  /** Milliseconds after which a client gives up. */
  readonly patience: number;
  /** The number of connections, which are open before. Further requests wait for one, as in a proxy. */
  readonly connections: number;
}

/** Sends requests at a rate, whether or not the server responds to them, as independent clients behind a proxy do. */
export async function flood(
  port: number,
  { rate, duration, patience, connections }: FloodOptions,
): Promise<Flood> {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    maxFreeSockets: connections,
    scheduling: 'fifo',
  });
  // Node.js accepts one connection in each turn of its event loop, so that an overloaded server accepts few.
  const greetings = Array.from({ length: connections }, () =>
    exchange(port, '/live', agent, 10_000),
  );
  await Promise.all(greetings);
  const prober = new Agent({ keepAlive: true });
  const [done, rejected, probes]: number[][] = [[], [], []];
  const open = new Set<Promise<void>>();
  let lost = 0;
  const send = async () => {
    const { status, time } = await exchange(port, '/work', agent, patience);
    if (status === 200) done?.push(time);
    else if (status === 503) rejected?.push(time);
    else if (status === undefined) lost += 1;
    else throw new Error(`GET /work responds with ${status}.`);
  };
  const probe = async () => {
    const { status, time } = await exchange(port, '/live', prober, patience);
    probes?.push(status === 200 ? time : patience);
  };
  const track = (one: Promise<void>) => {
    open.add(one);
    // A failure is thrown below.
    one.then(
      () => open.delete(one),
      () => undefined,
    );
  };
  const began = performance.now();
  let [sent, probed, elapsed] = [0, 0, 0];
  while (elapsed < duration) {
    for (; sent < (elapsed / 1_000) * rate; sent += 1) track(send());
    for (; probed < elapsed / PROBING; probed += 1) track(probe());
    await delay(TICK);
    elapsed = performance.now() - began;
  }
  await Promise.all(open);
  agent.destroy();
  prober.destroy();
  return {
    ...{ done: done ?? [], rejected: rejected ?? [], probes: probes ?? [], lost },
    rate: sent / (elapsed / 1_000),
  };
}

function exchange(
  port: number,
  path: string,
  agent: Agent,
  patience: number,
): Promise<{ readonly status: number | undefined; readonly time: number }> {
  const start = performance.now();
  return new Promise((resolve) => {
    const end = (status?: number) => {
      clearTimeout(timer);
      resolve({ status, time: performance.now() - start });
    };
    const client = request({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume().once('end', () => end(response.statusCode));
      response.once('error', () => end());
    });
    const timer = setTimeout(() => {
      // One that the server has received keeps its connection until the response.
      if (client.socket === null) client.destroy();
      end();
    }, patience);
    client.once('error', () => end());
    client.end();
  });
}
