import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADA, bodyOf, clientOf } from './support/api.js';
import { createInFlight } from './support/in-flight.js';
import { startProcess } from './support/service-process.js';
import { openRaw } from './support/sqlite.js';
import { temporaryFolder } from './support/temporary-folder.js';

const HOUR = 3_600_000;
const MEMORY = { DATABASE_URL: 'memory:' };

describe('the process', () => {
  it('logs its address and its store in one line and serves all APIs', async () => {
    const service = startProcess(MEMORY);
    const url = await service.url;
    const ada = await clientOf(`${url}/api/users`).create();
    for (const mount of ['/api/v1/users', '/api/v2/users']) {
      const response = await clientOf(`${url}${mount}`).send('GET');
      expect(await response.json()).toEqual({ data: [ada], total: 1 });
    }
    service.kill('SIGTERM');
    await service.ended;
    expect(service.log.all[0]).toMatchObject({
      level: 'info',
      msg: `users-api listens on ${url}, store memory:`,
    });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'closes its files and exits with 0 on %s',
    async (signal) => {
      const path = join(temporaryFolder(), 'users.db');
      const service = startProcess({ DATABASE_URL: `sqlite:${path}` });
      await clientOf(`${await service.url}/api/users`).create();
      expect(existsSync(`${path}-wal`)).toBe(true);
      service.kill(signal);
      expect(await service.ended).toMatchObject({ code: 0, signal: null });
      expect(existsSync(`${path}-wal`)).toBe(false);
    },
  );

  it('keeps acknowledged writes after SIGKILL', async () => {
    const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'users.db')}` };
    const killed = startProcess(env);
    const users = clientOf(`${await killed.url}/api/users`);
    const [ada, grace] = [await users.create(), await users.create({ ...ADA, name: 'Grace' })];
    await users.send('DELETE', `/${ada.id}`);
    killed.kill('SIGKILL');
    expect((await killed.ended).signal).toBe('SIGKILL');
    const restarted = startProcess(env);
    const response = await clientOf(`${await restarted.url}/api/users`).send('GET');
    expect(await response.json()).toEqual({ data: [grace], total: 1 });
  });

  it('waits 5 seconds for a file lock, even if the system clock changes meanwhile', async () => {
    const waits = [-HOUR, HOUR].map(async (step) => {
      const folder = temporaryFolder();
      // In each thread, every call to Date.now() after the first one sees the changed clock.
      const clock = join(folder, 'clock.cjs');
      writeFileSync(
        clock,
        `const now = Date.now; let calls = 0; Date.now = () => now() + (calls++ && ${step});`,
      );
      const path = join(folder, 'users.db');
      const env = { DATABASE_URL: `sqlite:${path}`, NODE_OPTIONS: `--require ${clock}` };
      const users = clientOf(`${await startProcess(env).url}/api/users`);
      openRaw(path).exec('BEGIN IMMEDIATE');
      const begin = performance.now();
      const response = await users.sendJson('POST', '', ADA);
      expect(performance.now() - begin).toBeGreaterThanOrEqual(5_000);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: 'STORE_LOCKED' });
    });
    await Promise.all(waits);
  });

  it('finishes requests in flight before it exits', async () => {
    const service = startProcess(MEMORY);
    const create = await createInFlight(await service.url);
    service.kill('SIGTERM');
    create.end(JSON.stringify(ADA));
    const [response]: IncomingMessage[] = await once(create, 'response');
    expect(response?.statusCode).toBe(201);
    response?.resume();
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('exits with 1 immediately on a second, different signal', async () => {
    const service = startProcess(MEMORY);
    const create = await createInFlight(await service.url);
    const broken = once(create, 'error');
    service.kill('SIGTERM');
    service.kill('SIGINT');
    expect(await service.ended).toMatchObject({ code: 1, signal: null });
    await broken;
  });

  it('limits the length of names and emails as its environment sets', async () => {
    const service = startProcess({ ...MEMORY, MAX_NAME_LENGTH: '3', MAX_EMAIL_LENGTH: '5' });
    for (const mount of ['/api/users', '/api/v1/users', '/api/v2/users']) {
      const { sendJson } = clientOf(`${await service.url}${mount}`);
      expect((await sendJson('POST', '', { name: 'Ada', email: 'a@b.c' })).status).toBe(201);
      const response = await sendJson('POST', '', { name: 'Grace', email: 'g@h.io' });
      expect(await response.json()).toMatchObject({
        issues: [
          { path: ['body', 'name'], message: 'must be at most 3 characters long, not 5' },
          { path: ['body', 'email'], message: 'must be at most 5 characters long, not 6' },
        ],
      });
    }
  });

  it('limits pages to MAX_PAGE_SIZE, but not the list', async () => {
    const service = startProcess({ ...MEMORY, MAX_PAGE_SIZE: '3' });
    for (const mount of ['/api/users', '/api/v1/users', '/api/v2/users']) {
      const { create, send } = clientOf(`${await service.url}${mount}`);
      for (let n = 0; n < 3; n += 1) await create();
      for (const query of ['?limit=1000', '?limit=1e300', '?page=1', '?limit=x']) {
        const page = await bodyOf<{ data: unknown[] }>(await send('GET', query));
        expect(page).toMatchObject({ data: { length: 3 }, meta: { limit: 3 } });
      }
      expect(await (await send('GET', '?limit=2')).json()).toMatchObject({ meta: { limit: 2 } });
    }
    const all = await fetch(`${await service.url}/api/users`);
    expect(await all.json()).toMatchObject({ data: { length: 9 }, total: 9 });
  });

  it('limits the size of bodies and the number of connections', async () => {
    const service = startProcess({ ...MEMORY, MAX_BODY_SIZE: '100', MAX_CONNECTIONS: '1' });
    const url = await service.url;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const post = async (name: string) => {
      const headers = { 'content-type': 'application/json' };
      const create = request(`${url}/api/users`, { agent, method: 'POST', headers });
      create.end(JSON.stringify({ ...ADA, name }));
      const [response]: IncomingMessage[] = await once(create, 'response');
      await response?.toArray();
      return response?.statusCode;
    };
    expect(await post('Ada')).toBe(201);
    expect(await post('A'.repeat(100))).toBe(413);
    await expect(fetch(`${url}/api/users`)).rejects.toThrow();
  });

  it('sends stack traces and warns about them unless NODE_ENV is production', async () => {
    const development = startProcess(MEMORY);
    const production = startProcess({ ...MEMORY, NODE_ENV: 'production' });
    const [open, closed] = await Promise.all(
      [development, production].map(async ({ url }) =>
        (await fetch(`${await url}/api/users/nobody`)).json(),
      ),
    );
    expect(open).toHaveProperty('stack');
    expect(closed).not.toHaveProperty('stack');
    for (const service of [development, production]) service.kill('SIGTERM');
    await Promise.all([development.ended, production.ended]);
    const warning = {
      level: 'warn',
      msg: expect.stringMatching(/include stack traces.*NODE_ENV=production/),
    };
    expect(development.log.all[1]).toMatchObject(warning);
    expect(production.log.all).not.toContainEqual(expect.objectContaining(warning));
  });
});

describe('a failing startup exits with 1 and prints one message without a stack', () => {
  it('that names every invalid variable', async () => {
    const { code, stdout, stderr } = await startProcess({
      PORT: 'x',
      NODE_ENV: 'prod',
      DATABASE_URL: 'y',
    }).ended;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      `users-api: Invalid environment variables:
  PORT is "x". Use an integer from 0 to 65535.
  DATABASE_URL has no scheme. Use postgres://USER:PASSWORD@HOST/DATABASE, memory: or sqlite:PATH (PATH is absolute, or relative to the working directory, and must not start with // or :).
  NODE_ENV is "prod". Use one of development, test, production. Did you mean production?
`,
    );
  });

  it('that names a port in use, after closing its files', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const path = join(temporaryFolder(), 'users.db');
    const env = { DATABASE_URL: `sqlite:${path}`, PORT: String(port) };
    const { code, stdout, stderr } = await startProcess(env).ended;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`^users-api: .*\\b${port}\\b`, 'm'));
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('that names the port of operators if it is in use, after closing its files', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const path = join(temporaryFolder(), 'users.db');
    const env = { DATABASE_URL: `sqlite:${path}`, OPERATIONS_PORT: String(port) };
    const { code, stderr } = await startProcess(env).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^users-api: .*\\b${port}\\b.* OPERATIONS_PORT and HOST`, 'm'),
    );
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('that names the path of a store that cannot be opened', async () => {
    const path = join(temporaryFolder(), 'notes.txt');
    writeFileSync(path, 'A shopping list, which is by no means a database. '.repeat(50));
    const { code, stdout, stderr } = await startProcess({ DATABASE_URL: `sqlite:${path}` }).ended;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^users-api: The store .+ is not an SQLite database/m);
    expect(stderr).toContain(path);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  // No process can create a folder in /proc. mkdir reports there that the parent is missing.
  it('that names the path of a store whose folder cannot be created', async () => {
    const env = { DATABASE_URL: 'sqlite:/proc/x/y/users.db' };
    const { code, stdout, stderr } = await startProcess(env).ended;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^users-api: The store \/proc\/x\/y\/users\.db cannot be created/m);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
