import { StoreError, type StoreMetric } from '@fairlead/store';
import { describe, expect, it } from 'vitest';
import { MemoryUserStore } from '../src/users/store/memory.js';
import { ADA, clientOf, startService } from './support/api.js';
import { captureLog } from './support/log.js';

const METRICS = { METRICS: true };

describe('GET /metrics', () => {
  it('counts requests by method, route and status, and all without a route together', async () => {
    const { logger, lines } = captureLog();
    const url = await startService({ config: METRICS, logger });
    const { create, send } = clientOf(`${url}/api/v1/users`);
    const ada = await create(ADA);
    await send('GET', `/${ada.id}`);
    await send('GET', '/nobody');
    await fetch(`${url}/one`);
    await fetch(`${url}/other`);
    await lines.first('request', 5);
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const counts = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('http_request_duration_seconds_count'));
    expect(counts).toEqual([
      'http_request_duration_seconds_count{method="POST",route="/api/v1/users",status="201"} 1',
      'http_request_duration_seconds_count{method="GET",route="/api/v1/users/:id",status="200"} 1',
      'http_request_duration_seconds_count{method="GET",route="/api/v1/users/:id",status="404"} 1',
      'http_request_duration_seconds_count{method="GET",route="none",status="404"} 2',
    ]);
  });

  it('has the code of the store for failures, also for a list that was cut off', async () => {
    const { logger, lines } = captureLog();
    const store = new MemoryUserStore();
    const user = store.create(ADA);
    store.create = () => {
      throw new StoreError('STORE_FULL', 'Full.');
    };
    store.page = () => ({ users: [user], total: 2 });
    store.list = async function* () {
      yield [user];
      throw new StoreError('STORE_GONE', 'Gone.');
    };
    const url = await startService({ store, config: METRICS, logger });
    const { send, sendJson } = clientOf(`${url}/api/users`);
    await sendJson('POST', '', ADA);
    await expect((await send('GET')).text()).rejects.toThrow();
    await lines.first('request', 2);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text.match(/^http_request_failures_total\{.*/gm)).toEqual([
      'http_request_failures_total{method="POST",route="/api/users",status="503",code="STORE_FULL"} 1',
      'http_request_failures_total{method="GET",route="/api/users",status="503",code="STORE_GONE"} 1',
    ]);
  });

  it('reports requests in flight, event-loop lag and process metrics', async () => {
    const url = await startService({ config: METRICS });
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toMatch(/^http_requests_in_flight 1$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toMatch(/^process_resident_memory_bytes /m);
  });

  it('exports the numbers of the store as they are when they are read', async () => {
    let waiting = 0;
    const metrics: readonly StoreMetric[] = [
      { name: 'store_waiting_writes', help: 'W.', type: 'gauge', value: () => waiting },
      { name: 'store_commits_total', help: 'C.', type: 'counter', value: () => 7 },
    ];
    const store = Object.assign(new MemoryUserStore(), { metrics });
    const url = await startService({ store, config: METRICS });
    for (waiting of [3, 2]) {
      const text = await (await fetch(`${url}/metrics`)).text();
      expect(text).toMatch(/^# TYPE store_waiting_writes gauge$/m);
      expect(text).toMatch(new RegExp(`^store_waiting_writes ${waiting}$`, 'm'));
      expect(text).toMatch(/^# TYPE store_commits_total counter$/m);
      expect(text).toMatch(/^store_commits_total 7$/m);
    }
  });

  it('responds with 404 when metrics are disabled', async () => {
    expect((await fetch(`${await startService()}/metrics`)).status).toBe(404);
  });
});
