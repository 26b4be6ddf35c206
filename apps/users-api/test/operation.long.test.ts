import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ADA } from './support/api.js';
import { appWith } from './support/app-copy.js';
import { createInFlight } from './support/in-flight.js';
import { startProcess } from './support/service-process.js';

const MEMORY = { DATABASE_URL: 'memory:' };

const CRASHING = `
import { Controller, Get } from '@fairlead/controllers';

@Controller('/crash')
export class CrashController {
  @Get('/', { public: 'A test calls it.' })
  crash() {
    setImmediate(() => {
      throw new Error('Nobody catches this.');
    });
    return 'soon';
  }
}
`;

describe('the command line', () => {
  it('prints every variable for --help and exits with 0', async () => {
    const { code, stdout, stderr } = await startProcess({}, { args: ['--help'] }).ended;
    expect(code).toBe(0);
    // Node 22 itself warns that node:sqlite is experimental.
    expect(stderr).not.toMatch(/^users-api/m);
    expect(stdout).toMatch(/^ {2}SHUTDOWN_TIMEOUT\n.*\n.* \(default: 10000\)$/m);
  });

  it('prints the version for --version', async () => {
    const { code, stdout } = await startProcess({}, { args: ['--version'] }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '0.0.0\n' });
  });

  it('names an unknown argument and exits with 1', async () => {
    const { code, stdout, stderr } = await startProcess(MEMORY, { args: ['--port=1'] }).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^users-api: Unknown option '--port'.* See --help\.$/m);
  });
});

describe('the log', () => {
  it('starts with the configuration at level debug', async () => {
    const service = startProcess({ ...MEMORY, LOG_LEVEL: 'debug' });
    await service.url;
    expect(service.log.all[0]).toMatchObject({
      level: 'debug',
      msg: 'configuration',
      config: { PORT: 0, HOST: '127.0.0.1', store: 'memory:', includeStack: true },
    });
  });

  it('has one readable line per request in the pretty format', async () => {
    const service = startProcess({ ...MEMORY, LOG_FORMAT: 'pretty' });
    await fetch(`${await service.url}/api/users/nobody`);
    service.kill('SIGTERM');
    expect((await service.ended).stdout).toMatch(
      /^\[[\d:.]+\] INFO: GET \/api\/users\/nobody 404 [\d.]+ ms {"code":"NOT_FOUND","requestId":"[\da-f-]+"}$/m,
    );
  });

  it('contains its last line when the process ends', async () => {
    const service = startProcess(MEMORY);
    const create = await createInFlight(await service.url);
    service.kill('SIGTERM');
    await service.log.first('users-api is stopping: SIGTERM', 1);
    create.end(JSON.stringify(ADA));
    const [response]: IncomingMessage[] = await once(create, 'response');
    response?.resume();
    await service.ended;
    expect(service.log.all.at(-1)).toMatchObject({ msg: 'request', method: 'POST', status: 201 });
  });
});

describe('a stopping service', () => {
  it('serves requests during SHUTDOWN_DELAY but is not ready', async () => {
    const service = startProcess({
      ...MEMORY,
      SHUTDOWN_DELAY: '600000',
      SHUTDOWN_TIMEOUT: '1200000',
    });
    const url = await service.url;
    service.kill('SIGTERM');
    await service.log.first('users-api is stopping: SIGTERM', 1);
    const [ready, live, users] = await Promise.all(
      ['/health/ready', '/health/live', '/api/users'].map((path) => fetch(`${url}${path}`)),
    );
    expect([ready?.status, live?.status, users?.status]).toEqual([503, 200, 200]);
    expect(await ready?.json()).toMatchObject({ code: 'STOPPING' });
  });

  it('exits with 0 after SHUTDOWN_DELAY', async () => {
    const service = startProcess({ ...MEMORY, SHUTDOWN_DELAY: '1' });
    await service.url;
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('treats two signals in quick succession as one', async () => {
    const service = startProcess(MEMORY);
    const create = await createInFlight(await service.url);
    service.kill('SIGTERM');
    service.kill('SIGTERM');
    await service.log.first('users-api is stopping: SIGTERM', 1);
    create.end(JSON.stringify(ADA));
    const [response]: IncomingMessage[] = await once(create, 'response');
    expect(response?.statusCode).toBe(201);
    response?.resume();
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('cuts off requests in flight before SHUTDOWN_TIMEOUT and exits with 0', async () => {
    const service = startProcess({ ...MEMORY, SHUTDOWN_TIMEOUT: '6000' });
    const create = await createInFlight(await service.url);
    const broken = once(create, 'error');
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(service.log.all.at(-1)).toMatchObject({ msg: 'request', status: 499, aborted: true });
    await broken;
  });

  it('finishes requests in flight after an uncaught error and exits with 1', async () => {
    const service = startProcess(MEMORY, { app: appWith(CRASHING) });
    const url = await service.url;
    const create = await createInFlight(url);
    expect((await fetch(`${url}/api/v1/crash`)).status).toBe(200);
    const [line] = await service.log.first('uncaughtException', 1);
    expect(line).toMatchObject({ level: 'fatal', err: { message: 'Nobody catches this.' } });
    create.end(JSON.stringify(ADA));
    const [response]: IncomingMessage[] = await once(create, 'response');
    expect(response?.statusCode).toBe(201);
    response?.resume();
    expect(await service.ended).toMatchObject({ code: 1, signal: null });
  });
});
