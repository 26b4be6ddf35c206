import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, clientOf } from './support/api.js';
import { appWith } from './support/app-copy.js';
import { APP } from './support/built-program.js';
import { startProcess } from './support/service-process.js';

const MEMORY = { DATABASE_URL: 'memory:' };
const README = readFileSync(join(APP, 'README.md'), 'utf8');
const FROM_README = /```ts\n(.*?)```/s.exec(README)?.[1] ?? '';

const DISPOSABLE = `
import { Controller, Get } from '@fairlead/controllers';

@Controller('/disposable')
export class DisposableController {
  // Keeps the process alive until it is disposed.
  #timer = setInterval(() => {}, 60_000);

  @Get('/', { public: 'A test calls it.' })
  answer() {
    return 'here';
  }

  [Symbol.dispose]() {
    clearInterval(this.#timer);
    console.log('disposed');
  }
}
`;

describe('a new file named controller.ts', () => {
  it('is served after a start, as the README shows', async () => {
    const url = await startProcess(MEMORY, { app: appWith(FROM_README) }).url;
    await clientOf(`${url}/api/users`).create();
    const response = await fetch(`${url}/api/v1/health`);
    expect(await bodyOf(response)).toEqual({ status: 'ok', users: 1 });
  });

  it('has its disposable controllers disposed when the service stops', async () => {
    const service = startProcess(MEMORY, { app: appWith(DISPOSABLE) });
    const response = await fetch(`${await service.url}/api/v1/disposable`);
    expect(await bodyOf(response)).toBe('here');
    service.kill('SIGTERM');
    expect((await service.ended).stdout).toMatch(/^disposed$/m);
  });

  it('has its disposable controllers disposed when the service cannot listen', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { ...MEMORY, PORT: String(port) };
    const { code, stdout, stderr } = await startProcess(env, { app: appWith(DISPOSABLE) }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port}`);
    expect(stdout).toMatch(/^disposed$/m);
  });

  it('stops the start when it cannot be imported, and is named', async () => {
    const { code, stderr } = await startProcess(MEMORY, { app: appWith("import './missing.js';") })
      .ended;
    expect(code).toBe(1);
    expect(stderr).toContain('src/added/controller.ts');
  });
});
