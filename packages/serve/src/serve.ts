import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Application,
  InvalidApplicationError,
  type ListenOptions,
  listen,
  type Server,
  SetupError,
} from '@fairlead/core';
import { descriptionOf, isListening } from '@fairlead/core/extend';
import {
  anything,
  atLine,
  captureCaller,
  describeValue,
  explainSeconds,
  fn,
  formatLocation,
  integer,
  isIntended,
  type Kinds,
  LONGEST_DELAY,
  type Locate,
  markIntended,
  milliseconds,
  reporterOf,
  SHORTEST_TIMEOUT,
  setLocation,
  warn,
} from '@fairlead/options';
import { ConfigError, failedConfigs, warnOfVariables } from './config/define-config.js';
import {
  CONSOLE,
  describeStartError,
  type Lifecycle,
  manage,
  NAME,
  PROCESS_OPTIONS,
  type ProcessOptions,
  requireOptions,
  type Step,
} from './run-process.js';

/** Options of {@link serve}. The host, limits and timeouts are those of `listen`. */
export interface ServeOptions extends ListenOptions, ProcessOptions {
  /** 0 to 65535; 0 selects a free port. */
  readonly port: number;
  /**
   * Port of {@link Applications.operations}, 0 to 65535, on the same `host` and with the same `tls`. The other
   * options of `listen` keep their defaults there.
   */
  readonly operationsPort?: number | undefined;
  /**
   * Milliseconds to keep serving after the shutdown has begun, so that load balancers stop sending requests;
   * 0 by default.
   */
  readonly delay?: number;
  /**
   * Milliseconds for open requests after `delay`, before they are cut off with a warning; 8,000 by default.
   * With a `deadline`, the default is nine tenths of what remains of it after `delay`.
   */
  readonly timeout?: number;
  /**
   * Milliseconds from the start of the shutdown until the process exits with 1. Default: the sum of
   * `delay`, `timeout` and 1,000.
   */
  readonly deadline?: number;
  /** Called once everything listens, instead of logging the URL of the server. */
  readonly onListen?: (server: Server) => unknown;
}

/** An application, and another one with the routes for operators, such as health checks and metrics. */
export interface Applications {
  /** Served on `port`. */
  readonly app: Application;
  /**
   * Served on `operationsPort`, from the time `app` listens until everything else is closed. Without
   * `operationsPort`, the same as `app`.
   */
  readonly operations: Application;
}

/** A running application. */
export interface Service {
  readonly server: Server;
  /** The server of {@link Applications.operations}; `server` if there is only one. */
  readonly operations: Server;
  /** Begins the shutdown. See {@link Lifecycle.stop}. */
  stop(reason?: string): void;
}

/** The options of {@link serve}. `listen` checks those that accept anything here. */
const SERVE_OPTIONS: Kinds<ServeOptions> = {
  ...PROCESS_OPTIONS,
  delay: milliseconds,
  timeout: milliseconds,
  onListen: fn,
  port: anything,
  operationsPort: integer(0, 65_535),
  host: anything,
  tls: anything,
  reusePort: anything,
  maxConnections: anything,
  headersTimeout: anything,
  requestTimeout: anything,
  keepAliveTimeout: anything,
  writeTimeout: anything,
  maxHeaderSize: anything,
  maxHeaders: anything,
  maxTargetSize: anything,
};

/** Milliseconds to close everything after the last request, without a `deadline`. */
const CLOSING_TIME = 1_000;

/** Default of {@link ServeOptions.timeout} when neither it nor `deadline` is given. */
const TIMEOUT = 8_000;

/** What {@link serve} serves. */
export type Served = Application | Applications;

/**
 * Runs an application as the main program of the process: listens, logs the URL, and handles signals,
 * uncaught errors and exit codes.
 *
 * At the first signal, `stopping` aborts. After `delay`, the server stops listening and finishes its
 * open requests. Then `app.close()` runs, and the `onClose` callbacks, the last one first. Then the port
 * for operators closes. A second signal exits immediately, as does the deadline.
 *
 * If startup fails, the process prints the error, closes what was opened, and exits with 1. It reports what is wrong
 * with configurations of `defineConfig()` together with the problems of the application.
 *
 * @param app - The application, both {@link Applications}, or a function that creates them. The function
 *   receives the process's {@link Lifecycle}.
 * @param options - The port and the details of the shutdown, or a function that returns them, which may read a
 *   configuration.
 * @returns The service, once it listens.
 */
export async function serve(
  app: Served | ((lifecycle: Lifecycle) => Served | Promise<Served>),
  options: ServeOptions | (() => ServeOptions),
): Promise<Service> {
  const locate = captureCaller(serve);
  let settings: ServeOptions;
  let times: Times;
  try {
    settings = typeof options === 'function' ? options() : options;
    requireOptions('serve()', settings, SERVE_OPTIONS);
    times = timesOf(settings);
    assertPorts(settings);
    warnOfTimes(settings, locate);
  } catch (error) {
    if (!(error instanceof ConfigError)) return manage(() => Promise.reject(error), {});
    return manage((lifecycle, serving) => failTogether(error, app, lifecycle, serving), {});
  }
  const { delay, timeout, deadline } = times;
  return manage(
    async (lifecycle, serving) => {
      const { operationsPort, onListen, logger = CONSOLE, name = NAME } = settings;
      let second: Application | undefined;
      let operationsServer: Server | undefined;
      // The callback that is registered first runs last.
      lifecycle.onClose(async function operations(remaining) {
        await operationsServer?.close({ timeout: remaining / 2 });
        await second?.close();
      });
      let readsStopping = false;
      const observed: Lifecycle = Object.freeze({
        ...lifecycle,
        get stopping() {
          readsStopping = true;
          return lifecycle.stopping;
        },
      });
      const served = await create(app, observed);
      const applications = applicationsOf(served, app);
      const first = applications.app;
      warnIfServed(first, locate);
      if (applications.operations !== first) warnIfListening(applications.operations);
      if (applications.operations !== first) second = applications.operations;
      serving.push({ name: 'app.close()', run: () => first.close() });
      assertConfigured(applications);
      assertOperations(second, operationsPort);
      lifecycle.stopping.throwIfAborted();
      const server = await listen(first, settings.port, listenOptionsOf(settings, locate));
      const openRequests = trackRequests(server, settings.tls !== undefined);
      const report = reporterOf('logger.warn() of serve()', (text) => logger.warn(String(text)));
      const warnOfCut = (): void => {
        const count = openRequests();
        const requests = `${count} open request${count === 1 ? '' : 's'}`;
        const fix = 'Increase timeout, or end long requests when ctx.closing aborts.';
        if (count > 0) report(`${name} cut off ${requests} after ${timeout} ms. ${fix}`);
      };
      async function closeServer(): Promise<void> {
        // Runs before the timer of close(), which destroys the connections.
        const timer = setTimeout(warnOfCut, timeout);
        await server.close({ timeout });
        clearTimeout(timer);
      }
      serving.push({ name: 'open requests', run: closeServer });
      if (second !== undefined && operationsPort !== undefined) {
        const { host, tls } = settings;
        operationsServer = await listen(second, operationsPort, {
          ...(host !== undefined && { host }),
          ...(tls !== undefined && { tls }),
        });
        logger.info(`${name} serves operators on ${operationsServer.url}`);
      }
      if (delay > 0) {
        serving.push({ name: 'delay', run: () => wait(delay) });
        for (const each of new Set(Object.values(applications))) warnIfReady(each, readsStopping);
      }
      if (onListen) onListen(server);
      else logger.info(`${name} listens on ${server.url}`);
      const stop = (reason?: string): void => lifecycle.stop(reason);
      return Object.freeze({ server, operations: operationsServer ?? server, stop });
    },
    { ...settings, deadline },
  );
}

/** What {@link serve} receives. */
type App = Served | ((lifecycle: Lifecycle) => Served | Promise<Served>);

/** @throws {Error} With what is wrong with configurations, too. */
async function create(app: App, lifecycle: Lifecycle): Promise<Served> {
  try {
    return typeof app === 'function' ? await app(lifecycle) : app;
  } catch (error) {
    throw joinFailures([...failedConfigs(), error]);
  }
}

/** @throws {Error} When configurations are invalid, together with the problems of the applications. */
function assertConfigured(applications: Applications): void {
  warnOfVariables();
  const failed = failedConfigs();
  if (failed.length === 0) return;
  const problems = [...new Set(Object.values(applications))].flatMap((one) => {
    try {
      one.seal();
      return [];
    } catch (error) {
      return [error];
    }
  });
  throw joinFailures([...failed, ...problems]);
}

/** Creates the application only to report its problems together with those of the configuration. */
async function failTogether(
  error: ConfigError,
  app: App,
  lifecycle: Lifecycle,
  serving: Step[],
): Promise<never> {
  const applications = applicationsOf(await create(app, lifecycle), app);
  for (const one of new Set(Object.values(applications)))
    serving.push({ name: 'app.close()', run: () => one.close() });
  assertConfigured(applications);
  throw error;
}

/** Returns the only error, or one with all of them. Omits those that follow from an invalid configuration. */
function joinFailures(errors: readonly unknown[]): unknown {
  const problems = errors.flatMap(problemsOf).filter((one) => !followsFromConfig(one));
  const byText = new Map(problems.map((one) => [describeStartError(one), one]));
  if (byText.size < 2) return problems[0];
  return new InvalidApplicationError(
    [...byText].map(([text, one]) =>
      one instanceof Error && 'code' in one ? one : new Error(text, { cause: one }),
    ),
  );
}

/** Returns the problems that an error lists, or the error itself. */
function problemsOf(error: unknown): readonly unknown[] {
  const { problems }: { readonly problems?: unknown } = Object(error);
  return Array.isArray(problems) && problems.length > 0 ? problems : [error];
}

/** Whether something could not be created because it reads a configuration that is invalid. */
function followsFromConfig(error: unknown): boolean {
  const { cause }: { readonly cause?: unknown } = Object(error);
  return cause instanceof ConfigError || (cause !== undefined && followsFromConfig(cause));
}

/** Returns a function that counts the connections with a request whose response has not been sent completely. */
function trackRequests({ node }: Server, hasTls: boolean): () => number {
  const sockets = new Set<Socket>();
  node.on(hasTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Node.js sets the property while it responds. A listener of 'request' would slow down each request.
  const isBusy = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean =>
    socket.writableLength > 0 || Boolean(socket._httpMessage);
  return () => [...sockets].filter(isBusy).length;
}

const servedApplications = new WeakSet<Application>();

/** Warns about an application that is already served, such as by a module that is imported twice. */
function warnIfServed(app: Application, locate: Locate): void {
  if (servedApplications.has(app) && !isIntended(app)) {
    const fix =
      'Call serve() once, in the main module. To use two ports, pass the application to intended().';
    const problem = `serve() received an application that it already serves. ${fix}`;
    warn('FAIRLEAD_SERVED_TWICE', problem + formatLocation(locate));
  } else warnIfListening(app);
  servedApplications.add(app);
}

/** Warns about an application that `listen()` serves already, such as in the function that creates it. */
function warnIfListening(app: Application): void {
  if (!isListening(app) || isIntended(app)) return;
  const fix = 'Remove the call of listen(). To use two ports, pass the application to intended().';
  warn('FAIRLEAD_SERVED_TWICE', `serve() received an application that already listens. ${fix}`);
}

/**
 * Warns about a readiness route that responds as before during the option `delay`, so that load balancers keep sending
 * requests.
 *
 * @param readsStopping - Whether the application has received the signal.
 */
function warnIfReady(app: Application, readsStopping: boolean): void {
  if (isIntended(app)) return;
  const route = app.routes().find(({ pattern, handlers }) => {
    const isUnaware = handlers.some((one) => descriptionOf(one)?.name === UNAWARE);
    return isUnaware || (!readsStopping && /\/(?:ready|readyz|readiness)$/.test(pattern));
  });
  if (route === undefined) return;
  const fix =
    'Pass the stopping of the function serve(({ stopping }) => …) to createHealth({ stopping }), or respond with 503 once it has aborted. Otherwise, pass the application to intended().';
  warn(
    'FAIRLEAD_OPTION',
    `serve() waits for its delay so that load balancers stop sending requests, but ${route.method} ${route.pattern} does not tell them that the process stops. ${fix}${atLine(route.options)}`,
  );
}

/** The name of a readiness route of `@fairlead/middleware` that does not know when the process stops. */
const UNAWARE = 'createHealth() without stopping';

/** @throws {SetupError} `INVALID_OPTION`, when there is no application to serve. */
function applicationsOf(served: Served, app: unknown): Applications {
  if (isApplication(served)) return { app: served, operations: served };
  const { app: main, operations }: Partial<Applications> = Object(served);
  if (isApplication(main) && isApplication(operations)) return { app: main, operations };
  const [received, fix] =
    typeof app === 'function'
      ? [
          `a function that returned ${describeValue(served)}`,
          'Return the application that it creates.',
        ]
      : [
          describeValue(served),
          'Pass an application from createApp(), or a function that returns one.',
        ];
  throw new SetupError('INVALID_OPTION', `serve() received ${received}. ${fix}`);
}

function isApplication(value: unknown): value is Application {
  return typeof Reflect.get(Object(value), 'seal') === 'function';
}

/**
 * @throws {SetupError} `INVALID_OPTION`, when an application for operators has no port, or their port has no
 *   application.
 */
function assertOperations(application: Application | undefined, port: number | undefined): void {
  if ((application === undefined) === (port === undefined)) return;
  throw new SetupError(
    'INVALID_OPTION',
    port === undefined
      ? 'serve() received an application for operators, but no port for it. Pass operationsPort.'
      : `serve() cannot serve operators on port ${port}: there is no application for them. Return { app, operations } from the function, with two applications.`,
  );
}

/** Warns about times that were probably meant in seconds. `listen()` warns about its own. */
function warnOfTimes(options: ServeOptions, locate: Locate): void {
  if (isIntended(options)) return;
  for (const name of ['delay', 'timeout', 'deadline'] as const) {
    const sentence = `The ${name} of serve() is`;
    const message = explainSeconds(sentence, options[name], SHORTEST_TIMEOUT, 'the options');
    if (message !== undefined) warn('FAIRLEAD_OPTION', message + formatLocation(locate));
  }
}

/** @throws {SetupError} `INVALID_OPTION`, when both ports are the same. */
function assertPorts({ port, operationsPort }: ServeOptions): void {
  if (port === 0 || port !== operationsPort) return;
  const text = `serve() cannot use ${port} as port and as operationsPort. Pass another operationsPort, or omit it and serve everything with one application.`;
  throw new SetupError('INVALID_OPTION', text);
}

/** The parts of a shutdown, in milliseconds. */
type Times = Required<Pick<ServeOptions, 'delay' | 'timeout' | 'deadline'>>;

/** @throws {SetupError} `INVALID_OPTION`, unless the deadline is longer than its parts. */
function timesOf({ delay = 0, timeout, deadline }: ServeOptions): Times {
  if (deadline === undefined) {
    const requests = timeout ?? TIMEOUT;
    const whole = Math.min(delay + requests + CLOSING_TIME, LONGEST_DELAY);
    return { delay, timeout: requests, deadline: whole };
  }
  const least = delay + (timeout ?? 0);
  if (deadline > least) {
    return { delay, timeout: timeout ?? Math.floor((deadline - delay) * 0.9), deadline };
  }
  throw new SetupError(
    'INVALID_OPTION',
    `serve() cannot use ${deadline} as deadline: delay and timeout together take ${least} ms. Use a larger deadline, or a smaller delay or timeout.`,
  );
}

/** Returns the options of `listen`. */
function listenOptionsOf(options: ServeOptions, locate: Locate): ListenOptions {
  const {
    port,
    operationsPort,
    delay,
    timeout,
    onListen,
    name,
    logger,
    signals,
    deadline,
    onClose,
    onUncaught,
    onAbandon,
    describeError,
    ...listenOptions
  } = options;
  if (isIntended(options)) markIntended(listenOptions);
  return setLocation(listenOptions, locate);
}
