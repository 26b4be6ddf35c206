import { describe, expect, it } from 'vitest';
import { measureWorkload } from '../src/http/measure.js';
import { serversOf } from '../src/http/servers.js';
import { WORKLOADS } from '../src/http/workloads.js';

const options = {
  ...{ node: process.execPath, rounds: 1, slice: 5, warmUp: 5, connections: 2 },
  onProgress() {},
};

describe.each(WORKLOADS)('$name', (workload) => {
  it('is answered equally by every server', async () => {
    const servers = serversOf(workload.name);
    const table = await measureWorkload(workload, servers, options);
    expect(table.rows.map((row) => row.server)).toEqual(servers);
    for (const row of table.rows) {
      expect(row.throughput).toBeGreaterThan(0);
      expect(row.cpu).toBeGreaterThan(0);
    }
  });
});
