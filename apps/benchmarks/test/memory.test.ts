import { expect, it } from 'vitest';
import { BASELINE } from '../src/http/servers.js';
import { WORKLOADS } from '../src/http/workloads.js';
import { measureMemory } from '../src/memory/measure.js';

it.each(WORKLOADS.slice(0, 1))(
  'counts the bytes that a request of $name takes',
  async (workload) => {
    const memory = await measureMemory(BASELINE, workload, {
      ...{ node: process.execPath, requests: 100, connections: 2 },
    });
    expect(memory.start).toBeGreaterThan(0);
    expect(memory.end).toBeGreaterThan(0);
    expect(memory.perRequest).toBeGreaterThan(0);
  },
);
