import { diag, metrics } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findTracingProblem, flushTelemetry, manageTelemetry } from '../src/index.js';
import { registerSdk } from './support/tracing.js';

/** A processor that shuts down like this. */
function shuttingDown(shutdown: () => Promise<void>): SpanProcessor {
  return { onStart() {}, onEnd() {}, forceFlush: async () => undefined, shutdown };
}

describe('flushTelemetry', () => {
  it('does nothing without an SDK', async () => {
    await expect(flushTelemetry(0)).resolves.toBeUndefined();
  });

  it('waits for spans and metrics', async () => {
    const shutdowns: string[] = [];
    registerSdk(shuttingDown(async () => void shutdowns.push('spans')));
    const meters = {
      ...metrics.getMeterProvider(),
      shutdown: async () => void shutdowns.push('metrics'),
    };
    metrics.setGlobalMeterProvider(meters);
    onTestFinished(() => metrics.disable());
    await flushTelemetry(60_000);
    expect(shutdowns).toEqual(['spans', 'metrics']);
  });

  it.each([
    [
      'takes too long',
      () => new Promise<void>(() => undefined),
      'Cannot export the last telemetry: no response within 1 ms. Check that the receiver at OTEL_EXPORTER_OTLP_ENDPOINT is running.',
      undefined,
    ],
    [
      'fails',
      () => Promise.reject(new Error('Refused.')),
      'Cannot export the last telemetry: Refused. Check that the receiver at OTEL_EXPORTER_OTLP_ENDPOINT is running.',
      new Error('Refused.'),
    ],
  ])('rejects when the export %s', async (_, shutdown, message, cause) => {
    registerSdk(shuttingDown(shutdown));
    const failure = await flushTelemetry(1).catch((error) => error);
    expect(failure).toMatchObject({
      name: 'TelemetryExportError',
      code: 'TELEMETRY_NOT_EXPORTED',
      message,
    });
    expect(failure.cause).toEqual(cause);
  });

  it('waits for spans even if metrics fail first', async () => {
    const exported: string[] = [];
    const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
    registerSdk(shuttingDown(() => failed.then(() => void exported.push('spans'))));
    const shutdown = () => {
      setImmediate(fail);
      return Promise.reject(new Error('Refused.'));
    };
    const meters = { ...metrics.getMeterProvider(), shutdown };
    metrics.setGlobalMeterProvider(meters);
    onTestFinished(() => metrics.disable());
    await expect(flushTelemetry(60_000)).rejects.toThrow('Refused.');
    expect(exported).toEqual(['spans']);
  });

  it.each([-1, Number.NaN, 2 ** 31, '1'])('refuses the timeout %o', async (timeout) => {
    await expect(flushTelemetry(timeout as number)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/^timeout of flushTelemetry\(\) must be 0 to/),
    });
  });
});

describe('manageTelemetry', () => {
  /** Calls it, and returns the warnings and a function that runs its callback. */
  function manage(options: { readonly timeout?: number } = {}) {
    const warnings: unknown[] = [];
    const callbacks: ((remaining: number) => unknown)[] = [];
    const logger = { warn: (message: unknown) => warnings.push(message) };
    manageTelemetry((callback) => void callbacks.push(callback), { logger, ...options });
    const close = (remaining: number) => Promise.all(callbacks.map((each) => each(remaining)));
    return { warnings, close };
  }

  it('warns at the start when no SDK is registered, and not at the end', async () => {
    const { warnings, close } = manage();
    expect(warnings).toEqual([findTracingProblem()]);
    await close(60_000);
    expect(warnings).toHaveLength(1);
  });

  it('exports at the end', async () => {
    const shutdowns: string[] = [];
    registerSdk(shuttingDown(async () => void shutdowns.push('spans')));
    const { warnings, close } = manage();
    expect(shutdowns).toEqual([]);
    await close(60_000);
    expect({ shutdowns, warnings }).toEqual({ shutdowns: ['spans'], warnings: [] });
  });

  it.each([
    ['half of the time that remains', {}, 20, 10],
    ['its timeout', { timeout: 5 }, 60_000, 5],
  ])('waits no longer than %s, and then warns', async (_, options, remaining, waited) => {
    registerSdk(shuttingDown(() => new Promise(() => undefined)));
    const { warnings, close } = manage(options);
    await close(remaining);
    expect(warnings).toMatchObject([
      {
        code: 'TELEMETRY_NOT_EXPORTED',
        message: expect.stringContaining(`no response within ${waited} ms`),
      },
    ]);
  });

  it('waits up to 2 seconds by default', async () => {
    registerSdk(shuttingDown(async () => undefined));
    const { close } = manage();
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    await close(60_000);
    expect(setTimer.mock.calls.map(([, delay]) => delay)).toEqual([2_000]);
  });

  it('warns on the console by default', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    manageTelemetry(() => undefined);
    expect(warn.mock.calls).toEqual([[findTracingProblem()]]);
  });

  it.each([
    [
      undefined,
      {},
      'manageTelemetry() cannot use undefined as onClose. Pass onClose from the lifecycle of serve().',
    ],
    [() => undefined, { timeout: -1 }, /must be 0 to 2,147,483,647/],
    [() => undefined, { logger: {} }, /must be an object with a warn/],
    [() => undefined, { log: console }, "has no option 'log'."],
  ])('refuses (%o, %o)', (onClose, options, message) => {
    const call = () => Reflect.apply(manageTelemetry, undefined, [onClose, options]);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(call).toThrow(message);
  });
});

describe('findTracingProblem', () => {
  it('finds none if an SDK is registered', () => {
    registerSdk(shuttingDown(async () => undefined));
    expect(findTracingProblem()).toBeUndefined();
  });

  it('names the version that refuses another SDK', () => {
    diag.setLogger({ ...console, verbose() {} });
    onTestFinished(() => diag.disable());
    expect(findTracingProblem()).toMatch(
      /^No OpenTelemetry SDK is registered\. .* @opentelemetry\/api 1\.10\.0 was used before the SDK/,
    );
  });
});
