import { createApp, intended } from '@fairlead/core';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { expect, it } from 'vitest';
import { websocket, websocketUpgrade } from '../src/index.js';

it('an interval of pings that looks like seconds causes a warning, unless it is intended', () => {
  const create = () => websocket(() => {}, { pingInterval: 30 });
  expect(warningsOf(createApp().get('/', create()))).toEqual([
    expect.stringContaining(
      'websocket() sends a ping every 30 milliseconds. If you mean seconds, multiply by 1,000; otherwise pass its result to intended().',
    ),
  ]);
  expect(warningsOf(createApp().get('/', intended(create())))).toEqual([]);
  expect(
    warningsOf(
      createApp().get(
        '/',
        websocket(() => {}, { pingInterval: 100 }),
      ),
    ),
  ).toEqual([]);
});

it('websocketUpgrade() as a handler or as middleware causes a warning', () => {
  const upgrade = websocketUpgrade() as () => Promise<void>;
  expect(warningsOf(createApp().get('/', upgrade))).toEqual([
    expect.stringContaining(
      'websocketUpgrade() is an interceptor, so it opens no connection as the handler or the middleware of a route. Use websocket(handler), or pass it to @UseInterceptor() of a method that returns the handler.',
    ),
  ]);
});
