import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ADA, createApps } from './support/api.js';
import { createInFlight } from './support/in-flight.js';
import { captureLog } from './support/log.js';
import { type ServiceProcess, startProcess } from './support/service-process.js';

const PATHS = ['/health/live', '/health/ready', '/metrics'];
const SERVES = /^users-api serves operators on (\S+)$/;

/** Starts a service, and returns the URLs of both ports. */
async function startBoth(env: Readonly<Record<string, string>> = {}) {
  const service = startProcess({ DATABASE_URL: 'memory:', OPERATIONS_PORT: '0', ...env });
  const url = await service.url;
  return { service, url, operationsUrl: operationsOf(service) };
}

function operationsOf({ log }: ServiceProcess): string {
  const [url = ''] = log.all.flatMap(({ msg }) => SERVES.exec(String(msg))?.slice(1) ?? []);
  return url;
}

const statusesOf = (url: string) =>
  Promise.all(PATHS.map(async (path) => (await fetch(`${url}${path}`)).status));

describe('with OPERATIONS_PORT', () => {
  it('serves health and metrics on that port alone, and the API on PORT alone', async () => {
    const { url, operationsUrl } = await startBoth();
    expect(await statusesOf(operationsUrl)).toEqual([200, 200, 200]);
    expect(await statusesOf(url)).toEqual([404, 404, 404]);
    expect((await fetch(`${url}/api/users`)).status).toBe(200);
    expect((await fetch(`${operationsUrl}/api/users`)).status).toBe(404);
    const metrics = await (await fetch(`${operationsUrl}/metrics`)).text();
    expect(metrics).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/users",status="200"} 1',
    );
  });

  it('keeps answering there while requests are in flight, and ends with 0', async () => {
    const { service, url, operationsUrl } = await startBoth();
    const create = await createInFlight(url);
    service.kill('SIGTERM');
    await service.log.first('users-api is stopping: SIGTERM', 1);
    await expect.poll(() => fetch(url).catch(() => 'refused')).toBe('refused');
    expect(await statusesOf(operationsUrl)).toEqual([200, 503, 200]);
    create.end(JSON.stringify(ADA));
    const [response]: IncomingMessage[] = await once(create, 'response');
    expect(response?.statusCode).toBe(201);
    response?.resume();
    expect((await service.ended).code).toBe(0);
  });

  it('logs the requests of operators at debug', async () => {
    const { logger, lines } = captureLog();
    const { operations } = await createApps({ logger, config: { OPERATIONS_PORT: 0 } });
    const response = await operations.request('/health/ready');
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    expect(await lines.first('request', 1)).toMatchObject([
      { level: 'debug', route: '/health/ready', status: 200 },
    ]);
  });
});
