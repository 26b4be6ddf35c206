import { expect, it } from 'vitest';
import { measureOverload, OVERLOAD_SERVERS } from '../src/overload/command.js';

it.each(OVERLOAD_SERVERS.map((server) => [server[0], server] as const))(
  'sends more requests than it can serve to %s, and knows what became of each',
  async (_title, server) => {
    const options = { node: process.execPath, seconds: 1, patience: 500, connections: 50 };
    const { series } = await measureOverload(server, 600, options);
    const sum = ['done', 'rejected', 'lost'].reduce(
      (total, name) => total + (series[name]?.[0] ?? 0),
      0,
    );
    expect(sum).toBeGreaterThan(100);
    expect(series.times?.length).toBe(series.done?.[0]);
    expect(series.rejectedTimes?.length).toBe(series.rejected?.[0]);
    expect(series.probes?.length).toBeGreaterThan(0);
  },
);
