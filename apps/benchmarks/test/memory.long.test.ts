import { expect, it } from 'vitest';
import { pick } from '../src/command.js';
import { SERVERS } from '../src/http/servers.js';
import { WORKLOADS } from '../src/http/workloads.js';
import { measureMemory } from '../src/memory.js';

it.each([
  ['raw', 'plaintext'],
  ['users-api-memory', 'users-get'],
])('measures the memory of %s on %s', async (serverName, workloadName) => {
  const [server = expect.unreachable()] = pick(SERVERS, [serverName], 'server');
  const [workload = expect.unreachable()] = pick(WORKLOADS, [workloadName], 'workload');
  const options = { node: process.execPath, requests: 100, warmUp: 100, connections: 2 };
  const memory = await measureMemory(server, workload, options);
  expect(memory.start).toBeGreaterThan(0);
  expect(memory.end).toBeGreaterThan(0);
  expect(memory.perRequest).toBeGreaterThan(0);
});
