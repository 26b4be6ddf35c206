import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, json, notFoundHandler } from '@fairlead/core';
import { type Container, createContainer } from '@fairlead/di';
import { Calls } from './calls.js';
import type { TestApp } from './test-app.js';
import type { TestAppOptions } from './test-app-options.js';
import { toRequestInit } from './test-request-init.js';

/**
 * Builds an application for one test: `errorHandler`, `before`, `json()`, the controllers, `after`,
 * `notFoundHandler`, over a container that nothing else uses.
 *
 * @param options - Where the controllers are, and what is overridden.
 * @returns The application, ready to be called; close it at the end of the test.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed.
 * @throws {InjectionError} When an override cannot work.
 */
export async function createTestApp<const Types extends readonly unknown[]>(
  options: TestAppOptions<Types>,
): Promise<TestApp> {
  const container = createContainer();
  try {
    return await build(options, container);
  } catch (error) {
    // What failed to start matters more than what then fails to end.
    await Promise.allSettled([container.dispose()]);
    throw error;
  }
}

async function build<const Types extends readonly unknown[]>(
  options: TestAppOptions<Types>,
  container: Container,
): Promise<TestApp> {
  const { register, overrides = [], before = [], after = [], onError, ...plugin } = options;
  await register?.(container);
  for (const override of overrides) container.register(...override);

  const calls = new Calls();
  const router = createRouter();
  const app = createApp().use(errorHandler({ onError: onError ?? calls.note }), ...before, json());
  await app.plugin({ name: 'container', install() {}, close: () => container.dispose() });
  await app.plugin(controllersPlugin({ strict: true, ...plugin, router, container }));
  app.route('/', router).use(...after, notFoundHandler());

  const close = () => app.close();
  return {
    container,
    request: (path, init = {}) => calls.make(async () => app.request(path, toRequestInit(init))),
    close,
    [Symbol.asyncDispose]: close,
  };
}
