import { expect, it, onTestFinished, vi } from 'vitest';
import { createApp, intended, json, type ListenOptions, listen, text } from '../src/index.js';

function watchWarnings(): () => readonly string[] {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  onTestFinished(() => emit.mockRestore());
  return () => emit.mock.calls.map(([message]) => String(message));
}

it('a limit of a parser that looks like megabytes causes a warning, unless it is intended', () => {
  const warnings = watchWarnings();
  const start = (parser: ReturnType<typeof json>) =>
    createApp()
      .post('/', parser, () => 1)
      .seal();
  start(json({ limit: 5 }));
  start(text({ limit: 5 }));
  expect(warnings()).toEqual([
    expect.stringContaining(
      "json() accepts at most 5 bytes. If you mean megabytes, pass limit: '5mb'; otherwise pass the middleware to intended().",
    ),
    expect.stringContaining('text() accepts at most 5 bytes.'),
  ]);
  for (const parser of [json({ limit: 0 }), json({ limit: 100 }), intended(json({ limit: 5 }))])
    start(parser);
  expect(warnings()).toHaveLength(2);
});

it('a timeout of listen() that looks like seconds causes a warning, unless it is intended', async () => {
  const warnings = watchWarnings();
  const start = async (options: ListenOptions) => {
    const server = await listen(createApp(), 0, options);
    await server.close();
  };
  await start({ host: '127.0.0.1', requestTimeout: 30, keepAliveTimeout: 0, writeTimeout: 100 });
  expect(warnings()).toEqual([
    expect.stringMatching(
      /^The option requestTimeout is 30 milliseconds\. If you mean seconds, multiply by 1,000; otherwise pass the options to intended\(\)\.\n {2}At: test\/units\.test\.ts:\d+:\d+$/,
    ),
  ]);
  await start(intended({ host: '127.0.0.1', requestTimeout: 30 }));
  expect(warnings()).toHaveLength(1);
});
