import dns from 'node:dns';
import { expect, it, vi } from 'vitest';
import { createApp } from '../src/index.js';
import { serve } from './support/serve.js';

it.each([
  ['::1', '[::1]'],
  ['fe80::1', '[fe80::1]'],
  ['::', 'localhost'],
])('the url of a server on %s has the host %s', async (host, shown) => {
  // Not every machine has IPv6. The address leads to one that each machine has.
  vi.spyOn(dns, 'lookup').mockImplementation(((_host: string, ...rest: unknown[]) => {
    (rest.at(-1) as (error: null, address: string, family: number) => void)(null, '127.0.0.1', 4);
  }) as typeof dns.lookup);
  const { url, port } = await serve(createApp(), { host });
  expect(url).toBe(`http://${shown}:${port}`);
  expect(URL.canParse(url)).toBe(true);
});
