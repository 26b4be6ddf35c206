import { setTimeout as wait } from 'node:timers/promises';
import {
  type Application,
  type ListenOptions,
  listen,
  type Server,
  SetupError,
} from '@fairlead/core';
import { anything, describeValue, fn, type Kinds, milliseconds } from '@fairlead/options';
import {
  assertOptions,
  type Lifecycle,
  manage,
  NAME,
  PROCESS_OPTIONS,
  type ProcessOptions,
} from './run-process.js';

/** Options of {@link serve}. The host, limits and timeouts are those of `listen`. */
export interface ServeOptions extends ListenOptions, ProcessOptions {
  /** 0 to 65535; 0 selects a free port. */
  readonly port: number;
  /**
   * Milliseconds to keep serving after the shutdown has begun, so that load balancers notice; 0 by
   * default.
   */
  readonly delay?: number;
  /**
   * Milliseconds for open requests after `delay`, before their connections are cut; 8,000 by default.
   * With a `deadline`, the default is nine tenths of what remains of it after `delay`.
   */
  readonly timeout?: number;
  /**
   * Milliseconds from the start of the shutdown until the process exits with 1. Default: the sum of
   * `delay`, `timeout` and 1,000.
   */
  readonly deadline?: number;
  /** Called once the server listens, instead of logging its URL. */
  readonly onListen?: (server: Server) => unknown;
}

/** A running application. */
export interface Service {
  readonly server: Server;
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

/**
 * Runs an application as the process: listens, logs the URL, and handles signals, uncaught errors and
 * exit codes.
 *
 * At the first signal, `stopping` aborts. After `delay`, the server stops listening and finishes its
 * open requests. Then `app.close()` runs, and the `onClose` callbacks, the last one first. A second
 * signal exits immediately, as does the deadline.
 *
 * If the start fails, the process prints the error, closes what was opened, and exits with 1.
 *
 * @param app - The application, or a function that creates it. The function receives the process's
 *   {@link Lifecycle}.
 * @param options - The port and the details of the shutdown.
 * @returns The service, once it listens.
 */
export async function serve(
  app: Application | ((lifecycle: Lifecycle) => Application | Promise<Application>),
  options: ServeOptions,
): Promise<Service> {
  let times: Times;
  try {
    assertOptions('serve()', options, SERVE_OPTIONS);
    times = timesOf(options);
  } catch (error) {
    return manage(() => Promise.reject(error), {});
  }
  const { delay, timeout, deadline } = times;
  return manage(
    async (lifecycle) => {
      const application = typeof app === 'function' ? await app(lifecycle) : app;
      assertApplication(application, app);
      lifecycle.onClose(named('app.close()', () => application.close()));
      lifecycle.stopping.throwIfAborted();
      const server = await listen(application, options.port, listenOptionsOf(options));
      lifecycle.onClose(named('open requests', () => server.close({ timeout })));
      if (delay > 0) lifecycle.onClose(named('delay', () => wait(delay)));
      const { onListen, logger = console, name = NAME } = options;
      if (onListen) onListen(server);
      else logger.info(`${name} listens on ${server.url}`);
      return Object.freeze({ server, stop: (reason?: string) => lifecycle.stop(reason) });
    },
    { ...options, deadline },
  );
}

/** @throws {SetupError} `INVALID_SERVE_OPTION`, when there is no application to serve. */
function assertApplication(application: unknown, app: unknown): void {
  if (typeof Reflect.get(Object(application), 'seal') === 'function') return;
  const [received, fix] =
    typeof app === 'function'
      ? [`a function that returned ${describeValue(application)}`, 'Return createApp() from it.']
      : [describeValue(application), 'Pass createApp(), or a function that returns it.'];
  throw new SetupError('INVALID_SERVE_OPTION', `serve() received ${received}. ${fix}`);
}

/** Gives a callback the name that describes it in messages. */
function named<T extends object>(name: string, callback: T): T {
  return Object.defineProperty(callback, 'name', { value: name });
}

/** The parts of a shutdown, in milliseconds. */
type Times = Required<Pick<ServeOptions, 'delay' | 'timeout' | 'deadline'>>;

/** @throws {SetupError} `INVALID_SERVE_OPTION`, when the deadline is shorter than its parts. */
function timesOf({ delay = 0, timeout, deadline }: ServeOptions): Times {
  if (deadline === undefined) {
    const requests = timeout ?? TIMEOUT;
    return { delay, timeout: requests, deadline: delay + requests + CLOSING_TIME };
  }
  const least = delay + (timeout ?? 0);
  if (deadline >= least) {
    return { delay, timeout: timeout ?? Math.floor((deadline - delay) * 0.9), deadline };
  }
  throw new SetupError(
    'INVALID_SERVE_OPTION',
    `serve() cannot use ${deadline} as deadline: delay and timeout together take ${least} ms. Use a larger deadline, or a smaller delay or timeout.`,
  );
}

/** Returns the options of `listen`. */
function listenOptionsOf(options: ServeOptions): ListenOptions {
  const {
    port,
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
  return listenOptions;
}
