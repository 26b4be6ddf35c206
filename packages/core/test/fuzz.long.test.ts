import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen, type Server } from '../src/index.js';
import { attack, cutAt, faultsOf, type Outcome } from './support/attack.js';
import { createFuzzTarget } from './support/fuzz-target.js';
import { hostileBytes, validRequest } from './support/hostile-requests.js';
import { heldMemory, openDescriptors } from './support/resources.js';
import { readWire } from './support/wire.js';

/** Number of hostile cases; valid ones are a tenth of it. The script `fuzz` runs a hundred thousand. */
const CASES = Number(process.env.FUZZ_CASES ?? 3_000);
const SEED = Number(process.env.TEST_SEED ?? 1);
const TIMEOUT = 120_000 + 20 * CASES;

const FOLLOWERS = Buffer.from(
  'GET /plain?1 HTTP/1.1\r\nHost: a\r\n\r\nGET /plain?2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
);

const { app, taken, hidden } = createFuzzTarget();
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const crashes: unknown[] = [];
const onCrash = (error: unknown) => crashes.push(error);
const tally = new Map<string, number>();
let server: Server;

beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', onCrash).on('unhandledRejection', onCrash);
  server = await listen(app, 0, { host: '127.0.0.1' });
});

afterAll(async () => {
  agent.destroy();
  await server.close({ timeout: 0 });
  process.off('uncaughtExceptionMonitor', onCrash).off('unhandledRejection', onCrash);
  if (process.env.FUZZ_CASES !== undefined) printSummary();
});

/** Sends a plain request on a persistent connection, to check that the server is alive. */
async function ask(): Promise<void> {
  const outgoing = request({ host: '127.0.0.1', port: server.port, path: '/plain', agent }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect([incoming.statusCode, String(Buffer.concat(await incoming.toArray()))]).toEqual([
    200,
    'plain',
  ]);
}

/** Sends enough requests that earlier ones have received their responses. */
async function settle(): Promise<void> {
  await ask();
  await ask();
}

async function faultsOfCase(pieces: readonly Buffer[]): Promise<string[]> {
  const outcome: Outcome = await attack(server.port, pieces, settle);
  await ask();
  const faults = faultsOf(outcome, taken.get(outcome.port) ?? []);
  taken.clear();
  const statuses = readWire(outcome.received).responses.map(({ status }) => status);
  const key = statuses.slice(0, 3).join(' ') || 'nothing';
  tally.set(key, (tally.get(key) ?? 0) + 1);
  return [...faults, ...[...crashes.splice(0), ...hidden.splice(0)].map(String)];
}

const places = fc.array(fc.nat(), { maxLength: 3 });

it('no bytes desynchronize a connection', { timeout: TIMEOUT }, async () => {
  const cases = fc.record({
    bytes: hostileBytes,
    isCut: fc.constantFrom(false, false, false, true),
    places,
  });
  await settle();
  const descriptors = openDescriptors();
  const memory = heldMemory();
  await fc.assert(
    fc.asyncProperty(cases, async ({ bytes, isCut, places }) => {
      const whole = Buffer.concat([bytes, FOLLOWERS]);
      const [first = whole] = isCut ? cutAt(whole, places) : [whole];
      expect(await faultsOfCase(cutAt(first, places))).toEqual([]);
    }),
    { numRuns: CASES, seed: SEED },
  );
  await expect.poll(openDescriptors).toBeLessThanOrEqual(descriptors);
  expect(heldMemory() - memory).toBeLessThan(32 * 1024 ** 2);
});

it('valid pipelined requests all get responses, however the bytes are split', {
  timeout: TIMEOUT,
}, async () => {
  const pipeline = fc.array(validRequest, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(pipeline, places, async (requests, places) => {
      const bytes = Buffer.concat([...requests, FOLLOWERS]);
      const outcome = await attack(
        server.port,
        cutAt(bytes, places),
        () => new Promise(() => undefined),
      );
      expect(faultsOf(outcome, taken.get(outcome.port) ?? [])).toEqual([]);
      expect(readWire(outcome.received).responses).toHaveLength(requests.length + 2);
      taken.clear();
    }),
    { numRuns: Math.ceil(CASES / 10), seed: SEED },
  );
});

/** The long run prints statistics. */
function printSummary(): void {
  const lines = [...tally].sort(([, a], [, b]) => b - a).slice(0, 25);
  console.log(`${CASES} hostile cases of seed ${SEED}; statuses of their first responses:`);
  for (const [statuses, count] of lines) console.log(`${String(count).padStart(8)}  ${statuses}`);
}
