import { AsyncLocalStorage } from 'node:async_hooks';
import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, json, notFoundHandler } from '@fairlead/core';
import { type Container, createContainer } from '@fairlead/di';
import type { TestApp, TestRequestInit } from './test-app.js';
import type { TestAppOptions } from './test-app-options.js';

/**
 * Creates an application for one test with its own container. Its pipeline is `errorHandler`,
 * `before`, `json()`, the controllers, `after`, `notFoundHandler`.
 *
 * @param options - The controllers, the overrides and the surrounding middleware.
 * @returns The application, ready for requests. Close it at the end of the test.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed.
 * @throws {InjectionError} When an override is invalid.
 */
export async function createTestApp<const Types extends readonly unknown[]>(
  options: TestAppOptions<Types>,
): Promise<TestApp> {
  const container = createContainer();
  try {
    return await build(options, container);
  } catch (error) {
    // The startup error matters more than disposal errors.
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
  const app = createApp().use(
    errorHandler({ onError: onError ?? calls.report }),
    ...before,
    json(),
  );
  await app.plugin({ name: 'container', install() {}, close: () => container.dispose() });
  await app.plugin(controllersPlugin({ strict: true, ...plugin, router, container }));
  app.route('/', router).use(...after, notFoundHandler());

  const close = () => app.close();
  return {
    container,
    request: (path, init = {}) => calls.run(async () => app.request(path, toRequestInit(init))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A call, which is open until its response arrives. */
interface Call {
  readonly errors: unknown[];
  open: boolean;
}

/** Assigns errors to concurrent calls by their asynchronous context. */
class Calls {
  readonly #current = new AsyncLocalStorage<Call>();

  /** Records an error for the current call, or logs it when that call has ended. */
  readonly report = (error: unknown): void => {
    const call = this.#current.getStore();
    if (call?.open) call.errors.push(error);
    else console.error(error);
  };

  /**
   * Runs a call and returns its response.
   *
   * @throws The first error reported during the call, or else the rejection of `send`.
   */
  async run(send: () => Promise<Response>): Promise<Response> {
    const call: Call = { errors: [], open: true };
    const [outcome] = await this.#current.run(call, () => Promise.allSettled([send()]));
    call.open = false;
    if (call.errors.length > 0) throw call.errors[0];
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

function toRequestInit({ json, ...init }: TestRequestInit): RequestInit {
  if (json === undefined) return init;
  if (init.body != null) {
    throw new TypeError('Cannot send both json and body in one request. Pass only one of them.');
  }
  const headers = new Headers(init.headers);
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  return { ...init, headers, body: JSON.stringify(json) };
}
