/**
 * Counts the files, functions and calls of this package that one warm GET passes through, from its
 * socket to its response. Run it with `node test/support/warm-request.ts`; it prints JSON.
 */
import { once } from 'node:events';
import { get } from 'node:http';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';

const SOURCE = new URL('../../src/', import.meta.url).href;

// The sources import each other as `.js` files, as the compiler outputs them.
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    context.parentURL?.startsWith(SOURCE) && specifier.startsWith('.')
      ? nextResolve(specifier.replace(/\.js$/, '.ts'), context)
      : nextResolve(specifier, context),
});

const { createApp, createRouter, errorHandler, json, listen, notFoundHandler } = await import(
  `${SOURCE}index.ts`
);

const users = createRouter().get('/:id', (ctx: { params: unknown; json(value: unknown): void }) =>
  ctx.json(ctx.params),
);
const app = createApp().use(errorHandler(), json()).route('/users', users).use(notFoundHandler());
const server = await listen(app, 0);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

// The timer for idle connections may fire during a measurement. The smallest of several excludes it.
const counts = [];
for (let request = 0; request < 20; request += 1) {
  await session.post('Profiler.takePreciseCoverage');
  await send();
  counts.push(await countCalls());
}
counts.sort((one, other) => one.calls - other.calls);
console.log(JSON.stringify(counts[0], undefined, 2));
session.disconnect();
await server.close();

async function send(): Promise<void> {
  const request = get(`${server.url}/users/7`);
  const [response] = await once(request, 'response');
  await once(response.resume(), 'close');
}

async function countCalls() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files: Record<string, string[]> = {};
  let functions = 0;
  let calls = 0;
  for (const { url, functions: all } of result.filter((script) => script.url.startsWith(SOURCE))) {
    const called = all.flatMap(({ functionName, ranges: [range] }) =>
      range && range.count > 0 ? [{ name: functionName || '(anonymous)', count: range.count }] : [],
    );
    if (called.length === 0) continue;
    files[url.slice(SOURCE.length)] = called.map(({ name, count }) => `${name} ${count}`);
    functions += called.length;
    calls += called.reduce((sum, { count }) => sum + count, 0);
  }
  return { fileCount: Object.keys(files).length, functions, calls, files };
}
