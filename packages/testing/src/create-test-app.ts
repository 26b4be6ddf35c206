import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { controllersPlugin, type GuardFn } from '@fairlead/controllers';
import { GUARD_OVERRIDES } from '@fairlead/controllers/extend';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  isHttpError,
  json,
  notFoundHandler,
  type PublishedError,
  SetupError,
} from '@fairlead/core';
import { type Container, createContainer, type Token } from '@fairlead/di';
import { captureCaller, type Locate, markIntended, setLocation } from '@fairlead/options';
import { createAgent } from './agent.js';
import { UnusedOverrideError } from './errors.js';
import { strictProvider } from './fake.js';
import type { TestApp, TestRequestInit } from './test-app.js';
import {
  type ApplicationTestOptions,
  assertTestOptions,
  type CommonTestOptions,
  type GuardOverride,
  type Override,
  type TestAppOptions,
} from './test-app-options.js';
import { openTestSocket } from './test-socket.js';

/**
 * Creates an application for one test with its own container. It checks that responses match the schemas of
 * their routes. With `app`, the function creates the application. Otherwise, the pipeline is `errorHandler`,
 * `before`, `json()`, the controllers, `after`, `notFoundHandler`.
 *
 * @param options - The overrides, and either a function that creates the application, or the controllers
 *   and the surrounding middleware.
 * @returns The application, ready for requests. Close it at the end of the test.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed.
 * @throws {InjectionError} When an override is invalid.
 * @throws {UnusedOverrideError} When nothing can use an override.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or has an invalid value, cannot
 *   be combined with `app`, or overrides a guard function that no route has.
 * @throws {TypeError} When `app` returns no application.
 */
export async function createTestApp<const Types extends readonly unknown[]>(
  options: TestAppOptions<Types> | ApplicationTestOptions<Types>,
): Promise<TestApp> {
  const locate = captureCaller(createTestApp);
  assertTestOptions(options);
  const container = createContainer();
  const calls = new Calls(options.onError);
  let app: Application | undefined;
  const close = async (): Promise<void> => {
    calls.end();
    const outcomes = [
      ...(await Promise.allSettled([app?.close()])),
      ...(await Promise.allSettled([container.dispose()])),
    ];
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  };
  try {
    addOverrides(container, calls, options.overrides);
    const guards = new GuardOverrides(options.guardOverrides);
    guards.addTo(container);
    app = await (options.app === undefined
      ? createDefaultApp(options, container, calls, locate)
      : createOwnApp(options, container));
    guards.assertUsed();
    assertUsed(container, (token) => isUnusable(token, options));
    return createHandle(app, container, calls, close);
  } catch (error) {
    // The startup error matters more than the errors of closing.
    await close().catch(() => {});
    throw error;
  }
}

function createHandle(
  app: Application,
  container: Container,
  calls: Calls,
  closeApp: () => Promise<void>,
): TestApp {
  let closed: Promise<void> | undefined;
  let checked: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    closed ??= closeApp();
    return closed;
  };
  const close = (): Promise<void> => {
    checked ??= closeOnce().then(() => assertUsed(container, () => true));
    return checked;
  };
  const request = (path: string, init: TestRequestInit = {}): Promise<Response> =>
    calls.run(async () => {
      const { ip, query, ...rest } = init;
      const caller = ip === undefined ? {} : { ip };
      return app.request(addQuery(path, query), toRequestInit(rest), caller);
    });
  return {
    app,
    container,
    request,
    fetch: (request) => calls.run(() => app.fetch(request, { ip: '127.0.0.1' })),
    agent: (options = {}) => createAgent(request, options),
    websocket: (path, init = {}) => calls.run(() => openTestSocket(app, path, init)),
    close,
    // An error of the test matters more than an override that the test did not get to use.
    [Symbol.asyncDispose]: () => (calls.areAnswered ? close() : closeOnce()),
  };
}

/** Adds the overrides. The container keeps them when the application registers its providers. */
function addOverrides(
  container: Container,
  calls: Calls,
  overrides: readonly Override<unknown>[] = [],
): void {
  for (const [token, provider, options] of overrides) {
    // A strict factory hides how the original reads its parameters.
    createContainer().override(token, provider, options);
    container.override(token, strictProvider(token, provider, calls.reject), options);
  }
}

/** Replaces guard functions of controllers. */
class GuardOverrides {
  readonly #replacements: ReadonlyMap<GuardFn, GuardFn>;
  readonly #unused: Set<GuardFn>;

  constructor(overrides: readonly GuardOverride[] = []) {
    this.#replacements = new Map(overrides);
    this.#unused = new Set(this.#replacements.keys());
  }

  addTo(container: Container): void {
    if (this.#replacements.size === 0) return;
    const useValue = (guard: GuardFn): GuardFn | undefined => {
      this.#unused.delete(guard);
      return this.#replacements.get(guard);
    };
    container.register(GUARD_OVERRIDES, { useValue });
  }

  /** @throws {SetupError} `INVALID_OPTION`, when no route has one of the guards. */
  assertUsed(): void {
    if (this.#unused.size === 0) return;
    const names = [...this.#unused].map(({ name }) => name || 'a function without a name');
    throw new SetupError(
      'INVALID_OPTION',
      `createTestApp() cannot override the guard ${names.join(', or ')}: no route of a controller has it. Pass the function that @UseGuard() or the plugin received, and the container of the test to controllersPlugin(), or remove the override.`,
    );
  }
}

/** The options of an application without the types of its overrides. */
type Untyped<Options> = Omit<Options, 'overrides'> & { readonly overrides?: unknown };

async function createDefaultApp(
  options: Untyped<TestAppOptions>,
  container: Container,
  calls: Calls,
  locate: Locate,
): Promise<Application> {
  const {
    app: _,
    overrides: __,
    guardOverrides: ___,
    onError: ____,
    register,
    before = [],
    after = [],
    compileResponse,
    validationStatus,
    versions,
    ...plugin
  } = options;
  await register?.(container);
  const router = createRouter();
  const app = createApp({
    checkResponses: true,
    ...(compileResponse && { compileResponse }),
    ...(validationStatus && { validationStatus }),
    // The routes of the default may be missing here.
    ...(versions && { versions: markIntended({ ...versions }) }),
  }).use(errorHandler({ onError: calls.log }), ...before, json());
  // The guards of the application may be missing here.
  const guards = markIntended([...(plugin.guards ?? [])]);
  const pluginOptions = { strict: true, ...plugin, guards, router, container };
  setLocation(pluginOptions, locate);
  await app.plugin(controllersPlugin(pluginOptions));
  app.route('/', router).use(...after, notFoundHandler());
  // Messages about them show the test instead of this file.
  for (const one of [app, ...before, ...after]) setLocation(one, locate);
  return app;
}

async function createOwnApp(
  { app: create }: Untyped<ApplicationTestOptions>,
  container: Container,
): Promise<Application> {
  const app: Partial<Application> | undefined = await create(container);
  if (isApplication(app)) return checkResponses(app);
  throw new TypeError(
    'The function passed as app returned no application. Return the application that it creates.',
  );
}

/** Turns on the check of responses, unless the application has handled requests already. */
function checkResponses(app: Application): Application {
  try {
    return app.checkResponses();
  } catch (error) {
    // Also accepts one from another copy of core.
    if (codeOf(error) !== 'APPLICATION_SEALED') throw error;
    assertOpen(app);
    return app;
  }
}

/** @throws {SetupError} `INVALID_OPTION`, when another test has closed an application that has handled requests. */
function assertOpen(app: Application): void {
  try {
    // Does nothing a second time, unless the application is closed.
    app.seal();
  } catch (cause) {
    if (codeOf(cause) !== 'APPLICATION_CLOSED') throw cause;
    throw new SetupError(
      'INVALID_OPTION',
      'createTestApp() cannot use an application that is closed, as after an earlier test. Create it inside the function, as in createTestApp({ app: () => createMyApp() }).',
      { cause },
    );
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

/** Unlike `instanceof`, accepts an application of another copy of core. */
function isApplication(app: Partial<Application> | undefined): app is Application {
  return typeof app?.request === 'function' && typeof app.close === 'function';
}

/**
 * Whether nothing can use an override after the startup. Code that has the container may still resolve a
 * class that has `@Service()`.
 */
function isUnusable(
  token: Token,
  { app, register }: { readonly app?: unknown; readonly register?: unknown },
): boolean {
  const isContainerKnown = app !== undefined || register !== undefined;
  return !isContainerKnown || !createContainer().has(token);
}

function assertUsed(container: Container, isRelevant: (token: Token) => boolean): void {
  const unused = container.unusedOverrides().filter(isRelevant);
  if (unused.length > 0) throw new UnusedOverrideError(unused, container.tokens());
}

/** A call, which is open until its response arrives. */
interface Call {
  readonly errors: unknown[];
  open: boolean;
}

/** Assigns errors to concurrent calls by their asynchronous context. */
class Calls {
  readonly #current = new AsyncLocalStorage<Call>();
  readonly #onError: CommonTestOptions['onError'];
  #answered = 0;
  #rejected = 0;

  /** @param onError - Receives the errors of calls. Without it, calls reject with them. */
  constructor(onError: CommonTestOptions['onError']) {
    this.#onError = onError;
    subscribe(ERRORS, this.#listener);
  }

  /** Whether there were calls, and none of them has rejected. */
  get areAnswered(): boolean {
    return this.#answered > 0 && this.#rejected === 0;
  }

  /** Stops listening for errors. */
  end(): void {
    unsubscribe(ERRORS, this.#listener);
  }

  /** Logs an error that no call rejects with: its client sees it, or its call has ended. */
  readonly log = (error: unknown): void => {
    if (this.#onError !== undefined) return;
    if (isShown(error) || !this.#current.getStore()?.open) console.error(error);
  };

  /**
   * Runs a call and returns its result.
   *
   * @throws The first error reported during the call, or else the rejection of `send`.
   */
  async run<Result>(send: () => Promise<Result>): Promise<Result> {
    try {
      const response = await this.#run(send);
      this.#answered += 1;
      return response;
    } catch (error) {
      this.#rejected += 1;
      throw error;
    }
  }

  /** Makes the current call, if any, reject with an error, even if the application catches it. */
  readonly reject = (error: unknown): void => {
    const call = this.#current.getStore();
    if (call?.open) call.errors.push(error);
  };

  async #run<Result>(send: () => Promise<Result>): Promise<Result> {
    const call: Call = { errors: [], open: true };
    const [outcome] = await this.#current.run(call, () => Promise.allSettled([send()]));
    call.open = false;
    if (call.errors.length > 0) throw call.errors[0];
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** Receives the reported errors of all applications in the process. */
  readonly #listener = (message: unknown): void => {
    const call = this.#current.getStore();
    if (call === undefined) return;
    const { error, ctx } = message as PublishedError;
    if (this.#onError !== undefined) this.#onError(error, ctx);
    else if (call.open && !isShown(error)) call.errors.push(error);
  };
}

/** The diagnostics channel on which core publishes errors that it reports. */
const ERRORS = 'fairlead:error';

/** Whether clients see the message of an error, although it is reported. */
function isShown(error: unknown): boolean {
  return isHttpError(error) && error.expose;
}

/** Appends to the query of a path. */
function addQuery(path: string, query: TestRequestInit['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((one): [string, string][] => (one === undefined ? [] : [[name, String(one)]])),
  );
  if (pairs.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`;
}

function toRequestInit({ json, ...init }: Omit<TestRequestInit, 'ip' | 'query'>): RequestInit {
  if (json === undefined) return init;
  if (init.body != null) {
    throw new TypeError('Cannot send both json and body in one request. Pass only one of them.');
  }
  const headers = new Headers(init.headers);
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  return { ...init, headers, body: JSON.stringify(json) };
}
