import { expect, it } from 'vitest';
import { compare, quantileOf } from '../src/comparison.js';
import { AutocannonLoad } from '../src/http/autocannon.js';
import { compareServers } from '../src/http/loaded-server.js';
import { PLUGIN_SERVERS, PLUGIN_WORKLOADS } from '../src/plugins/command.js';

it.each(PLUGIN_WORKLOADS)(
  'measures $name, with the same response of each server',
  async (workload) => {
    const turns = { slice: 100, warmUp: 100, connections: 2, generator: AutocannonLoad };
    const options = { node: process.execPath, ...turns };
    const { rows } = await compare(compareServers(workload, PLUGIN_SERVERS, options), 1);
    expect(rows).toHaveLength(PLUGIN_SERVERS.length);
    for (const row of rows) expect(quantileOf(row, 'throughput', 0.5)).toBeGreaterThan(0);
  },
);
