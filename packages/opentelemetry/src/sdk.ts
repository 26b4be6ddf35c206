import { SetupError } from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  describeValue,
  findOptionProblems,
  fn,
  hasMethods,
  type Kinds,
  kind,
} from '@fairlead/options';

/** A span, in the part of @opentelemetry/api 1.0 that this package uses. */
export interface Span {
  spanContext(): { readonly traceId: string };
  /** False for spans that are not sampled, and after the end of a span. */
  isRecording(): boolean;
  updateName(name: string): unknown;
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { readonly code: number }): unknown;
  recordException(exception: {
    readonly name: string;
    readonly message?: string;
    readonly stack?: string;
  }): void;
  end(): void;
}

/** What starts spans. */
interface Tracer {
  startSpan(
    name: string,
    options: { readonly kind: number; readonly attributes: Readonly<Record<string, unknown>> },
    context: ActiveContext | undefined,
  ): Span;
}

/** Reads the trace of the caller from headers. */
interface Propagator {
  extract<Carrier>(
    context: ActiveContext,
    carrier: Carrier,
    getter: {
      get(carrier: Carrier, key: string): string | string[] | undefined;
      keys(carrier: Carrier): string[];
    },
  ): ActiveContext;
}

/** The values of the asynchronous context that runs. */
export interface ActiveContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): ActiveContext;
}

/** What an SDK registers, of which all copies of @opentelemetry/api 1.x share one. */
export interface RegisteredApi {
  /** Version of the copy that registered first. It refuses registrations of other versions. */
  readonly version: string;
  readonly context?: {
    active(): ActiveContext;
    with<Result>(context: ActiveContext, run: () => Result): Result;
  };
  readonly propagation?: Propagator;
  readonly trace?: Provider & { getTracer(name: string): Tracer };
  readonly metrics?: Provider;
  readonly logs?: Provider;
}

/** A provider of the SDK, or of @opentelemetry/api with that of the SDK as its delegate. */
interface Provider {
  getDelegate?(): Provider;
  shutdown?(): Promise<void>;
}

const API = Symbol.for('opentelemetry.js.api.1');

/**
 * Returns what an SDK has registered.
 *
 * A copy of @opentelemetry/api ignores what an older copy has registered. So this package uses none, and
 * reads the global object that all copies of version 1 share.
 */
export function registeredApi(): RegisteredApi | undefined {
  return (globalThis as { readonly [API]?: RegisteredApi })[API];
}

/**
 * Explains why no span of this process is exported. Call it at startup, where tracing is expected.
 *
 * @returns What is missing, and how to fix it; undefined if an OpenTelemetry SDK with an exporter is registered.
 */
export function findTracingProblem(): string | undefined {
  const api = registeredApi();
  if (api?.trace !== undefined) return exportsNothing(api.trace) ? NO_EXPORTER : undefined;
  const fix = 'Start Node.js with --import and a file that registers one.';
  if (api === undefined) return `No OpenTelemetry SDK is registered. ${fix}`;
  return `No OpenTelemetry SDK is registered. ${fix} If you already do this, @opentelemetry/api ${api.version} was used before the SDK, and refuses an SDK with another version: run \`npm ls @opentelemetry/api\`, and install one version.`;
}

const NO_EXPORTER =
  'The OpenTelemetry SDK exports no spans: it has no span processor. Remove OTEL_TRACES_EXPORTER=none, or pass a traceExporter or spanProcessors to the SDK.';

/** Whether an SDK shows that it has no processor of spans. Others are unknown, and assumed to have one. */
function exportsNothing(trace: Provider): boolean {
  const { _activeSpanProcessor: active }: { readonly _activeSpanProcessor?: unknown } = Object(
    trace.getDelegate?.() ?? trace,
  );
  if (active === undefined) return false;
  const { _spanProcessors: processors = [active] }: { readonly _spanProcessors?: unknown } =
    Object(active);
  return Array.isArray(processors) && processors.every(isNoop);
}

function isNoop(processor: unknown): boolean {
  return Object(processor).constructor?.name === 'NoopSpanProcessor';
}

/** The last spans, metrics or logs were not exported. */
export class TelemetryExportError extends Error {
  /** Stable identifier: `TELEMETRY_NOT_EXPORTED`. */
  readonly code = 'TELEMETRY_NOT_EXPORTED';

  /**
   * @param reason - What happened, without a period.
   * @param options - The error of the SDK as `cause`, if there is one.
   */
  constructor(reason: string, options?: ErrorOptions) {
    const fix = 'Check that the receiver at OTEL_EXPORTER_OTLP_ENDPOINT is running.';
    super(`Cannot export the last telemetry: ${reason}. ${fix}`, options);
    this.name = new.target.name;
  }
}

const TIMEOUT = kind(
  '0 to 2,147,483,647 milliseconds',
  (value) => typeof value === 'number' && value >= 0 && value < 2 ** 31,
);

/** Options of {@link manageTelemetry}. */
export interface ManageTelemetryOptions {
  /**
   * Receives the warnings: a string at startup, and an `Error` at shutdown. `console` by default. Also
   * accepts pino and winston loggers.
   */
  readonly logger?: { warn(message: string | Error): unknown };
  /**
   * Maximum time to export at the end, in milliseconds; 2,000 by default. It is never more than half of the
   * time that remains.
   */
  readonly timeout?: number;
}

const MANAGE_OPTIONS: Kinds<ManageTelemetryOptions> = {
  logger: kind('an object with a warn() method', hasMethods('warn')),
  timeout: TIMEOUT,
};

/**
 * Ties the SDK to the process. Warns now if no SDK is registered, which {@link findTracingProblem} explains.
 * When the process stops, exports what is still in memory with {@link flushTelemetry}, and warns if that fails.
 *
 * @param onClose - `onClose` from the lifecycle of `serve()`. It runs the last callback first, so call this
 *   before you open resources that cause spans.
 * @throws {SetupError} `INVALID_OPTION`, when `onClose` is not a function, or an option is unknown or
 *   invalid.
 */
export function manageTelemetry(
  onClose: (callback: (remaining: number) => unknown) => void,
  options: ManageTelemetryOptions = {},
): void {
  const problems = findOptionProblems('manageTelemetry()', options, MANAGE_OPTIONS);
  if (!fn.accepts(onClose)) {
    problems.unshift(
      `manageTelemetry() cannot use ${describeValue(onClose)} as onClose. Pass onClose from the lifecycle of serve().`,
    );
  }
  throwTogether(problems);
  const { logger = console, timeout = 2_000 } = options;
  const problem = findTracingProblem();
  if (problem !== undefined) logger.warn(problem);
  onClose(function exportTelemetry(remaining) {
    return flushTelemetry(Math.min(timeout, remaining / 2)).catch((error) => logger.warn(error));
  });
}

/**
 * Exports the spans, metrics and logs that are still in memory, and shuts down the registered SDK. Call it
 * last, when the server is closed. Without an SDK, it does nothing.
 *
 * @param timeout - Maximum time to wait, in milliseconds.
 * @throws {TelemetryExportError} When the export fails or takes too long.
 * @throws {SetupError} `INVALID_OPTION`, when `timeout` is not from 0 to 2,147,483,647.
 */
export async function flushTelemetry(timeout: number): Promise<void> {
  if (!TIMEOUT.accepts(timeout)) {
    const message = `timeout of flushTelemetry() must be ${TIMEOUT.description}: got ${describeValue(timeout)}.`;
    throw new SetupError('INVALID_OPTION', message);
  }
  const { trace, metrics, logs } = registeredApi() ?? {};
  const { promise: timedOut, resolve } = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(resolve, timeout, 'timeout');
  try {
    const shutdowns = [trace, metrics, logs].map(shutDown);
    const settled = Promise.allSettled(shutdowns).then(() => Promise.all(shutdowns));
    if ((await Promise.race([settled, timedOut])) !== 'timeout') return;
  } catch (cause) {
    throw new TelemetryExportError(describeFailure(cause), { cause });
  } finally {
    clearTimeout(timer);
  }
  throw new TelemetryExportError(`no response within ${Math.round(timeout)} ms`);
}

async function shutDown(provider: Provider | undefined): Promise<void> {
  // The provider of an API hides that of the SDK. Its class differs between copies.
  await (provider?.getDelegate?.() ?? provider)?.shutdown?.();
}

/** Returns the message of an error without the period at its end. */
function describeFailure(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : describeValue(cause);
  return message.replace(/\.$/, '') || 'the SDK rejected without a message';
}
