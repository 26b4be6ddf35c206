import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { compare, quantileOf } from '../src/comparison.js';
import { AutocannonLoad } from '../src/http/autocannon.js';
import { Load } from '../src/http/load.js';
import { compareServers, startLoaded } from '../src/http/loaded-server.js';
import { BASELINE, serversOf } from '../src/http/servers.js';
import { WORKLOADS } from '../src/http/workloads.js';

const [PLAINTEXT = expect.unreachable()] = WORKLOADS;

const options = { node: process.execPath, slice: 5, warmUp: 5, connections: 2 };

describe.each(WORKLOADS)('$name', (workload) => {
  it('gets the same responses from every server', async () => {
    const servers = serversOf(workload.name);
    const { rows } = await compare(compareServers(workload, servers, options), 1);
    expect(rows.map((row) => row.title)).toEqual(servers.map((server) => server.title));
    for (const row of rows) {
      expect(quantileOf(row, 'throughput', 0.5)).toBeGreaterThan(0);
      expect(quantileOf(row, 'cpu', 0.5)).toBeGreaterThan(0);
    }
  });
});

it('rejects a server whose response differs from the expected one', async () => {
  const json = { ...BASELINE, program: () => BASELINE.program('json') };
  await expect(startLoaded(json, PLAINTEXT, options)).rejects.toThrow(
    'raw, plaintext: GET / responds with {"status":200,"type":"application/json"',
  );
});

describe.each([Load, AutocannonLoad])('%o', (Generator) => {
  it('rejects a response with an unexpected status', async () => {
    const server = createServer((_req, res) => res.writeHead(500).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const load = new Generator(port, await PLAINTEXT.prepare(''), 1);
    await expect(load.run(5)).rejects.toThrow('500');
    load.close();
    server.close();
  });
});
