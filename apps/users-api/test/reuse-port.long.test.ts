import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@fairlead/test-support/free-port';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADA, clientOf } from './support/api.js';
import { type ServiceProcess, startProcess } from './support/service-process.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Opens a connection, which stays with one process, and returns a function that requests the list. */
function connect(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async () => {
    const sent = request(`${url}/api/users`, { agent }).end();
    const [response]: IncomingMessage[] = await once(sent, 'response');
    const id = response?.headers['x-request-id'];
    return { id, status: response?.statusCode, body: await text(response as IncomingMessage) };
  };
}

/** Connects until the process has answered, and returns the function for that connection. */
async function connectTo({ log }: ServiceProcess, url: string) {
  for (;;) {
    const list = connect(url);
    const { id } = await list();
    if (log.all.some(({ requestId }) => requestId === id)) return list;
  }
}

describe('with REUSE_PORT=on', () => {
  it('two processes share a port, and one keeps answering when the other stops', async () => {
    const file = join(temporaryFolder(), 'users.db');
    const PORT = String(await freePort());
    const env = { DATABASE_URL: `sqlite:${file}`, PORT, REUSE_PORT: 'on' };
    const stopping = startProcess(env);
    const url = await stopping.url;
    const ada = await clientOf(`${url}/api/users`).create(ADA);
    const staying = startProcess(env);
    expect(await staying.url).toBe(url);
    const lists = [await connectTo(stopping, url), await connectTo(staying, url)];
    const expected = { status: 200, body: JSON.stringify({ data: [ada], total: 1 }) };
    for (const list of lists) expect(await list()).toMatchObject(expected);
    stopping.kill('SIGTERM');
    expect((await stopping.ended).code).toBe(0);
    expect(await lists[1]?.()).toMatchObject(expected);
    const others = await Promise.all(Array.from({ length: 20 }, () => connect(url)()));
    for (const response of others) expect(response).toMatchObject(expected);
  });
});
