import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import type { WebSocketOptions } from '../src/index.js';

const root = join(import.meta.dirname, '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

it("the README's table lists every option", () => {
  const options: Readonly<Record<keyof WebSocketOptions, true>> = {
    origins: true,
    protocols: true,
    maxMessageSize: true,
    maxMessageRate: true,
    maxBufferSize: true,
    pingInterval: true,
  };
  const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(readme) ?? [];
  const listed = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});

it('docs/errors.md lists exactly the error codes in the source', async () => {
  const files = await readdir(join(root, 'src'));
  const sources = await Promise.all(files.map((file) => readFile(join(root, 'src', file), 'utf8')));
  const codes = sources.flatMap((source) => [
    ...source.matchAll(/(?:code: |SetupError\(\s*)'([A-Z_]+)'/g),
  ]);
  const row = /^\| (?:`\w+Error`|warning) \| `([A-Z_]+)` \|/gm;
  const documented = [...errorsOf('websocket').matchAll(row)];
  const unique = (matches: readonly RegExpMatchArray[]) =>
    [...new Set(matches.map(([, code]) => code))].sort();
  expect(unique(documented)).toEqual(unique(codes));
  expect(documented).toHaveLength(6);
});
