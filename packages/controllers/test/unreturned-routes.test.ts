import { createApp, createRouter, intended } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { expect, it, vi } from 'vitest';
import {
  type ControllerValue,
  controllersPlugin,
  defineController,
  registerController,
} from '../src/index.js';

/** Returns what a start with a controller warns about. */
async function warningsOf(controller: ControllerValue): Promise<readonly string[]> {
  const warn = vi.fn<(message: string) => void>();
  const router = createRouter();
  const logger = { debug() {}, warn };
  await createApp()
    .plugin(
      controllersPlugin({
        router,
        container: createContainer(),
        controllers: [controller],
        logger,
      }),
    )
    .then((app) => app.route('/', router).seal());
  return warn.mock.calls.flat();
}

const forgotten = () =>
  defineController('/users', {
    routes: ({ get, on }) => {
      get('/forgotten', () => 1);
      on(['PUT', 'PATCH'], '/:id', () => 1);
      return { list: get('/', () => []) };
    },
  });

it('warns about the routes of a value that are created, but not returned', async () => {
  const fix =
    'Fix: add it to the object that routes returns, remove it, or pass it to intended() if it is left out on purpose.';
  const at = /\n {2}At: test\/unreturned-routes\.test\.ts:(\d+):7/;
  const warnings = await warningsOf(forgotten());
  expect(warnings.map((warning) => warning.replace(at, ''))).toEqual(
    ["get('/forgotten')", "on(['PUT', 'PATCH'], '/:id')"].map(
      (call) =>
        `[controllers] the routes of users create ${call}, but do not return it, so it is not registered.\n  ${fix}`,
    ),
  );
  const [first, second] = warnings.map((warning) => Number(at.exec(warning)?.[1]));
  expect(second).toBe(Number(first) + 1);
  const log = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  registerController(createRouter(), forgotten(), { container: createContainer() });
  expect(log.mock.calls).toHaveLength(2);
  log.mockRestore();
});

it('does not warn about a route or a controller that is intended', async () => {
  expect(await warningsOf(intended(forgotten()))).toEqual([]);
  const partial = defineController('/users', {
    routes: ({ get }) => {
      const list = get('/', () => []);
      intended(get('/debug', () => []));
      return { list };
    },
  });
  expect(await warningsOf(partial)).toEqual([]);
});
