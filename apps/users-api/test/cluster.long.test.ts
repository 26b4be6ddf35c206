import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADA, clientOf } from './support/api.js';
import { appWith } from './support/app-copy.js';
import { createInFlight } from './support/in-flight.js';
import {
  type ProcessOptions,
  type ServiceProcess,
  startProcess,
} from './support/service-process.js';
import { postgresUrl } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

const READY = 'a worker is ready';

/** Starts a service of two workers over one file. */
function startTwo(
  env: Readonly<Record<string, string>> = {},
  options?: ProcessOptions,
): ServiceProcess {
  const file = join(temporaryFolder(), 'users.db');
  return startProcess({ DATABASE_URL: `sqlite:${file}`, WORKERS: '2', ...env }, options);
}

/** A controller that a worker can import once a connection to this address has been closed. */
function startsOnceClosed({ port }: AddressInfo): string {
  return `
import { once } from 'node:events';
import { connect } from 'node:net';

await once(connect(${port}, '127.0.0.1').resume().on('error', () => {}), 'close');
`;
}

/** The process ids of the workers that were ready first. */
async function workersOf({ log }: ServiceProcess, count = 2): Promise<readonly number[]> {
  return (await log.first(READY, count)).map(({ worker }) => Number(worker));
}

/** Asks over a connection of its own, so that the primary chooses the worker anew. */
async function getAlone(url: string): Promise<{ status: number | undefined; body: string }> {
  const asked = request(url, { agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

describe('with WORKERS=2', () => {
  it.each([
    ['SQLite', () => ({})],
    ['PostgreSQL', async () => ({ DATABASE_URL: await postgresUrl() })],
  ])('answers on one port from two processes that share %s and their metrics', async (_, store) => {
    const service = startTwo({ LOG_LEVEL: 'debug', ...(await store()) });
    const url = await service.url;
    await clientOf(`${url}/api/users`).create();
    const lists = [await getAlone(`${url}/api/users`), await getAlone(`${url}/api/users`)];
    expect(lists[0]?.body).toContain(ADA.email);
    expect(lists[1]).toEqual(lists[0]);
    const requests = await service.log.first('request', 3);
    expect(new Set(requests.map(({ pid }) => pid)).size).toBe(2);
    expect((await getAlone(`${url}/metrics`)).body).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/users",status="200"} 2',
    );
  });

  it('replaces a worker that crashes, while the other answers', async () => {
    const service = startTwo();
    const url = await service.url;
    const [first = 0] = await workersOf(service);
    process.kill(first, 'SIGKILL');
    const [ended] = await service.log.first('a worker has ended and is replaced', 1);
    expect(ended).toMatchObject({ level: 'error', worker: first, signal: 'SIGKILL', wait: 100 });
    expect((await fetch(`${url}/api/users`)).status).toBe(200);
    expect(new Set(await workersOf(service, 3)).size).toBe(3);
  });

  it('answers what is in flight at SIGTERM, and ends with 0', async () => {
    const service = startTwo();
    const create = await createInFlight(await service.url);
    service.kill('SIGTERM');
    await service.log.first('users-api is stopping: requested by the primary', 2);
    create.end(JSON.stringify(ADA));
    const [response]: IncomingMessage[] = await once(create, 'response');
    expect(response?.statusCode).toBe(201);
    response?.resume();
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
  });

  it('leaves no worker behind when the primary is killed', async () => {
    const service = startTwo();
    await service.url;
    service.kill('SIGKILL');
    // The output, which workers share, ends when the last of them has.
    expect((await service.ended).signal).toBe('SIGKILL');
  });

  it('replaces its workers one by one at SIGUSR2, and refuses nobody meanwhile', async () => {
    const service = startTwo();
    const url = `${await service.url}/api/users`;
    const before = await workersOf(service);
    const statuses = new Set<number | undefined>();
    let isRunning = true;
    const client = (async () => {
      while (isRunning) statuses.add((await getAlone(url)).status);
    })();
    onTestFinished(() => {
      isRunning = false;
    });
    service.kill('SIGUSR2');
    const all = await workersOf(service, 4);
    expect(all.slice(0, 2)).toEqual(before);
    await service.log.first('users-api is stopping: requested by the primary', 2);
    isRunning = false;
    await client;
    expect([...statuses]).toEqual([200]);
  });

  it('ignores SIGUSR2, with a warning, until its workers have started', async () => {
    const gate = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void gate.close());
    await once(gate, 'listening');
    const service = startTwo({}, { app: appWith(startsOnceClosed(gate.address() as AddressInfo)) });
    const [worker]: Socket[] = await once(gate, 'connection');
    gate.on('connection', (next: Socket) => next.destroy());
    service.kill('SIGUSR2');
    const warning = 'ignored SIGUSR2: send it again once the service listens';
    expect(await service.log.first(warning, 1)).toMatchObject([{ level: 'warn' }]);
    worker?.destroy();
    expect((await fetch(`${await service.url}/api/users`)).status).toBe(200);
  });

  it('waits at SIGTERM for a worker that was being started to replace another', async () => {
    const service = startTwo();
    await service.url;
    service.kill('SIGUSR2');
    await service.log.first('a worker is about to be replaced', 1);
    service.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
    const ready = await workersOf(service, 3);
    const stopped = await service.log.first('users-api is stopping: requested by the primary', 3);
    expect(new Set(stopped.map(({ pid }) => pid))).toEqual(new Set(ready));
  });

  it('ends all its workers at a second signal, also one that was being started', async () => {
    const service = startTwo();
    await service.url;
    service.kill('SIGUSR2');
    await service.log.first('a worker is about to be replaced', 1);
    service.kill('SIGTERM');
    service.kill('SIGINT');
    // The output, which workers share, ends when the last of them has.
    expect((await service.ended).code).toBe(1);
  });

  it('ends with 1 and one message when the first worker cannot start', async () => {
    const path = join(temporaryFolder(), 'notes.txt');
    writeFileSync(path, 'A shopping list, which is by no means a database. '.repeat(50));
    const { code, stderr } = await startTwo({ DATABASE_URL: `sqlite:${path}` }).ended;
    expect(code).toBe(1);
    expect(stderr.match(/is not an SQLite database/g)).toHaveLength(1);
    expect(stderr).toContain('A worker exited with 1 before it was ready');
  });
});
