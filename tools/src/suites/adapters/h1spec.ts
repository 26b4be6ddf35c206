/** Serves an application that echoes each body, runs a suite that connects to it, and reports what the suite prints. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { createApp, listen } from '@fairlead/core';

const { SUITE_FILES = '[]', SUITE_OUTPUT = '', NODE_OPTIONS: _, ...env } = process.env;
const [file = '']: readonly string[] = JSON.parse(SUITE_FILES);

const app = createApp({ onError: () => undefined }).use(async (ctx) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of ctx.bodyStream()) chunks.push(chunk);
  ctx.set('Content-Type', 'text/plain');
  ctx.send(Buffer.concat(chunks));
});
const server = await listen(app, 0, { host: '127.0.0.1' });
const port = String(server.port);

// One suite is a Python module, and the other one a script for Deno.
const [command, ...args] = file.endsWith('.py')
  ? ['python3', '-c', 'import h1spec; h1spec.main()', '--strict', `127.0.0.1:${port}`]
  : [
      process.execPath,
      createRequire(import.meta.url).resolve('deno/bin.cjs'),
      ...['run', '--no-check', '--allow-net', file, '127.0.0.1', port],
    ];
const child = spawn(command ?? '', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });

const RESULT = /^\s*([✅✓❌✗])\s+(?:\d+\. )?(.*?)(?:: ((?:Response|Server|Read) .*))?$/u;
const read = async (stream: NodeJS.ReadableStream): Promise<void> => {
  for await (const line of createInterface(stream)) {
    const [, mark = '', name, message] = RESULT.exec(stripVTControlCharacters(line)) ?? [];
    if (name === undefined) console.log(line);
    else {
      const result = { name: `${file} > ${name}`, passed: '✅✓'.includes(mark), message };
      appendFileSync(SUITE_OUTPUT, `${JSON.stringify(result)}\n`);
    }
  }
};
await Promise.all([read(child.stdout), read(child.stderr)]);
await server.close({ timeout: 0 });
