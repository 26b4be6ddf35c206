import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { SetupError } from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  describeFile,
  describeValue,
  either,
  escapeControls,
  filePath,
  findOptionProblems,
  fn,
  framesOf,
  hasMethods,
  integer,
  type Kinds,
  kind,
  nonEmptyString,
  oneOf,
  positiveMilliseconds,
  printable,
  printError,
} from '@fairlead/options';

/** Receives the messages of a process. Accepts `console`, and pino and winston loggers. */
export interface ProcessLogger {
  info(message: string): unknown;
  warn(message: string): unknown;
  /** @param error - An error, or a message. */
  error(error: unknown): unknown;
}

/** Prints messages, and errors without the properties in which libraries keep user data. */
export const CONSOLE: ProcessLogger = {
  info: (message) => print(process.stdout, () => console.info(message)),
  warn: (message) => print(process.stderr, () => console.warn(message)),
  error: (error) => print(process.stderr, () => printError(error)),
};

/** The messages of each output that may not have been written yet. */
const printing = new WeakMap<NodeJS.WriteStream, number>();

/**
 * Prints to an output, and ignores that nothing may read it any more. Otherwise, printing an uncaught error could cause
 * the next one, without an end.
 */
function print(output: NodeJS.WriteStream, run: () => void): void {
  const change = (by: number): number => {
    const count = (printing.get(output) ?? 0) + by;
    printing.set(output, count);
    return count;
  };
  // One listener for all messages, of which many would print a warning.
  if (change(1) === 1) output.on('error', ignore);
  run();
  // The event of a failed write follows its callback.
  output.write('', () =>
    setImmediate(() => {
      if (change(-1) === 0) output.off('error', ignore);
    }),
  );
}

function ignore(): void {}

/** Options of {@link runProcess}. */
export interface ProcessOptions {
  /** The subject of log messages; `The application` by default. */
  readonly name?: string;
  /** Receives the messages; `console` by default. */
  readonly logger?: ProcessLogger;
  /** The signals that stop the process, except `SIGKILL` and `SIGSTOP`; `SIGTERM` and `SIGINT` by default. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Milliseconds from the start of the shutdown until the process exits with 1; 9,000 by default. */
  readonly deadline?: number;
  /** Called last during the shutdown. See {@link Lifecycle.onClose}. */
  readonly onClose?: (remaining: number) => unknown;
  /**
   * Called with the first uncaught error, instead of logging it. The process then shuts down and exits with
   * the exit code that the callback returns, 0 to 255, or else with 1. Later errors are printed to standard error. With
   * `false`, Node.js handles such errors.
   */
  readonly onUncaught?:
    | false
    | ((error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => unknown);
  /**
   * Called before the process exits without a complete shutdown, instead of logging the reason. The
   * process exits with the exit code that the callback returns, 0 to 255, or else with 1 at the deadline and with
   * 128 plus the signal's number after a second signal.
   */
  readonly onAbandon?: (reason: string) => unknown;
  /**
   * Returns the text to print to standard error when startup fails, such as a prefix and
   * {@link describeStartError}.
   */
  readonly describeError?: (error: unknown) => string;
}

/** The options of {@link runProcess}, and what they accept. */
export const PROCESS_OPTIONS: Kinds<ProcessOptions> = {
  name: nonEmptyString,
  logger: kind(
    'an object with the methods info, warn and error',
    hasMethods('info', 'warn', 'error'),
  ),
  signals: arrayOf(
    kind('a signal name', isSignalName),
    "an array of names of signals that a process can handle, such as 'SIGTERM'",
  ),
  deadline: positiveMilliseconds,
  onClose: fn,
  onUncaught: either(fn, oneOf(false)),
  onAbandon: fn,
  describeError: fn,
};

/** Whether a text is the name of a signal. The system does not pass the two excluded ones to the process. */
function isSignalName(value: unknown): boolean {
  if (value === 'SIGKILL' || value === 'SIGSTOP') return false;
  return typeof value === 'string' && Object.hasOwn(constants.signals, value);
}

/**
 * Checks the options of a call.
 *
 * @throws {SetupError} `INVALID_OPTION`, with every problem.
 */
export function requireOptions<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): void {
  const problems =
    options === undefined
      ? [`${call} needs options. Pass an object.`]
      : findOptionProblems<Options>(call, options, kinds);
  throwTogether(problems);
}

/** The lifecycle of a process: when it shuts down, and what it closes. */
export interface Lifecycle {
  /** Aborts when the shutdown begins. From then on, the process is not ready for new work. */
  readonly stopping: AbortSignal;
  /**
   * Registers a callback that closes a resource. Call it right after opening the resource. The
   * shutdown calls the callbacks one after the other, the last one first. So does a failed start.
   *
   * @param callback - Receives the milliseconds that remain until the deadline. If it fails, the
   *   process logs the error, calls the other callbacks, and exits with 1.
   */
  onClose(callback: (remaining: number) => unknown): void;
  /** Returns the milliseconds until the deadline of the shutdown; `Infinity` before it begins. */
  remaining(): number;
  /**
   * Begins the shutdown. Further calls have no effect.
   *
   * @param reason - The reason to log.
   */
  stop(reason?: string): void;
}

/** Default of {@link ProcessOptions.deadline}: less than the 10 seconds that `docker stop` waits. */
const DEADLINE = 9_000;

/** Default of {@link ProcessOptions.name}. */
export const NAME = 'The application';

/** Milliseconds within which a repeated signal is ignored. */
const DUPLICATE_WINDOW = 300;

/** Milliseconds until the process warns about what keeps it running after the shutdown. */
const LINGER = 1_000;

/** Maximum milliseconds to wait for the readers of standard output and standard error. */
const FLUSH_TIMEOUT = 500;

/**
 * Runs a process from its start to its exit code: handles signals and uncaught errors, closes what was
 * opened, and enforces a deadline. Use `serve()` to run an application.
 *
 * If startup fails, the process prints the error, closes what was opened, and exits with 1.
 *
 * @param start - Opens the resources and starts the work of the process.
 * @returns What `start` returns.
 */
export async function runProcess<T>(
  start: (lifecycle: Lifecycle) => T | Promise<T>,
  options: ProcessOptions = {},
): Promise<T> {
  try {
    requireOptions('runProcess()', options, PROCESS_OPTIONS);
  } catch (error) {
    return manage(() => Promise.reject(error), {});
  }
  return manage(start, options);
}

/**
 * Does the work of {@link runProcess}. The caller has checked the options.
 *
 * @param start - Its second argument receives the steps that run before all callbacks, the last one first.
 */
export function manage<T>(
  start: (lifecycle: Lifecycle, serving: Step[]) => T | Promise<T>,
  options: ProcessOptions,
): Promise<T> {
  return new ManagedProcess(options).start(start);
}

/** A step of the shutdown. */
export interface Step {
  /** Describes the step while it runs. */
  readonly name: string;
  run(remaining: number): unknown;
}

class ManagedProcess {
  readonly #options: ProcessOptions;
  readonly #name: string;
  readonly #logger: ProcessLogger;
  readonly #deadline: number;
  readonly #controller = new AbortController();
  readonly #stopping = this.#controller.signal;
  readonly #steps: Step[] = [];
  /** The steps that run before those of callbacks, even of callbacks that are registered later. */
  readonly #serving: Step[] = [];
  /** The names of callbacks whose failure was printed. */
  readonly #failed = new Set<string>();
  #hasSignal = false;
  #hasUncaught = false;
  /** What the shutdown waits for; undefined once it is complete. */
  #stage: string | undefined = 'the start';
  #isStarted = false;
  #code = 0;
  #exitBy = Infinity;
  readonly #remaining = (): number => Math.max(0, this.#exitBy - performance.now());
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#name = options.name ?? NAME;
    this.#logger = options.logger ?? CONSOLE;
    this.#deadline = options.deadline ?? DEADLINE;
    if (options.onClose) this.#addStep(options.onClose);
  }

  async start<T>(start: (lifecycle: Lifecycle, serving: Step[]) => T | Promise<T>): Promise<T> {
    const { signals = ['SIGTERM', 'SIGINT'], onUncaught } = this.#options;
    for (const signal of signals) this.#onSignal(signal);
    if (onUncaught !== false) process.on('uncaughtException', this.#onUncaught);
    const lifecycle: Lifecycle = Object.freeze({
      stopping: this.#stopping,
      onClose: (callback: (remaining: number) => unknown) => this.#addStep(callback),
      remaining: this.#remaining,
      stop: (reason = 'stop() was called') => this.#begin(0, reason),
    });
    try {
      const value = await start(lifecycle, this.#serving);
      if (!this.#stopping.aborted) {
        this.#isStarted = true;
        return value;
      }
    } catch (error) {
      this.#onStartFailure(error);
    }
    // Resources that startup has left open, such as a socket, must not keep the process running.
    await this.#close();
    return exit(this.#code);
  }

  #onStartFailure(error: unknown): void {
    // A start that gave up because of the shutdown has not failed.
    const { aborted, reason } = this.#stopping;
    if (aborted && (error === reason || (error instanceof Error && error.cause === reason))) return;
    const { describeError } = this.#options;
    const text = this.#call('describeError', () => describeError?.(error));
    // The title of several problems would say again that the application cannot start.
    const problems = describeStartError(error).replace(
      /^The \w+ cannot start: (?=\d+ problems)/,
      '',
    );
    CONSOLE.error(text ?? `${this.#name} failed to start: ${problems}`);
    this.#code = Math.max(this.#code, 1);
    this.#startDeadline();
    this.#controller.abort();
  }

  #addStep(callback: (remaining: number) => unknown): void {
    if (!fn.accepts(callback)) {
      const message = `onClose() cannot use ${describeValue(callback)}. Pass a function.`;
      throw new SetupError('INVALID_OPTION', message);
    }
    const name = callback.name === '' ? 'an onClose callback' : callback.name;
    this.#steps.push({ name, run: callback });
  }

  #onSignal(signal: NodeJS.Signals): void {
    let last = Number.NEGATIVE_INFINITY;
    process.on(signal, () => {
      // A terminal and a package manager may both deliver a signal.
      const isDuplicate = performance.now() - last < DUPLICATE_WINDOW;
      last = performance.now();
      if (isDuplicate) return;
      if (!this.#hasSignal) {
        this.#hasSignal = true;
        this.#begin(0, signal);
      } else this.#abandon(`received ${signal} while stopping`, 128 + constants.signals[signal]);
    });
  }

  readonly #onUncaught = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void => {
    const { onUncaught } = this.#options;
    let result: unknown;
    // A later error may come from the handler, which must not cause the next one.
    if (this.#hasUncaught) CONSOLE.error(error);
    else {
      this.#hasUncaught = true;
      if (onUncaught) result = this.#call('onUncaught', () => onUncaught(error, origin), error);
      else this.#log('error', error);
    }
    this.#begin(exitCodeOf(result) ?? 1, origin);
  };

  #log(level: 'info' | 'warn', message: string): void;
  #log(level: 'error', message: unknown): void;
  #log(level: keyof ProcessLogger, message: string): void {
    this.#call(`logger.${level}`, () => this.#logger[level](message), message);
  }

  /**
   * Calls a callback of the application. If it throws or rejects, prints `message` and, once per
   * callback, the error. The process then exits with at least 1.
   */
  #call(name: string, callback: () => unknown, message?: unknown): unknown {
    const fail = (cause: unknown): void => {
      this.#raise(1);
      if (message !== undefined) CONSOLE.error(message);
      if (this.#failed.has(name)) return;
      this.#failed.add(name);
      CONSOLE.error(new Error(`${this.#name} called ${name}, which failed.`, { cause }));
    };
    try {
      const result = callback();
      void Promise.resolve(result).catch(fail);
      return result;
    } catch (cause) {
      return fail(cause);
    }
  }

  #raise(code: number): void {
    this.#code = Math.max(this.#code, code);
    if (this.#stage === undefined) process.exitCode = this.#code;
  }

  /** Begins the shutdown. Later calls can only raise the exit code. */
  #begin(code: number, reason: string): void {
    this.#raise(code);
    if (this.#stopping.aborted) return;
    const message = `${this.#name} is stopping: ${reason}`;
    this.#log('info', message);
    this.#startDeadline();
    this.#controller.abort(new DOMException(message, 'AbortError'));
    // Otherwise `start` is still running. When it settles, everything is closed.
    if (this.#isStarted) void this.#close();
  }

  #startDeadline(): void {
    if (this.#timer !== undefined) return;
    this.#exitBy = performance.now() + this.#deadline;
    this.#timer = setTimeout(() => {
      this.#abandon(`did not stop within ${this.#deadline} ms`, 1);
    }, this.#deadline);
  }

  async #close(): Promise<void> {
    // A callback may register another one.
    const next = () => this.#serving.pop() ?? this.#steps.pop();
    for (let step = next(); step !== undefined; step = next()) {
      const { name } = step;
      this.#stage = name;
      try {
        await step.run(this.#remaining());
      } catch (cause) {
        this.#code = Math.max(this.#code, 1);
        this.#log('error', new Error(`${this.#name} failed to close: ${name} failed.`, { cause }));
      }
    }
    this.#stage = undefined;
    process.exitCode = this.#code;
    // From here on, the process ends when nothing keeps it running, so pending writes complete. A channel
    // to a parent process does not keep it running.
    this.#timer?.unref();
    process.channel?.unref();
    setTimeout(() => {
      this.#log(
        'warn',
        `${this.#name} has shut down, but the process is still running.${this.#remains()}`,
      );
    }, LINGER).unref();
  }

  /** Exits without completing the shutdown. */
  #abandon(problem: string, code: number): void {
    const reason = `${this.#name} ${problem}.${this.#remains()}`;
    const { onAbandon } = this.#options;
    let result: unknown;
    if (onAbandon) result = this.#call('onAbandon', () => onAbandon(reason), reason);
    else this.#log('error', reason);
    void exit(exitCodeOf(result) ?? code);
  }

  /** Describes why the process has not ended, as a sentence after a space. */
  #remains(): string {
    if (this.#stage !== undefined) return ` Still running: ${this.#stage}.`;
    const active = new Set(process.getActiveResourcesInfo());
    // Standard output and standard error do not keep the process running.
    const resources = [...active].filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap');
    if (resources.length === 0) return '';
    const described = new Set(resources.map((name) => RESOURCES[name] ?? name));
    return ` Still open: ${[...described].join(', ')}. Close what your code opened in an onClose callback.`;
  }
}

/** What some of the names that Node.js gives resources mean. */
const RESOURCES: Readonly<Record<string, string>> = {
  FSReqCallback: 'a file operation',
  FSReqPromise: 'a file operation',
  MessagePort: 'a worker',
  TCPServerWrap: 'a server',
  TCPSocketWrap: 'a connection',
  Timeout: 'a timer',
};

const EXIT_CODE = integer(0, 255);

/** Returns the result of a callback if it is an exit code. */
function exitCodeOf(result: unknown): number | undefined {
  return EXIT_CODE.accepts(result) ? Number(result) : undefined;
}

/** Exits once standard output and standard error are written, or after {@link FLUSH_TIMEOUT}. */
async function exit(code: number): Promise<never> {
  process.exitCode = code;
  const unwritten = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  if (unwritten.length > 0) {
    const written = unwritten.map((stream) => new Promise((resolve) => stream.write('', resolve)));
    await Promise.race([Promise.all(written), wait(FLUSH_TIMEOUT)]);
  }
  process.exit(code);
}

/**
 * Formats an error that ends a program.
 *
 * @returns The message of an error with a stable code, such as `LISTEN_FAILED`, because it names the fix, with
 *   the line of your code that threw it. The message of an error of `parseArgs()` of node:util. For any other value, what
 *   `inspect()` returns, with the stack and the code of an error, but without other properties, which may have user data:
 *   errors from Node.js with a code such as `ERR_INVALID_ARG_TYPE` may be bugs. Characters that control a terminal are
 *   escaped.
 */
export function describeStartError(error: unknown): string {
  return escapeControls(formatError(error));
}

function formatError(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return inspect(printable(error));
  const isExpected = /^(?:(?!ERR_)[A-Z]+(?:_[A-Z]+)+$|ERR_PARSE_ARGS_)/.test(String(error.code));
  if (!isExpected) return inspect(printable(error));
  const location = error.message.includes('\n  At: ') ? undefined : callerOf(error);
  return location === undefined ? error.message : `${error.message}\n  At: ${location}`;
}

// Undefined if a bundler has made a script of this module.
const url = import.meta.url as string | undefined;

/** The folder of this package and the others in it, or, in a bundle, at least that of all code. */
const PACKAGES = url && filePath(new URL('../..', url).href);

/** Finds the innermost line of the application that threw an error, unless it threw later. */
function callerOf({ message, stack = '' }: Error): string | undefined {
  const [calls = ''] = stack.slice(stack.indexOf(message) + message.length).split(/^ +at async /m);
  const caller = framesOf(calls).find(
    ({ file }) =>
      !(PACKAGES && file.startsWith(PACKAGES)) &&
      !/[\\/](?:(?:@|node_modules[\\/])fairlead[\\/]|\[eval)/.test(file),
  );
  return caller && `${describeFile(caller.file)}:${caller.position}`;
}
