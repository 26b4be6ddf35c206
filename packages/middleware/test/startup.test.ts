import {
  createApp,
  createRouter,
  intended,
  type Middleware,
  notFoundHandler,
} from '@fairlead/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  cors,
  etag,
  requestId,
  requestLogger,
  secureHeaders,
  shareContext,
  timeout,
} from '../src/index.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the warnings that an application emits when it is sealed. */
function warningsOf(middleware: Middleware): readonly unknown[] {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const users = createRouter().get('/', () => []);
  createApp().route('/users', users).use(middleware, notFoundHandler()).seal();
  const warnings = emitWarning.mock.calls.map(([warning]) => String(warning));
  emitWarning.mockRestore();
  return warnings;
}

const FACTORIES: [string, (...args: never[]) => Middleware, Middleware][] = [
  ['cors', cors, cors()],
  ['cors', cors, cors({ origin: () => true })],
  ['etag', etag, etag()],
  ['requestId', requestId, requestId()],
  ['requestLogger', requestLogger, requestLogger()],
  ['secureHeaders', secureHeaders, secureHeaders()],
  ['shareContext', shareContext, shareContext()],
  ['timeout', timeout, timeout(1_000)],
];

describe.each(FACTORIES)('%s()', (name, factory, created) => {
  it('is not accepted without the call', () => {
    expect(() =>
      createApp()
        .use(factory as Middleware)
        .seal(),
    ).toThrow(`app.use() received the factory ${name}. Call it: ${name}().`);
    expect(() => createApp().use(created).seal()).not.toThrow();
  });

  it('after the routes causes a warning, unless it is intended', () => {
    expect(warningsOf(created)).toEqual([
      expect.stringContaining(
        `${name}() runs for no route, because all of them are registered before it: the router mounted at '/users'. Register it before the routes, or pass it to intended() if it is for unknown paths.`,
      ),
    ]);
    intended(created);
    expect(warningsOf(created)).toEqual([]);
  });
});
