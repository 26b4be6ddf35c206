import {
  type AnyContext,
  createRouter,
  type Router,
  ServiceUnavailableError,
} from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  isSecured,
  type Placement,
  takeProblem,
  throwTogether,
} from '@fairlead/core/extend';
import {
  captureCaller,
  describeValue,
  findOptionProblems,
  fn,
  hasMethods,
  hiddenRouteAt,
  isIntended,
  isPlainObject,
  joinWords,
  type Kinds,
  kind,
  milliseconds,
  named,
  nonEmptyString,
  positiveMilliseconds,
  printError,
} from '@fairlead/options';

/** Options of {@link createHealth}. */
export interface HealthOptions {
  /**
   * The checks of the readiness route by name, such as `store`. A check fails when it throws, rejects
   * or returns `false`. It is degraded when it returns a {@link Degraded} object. Its signal aborts at the timeout.
   */
  readonly checks?: Readonly<Record<string, (signal: AbortSignal) => unknown>>;
  /** Milliseconds until a check fails: a whole number of at least 1. Default 2,000. */
  readonly timeout?: number;
  /** The service is not ready once this signal aborts. Pass `stopping` of `serve()`. */
  readonly stopping?: AbortSignal | undefined;
  /** Path of the liveness route. Default `/health/live`. */
  readonly live?: string;
  /** Path of the readiness route. Default `/health/ready`. */
  readonly ready?: string;
  /** Milliseconds for which the readiness route reuses the last results. Default 0. */
  readonly interval?: number;
  /**
   * Called when the state of a check changes, with its error unless it passes. Default: logs the change with
   * `logger`.
   */
  readonly onChange?: (name: string, error: Error | undefined, state: CheckState) => unknown;
  /** Receives the messages. Default: `console`. */
  readonly logger?: HealthLogger;
}

/** What a check returns to report that a part of its dependency fails, such as the writes of a database. */
export interface Degraded {
  /** What fails, or undefined if nothing does. Clients see only its `code`, if it has one. */
  readonly degraded: Error | undefined;
}

/** State of a check. The service is ready unless a check fails. */
export type CheckState = 'passing' | 'degraded' | 'failing';

/** Receives the messages of {@link createHealth}. Accepts `console`, and pino and winston loggers. */
export interface HealthLogger {
  /** Receives a message when a check recovers. */
  info(message: string): unknown;
  /** @param error - Names the check that fails or is degraded. Its `cause` is the error of the check. */
  error(error: Error): unknown;
}

/** Default of {@link HealthOptions.timeout}. */
const TIMEOUT = 2_000;

const HEALTH_OPTIONS: Kinds<HealthOptions> = {
  checks: kind('an object', isPlainObject),
  timeout: positiveMilliseconds,
  stopping: kind('an AbortSignal', (value) => value instanceof AbortSignal),
  live: nonEmptyString,
  ready: nonEmptyString,
  interval: milliseconds,
  onChange: fn,
  logger: kind('an object with the methods info and error', hasMethods('info', 'error')),
};

/**
 * Creates a router with a liveness and a readiness route for probes. Both are hidden from OpenAPI documents,
 * and their responses must not be cached.
 *
 * The liveness route responds with 200 while the process runs. The readiness route runs all checks
 * concurrently. It responds with 200, with 503 `STOPPING` once `stopping` has aborted, or with 503 when
 * checks fail. The code is then `STORE_UNAVAILABLE` for a check `store`, or for the first of several. A 503 lists the
 * failing checks in `failing`, and a 200 the degraded ones in `degraded`, by name with the code of the error. Clients
 * never see messages of checks.
 *
 * Concurrent requests share the results. A check that is still running after its timeout keeps failing, and
 * is not called again until it settles.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createHealth(options: HealthOptions = {}): Router {
  assertOptions(options);
  const { checks = {}, stopping, interval = 0 } = options;
  const { live = '/health/live', ready = '/health/ready' } = options;
  const runChecks = createRun(
    Object.entries(checks).map(([name, check]) => new Check(name, check, options)),
    interval,
  );
  const assertNotStopping = (): void => {
    if (stopping?.aborted) throw notReady('STOPPING', 'The service is stopping.');
  };

  const respondLive = named('live', (ctx: AnyContext) => {
    ctx.set('Cache-Control', 'no-store');
    return { status: 'live' };
  });
  const respondReady = named('ready', async (ctx: AnyContext) => {
    ctx.set('Cache-Control', 'no-store');
    assertNotStopping();
    const results = await runChecks();
    assertNotStopping();
    assertNone(results.filter(({ state }) => state === 'failing'));
    const degraded = results.filter(({ state }) => state === 'degraded');
    if (degraded.length === 0) return { status: 'ready' };
    return { status: 'ready', degraded: codesOf(degraded, 'DEGRADED') };
  });
  const router = createRouter();
  const check = (placement: Placement) =>
    isIntended(router) ? undefined : findAuthentication(placement);
  describe(respondLive, { name: NAME, check, public: PROBES, forOperators: 'probes' });
  // serve() warns about it, because the service stays ready while it stops.
  describe(respondReady, {
    name: stopping === undefined ? UNAWARE : NAME,
    check,
    public: PROBES,
    forOperators: 'probes',
  });
  const hidden = hiddenRouteAt(captureCaller(createHealth));
  const problem = takeProblem(router, () =>
    router.get(live, hidden, respondLive).get(ready, hidden, respondReady),
  );
  if (problem !== undefined) throw problem;
  return router;
}

/** Finds what demands credentials, which probes do not have. */
function findAuthentication({ routes }: Placement): Doubt | undefined {
  const before = routes.flatMap((route) => route.before);
  const { name } = descriptionOf(before.find(isSecured)) ?? {};
  if (name === undefined) return undefined;
  const message = `Probes without credentials cannot pass ${name}, which runs before the routes of createHealth(). Mount the router of createHealth() before ${name}, or pass the router to intended().`;
  return { code: 'FAIRLEAD_ORDER', message };
}

/** Names the routes for checks. */
const NAME = 'createHealth()';

/** Why everyone may call the routes. */
const PROBES = 'Probes have no credentials, and learn the state of the service only.';

/** Names a readiness route that does not know when the service stops. */
const UNAWARE = `${NAME} without stopping`;

interface Result {
  readonly name: string;
  readonly state: CheckState;
  /** Absent while the check passes. */
  readonly error?: Error;
}

/**
 * Returns a function that runs the checks and resolves with their results. Callers share a run until it ends
 * and `interval` has passed.
 */
function createRun(checks: readonly Check[], interval: number): () => Promise<readonly Result[]> {
  let latest: Promise<readonly Result[]> = Promise.resolve([]);
  let expires = 0;
  const run = async (): Promise<readonly Result[]> => {
    const results = await Promise.all(checks.map((check) => check.run()));
    expires = performance.now() + interval;
    return results;
  };
  return () => {
    if (performance.now() >= expires) {
      expires = Number.POSITIVE_INFINITY;
      latest = run();
    }
    return latest;
  };
}

class Check {
  readonly #name: string;
  readonly #check: (signal: AbortSignal) => unknown;
  readonly #timeout: number;
  readonly #onChange: NonNullable<HealthOptions['onChange']>;
  /** Whether the check was called and has not settled, even if it has timed out. */
  #isRunning = false;
  #state: CheckState = 'passing';

  constructor(name: string, check: (signal: AbortSignal) => unknown, options: HealthOptions) {
    this.#name = name;
    this.#check = check;
    this.#timeout = options.timeout ?? TIMEOUT;
    this.#onChange = options.onChange ?? logChangesTo(options.logger ?? console);
  }

  /** Never rejects. */
  async run(): Promise<Result> {
    const result = await this.#findResult();
    if (result.state !== this.#state) {
      this.#state = result.state;
      void this.#notify(result);
    }
    return result;
  }

  async #findResult(): Promise<Result> {
    const name = this.#name;
    // Runs do not overlap, so the check has timed out in an earlier one.
    if (this.#isRunning) return { name, state: 'failing', error: this.#late() };
    let timer: NodeJS.Timeout | undefined;
    const controller = new AbortController();
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const late = this.#late();
        reject(late);
        controller.abort(late);
      }, this.#timeout);
    });
    try {
      const returned = await Promise.race([this.#call(controller.signal), timedOut]);
      if (returned === false) throw new Error(`The check '${name}' returned false.`);
      const { degraded } = Object(returned) as Partial<Degraded>;
      if (degraded === undefined) return { name, state: 'passing' };
      return { name, state: 'degraded', error: this.#toError(degraded) };
    } catch (thrown) {
      return { name, state: 'failing', error: this.#toError(thrown) };
    } finally {
      clearTimeout(timer);
    }
  }

  async #call(signal: AbortSignal): Promise<unknown> {
    this.#isRunning = true;
    try {
      return await this.#check(signal);
    } finally {
      this.#isRunning = false;
    }
  }

  #toError(cause: unknown): Error {
    if (cause instanceof Error) return cause;
    const value = describeValue(cause);
    return new Error(`The check '${this.#name}' failed with ${value}. Use an Error.`, { cause });
  }

  #late(): Error {
    const late = new Error(`The ${this.#name} did not respond within ${this.#timeout} ms.`);
    return Object.assign(late, { code: `${toCode(this.#name)}_TIMEOUT` });
  }

  /** Reports a change. If that fails, the result of the check stays the same. */
  async #notify({ name, state, error }: Result): Promise<void> {
    try {
      await this.#onChange(name, error, state);
    } catch (cause) {
      const problem = `createHealth() failed to report a change of the ${this.#name}.`;
      printError(new Error(problem, { cause }));
    }
  }
}

function logChangesTo(logger: HealthLogger): NonNullable<HealthOptions['onChange']> {
  return (name, cause, state) => {
    if (cause === undefined) return logger.info(`The ${name} is working again.`);
    const problem = state === 'failing' ? 'is not responding' : 'responds, but part of it fails';
    return logger.error(new Error(`The ${name} ${problem}.`, { cause }));
  };
}

/** @throws {ServiceUnavailableError} 503, when checks fail. */
function assertNone(failing: readonly Result[]): void {
  const names = failing.map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return;
  const code = `${toCode(first)}_UNAVAILABLE`;
  const message =
    names.length === 1
      ? `The ${first} is not responding.`
      : `The ${joinWords(names, 'and')} are not responding.`;
  throw notReady(code, message, { failing: codesOf(failing, 'UNAVAILABLE') });
}

/** Returns the code of the error of each check by name, or one of the name and `suffix` if the error has none. */
function codesOf(results: readonly Result[], suffix: string): Readonly<Record<string, string>> {
  const codes = results.map(({ name, error }) => {
    const { code } = Object(error) as { code?: unknown };
    // A longer or other text may be a message.
    const isCode = typeof code === 'string' && /^\w[\w.-]{0,63}$/.test(code);
    return [name, isCode ? code : `${toCode(name)}_${suffix}`] as const;
  });
  return Object.fromEntries(codes);
}

function toCode(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])|[ -]+/g, '_').toUpperCase();
}

function notReady(code: string, message: string, details = {}): ServiceUnavailableError {
  const headers = { 'Cache-Control': 'no-store' };
  return new ServiceUnavailableError(message, { code, headers, details, expose: true });
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertOptions(options: HealthOptions): void {
  const problems = findOptionProblems('createHealth()', options, HEALTH_OPTIONS);
  if (problems.length === 0) problems.push(...findCheckProblems(options.checks ?? {}));
  throwTogether(problems);
}

function findCheckProblems(checks: object): readonly string[] {
  return Object.entries(checks).flatMap(([name, check]: [string, unknown]) => [
    ...(/^[a-z][\w -]*$/i.test(name)
      ? []
      : [
          `createHealth() cannot use '${name}' as the name of a check. Begin with a letter, and use only letters, digits, '_', '-' and spaces.`,
        ]),
    ...(fn.accepts(check)
      ? []
      : [
          `createHealth() cannot use ${describeValue(check)} as the check '${name}'. Use a function.`,
        ]),
  ]);
}

describeFactories(createHealth);
