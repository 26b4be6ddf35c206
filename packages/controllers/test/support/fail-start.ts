import { createApp, createRouter } from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';
import { expect } from 'vitest';
import { type ControllersPluginOptions, controllersPlugin } from '../../src/index.js';
import { locationIn } from './locations.js';

/** The location of the call of `controllersPlugin()`, which errors about its arguments show. */
export const PLUGIN_CALL: string = locationIn(import.meta.url, 'controllersPlugin({ container');

/**
 * Installs a plugin that must fail, and checks that nothing was registered.
 *
 * @returns The error of the installation.
 */
export async function failStart(
  controllers: readonly Constructor[],
  options: Partial<ControllersPluginOptions> = {},
): Promise<Error> {
  const router = options.router ?? createRouter();
  const before = router.routes.length;
  const container = createContainer();
  const plugin = controllersPlugin({ container, controllers, ...options, router });
  const error: unknown = await createApp()
    .plugin(plugin)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(Error);
  expect(router.routes).toHaveLength(before);
  return error as Error;
}
