import { diag, metrics } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findTracingProblem, flushTelemetry } from '../src/index.js';
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
      'Cannot export the last telemetry: no response within 1 ms. Check that the receiver at OTEL_EXPORTER_OTLP_ENDPOINT runs.',
      undefined,
    ],
    [
      'fails',
      () => Promise.reject(new Error('Refused.')),
      'Cannot export the last telemetry: Refused. Check that the receiver at OTEL_EXPORTER_OTLP_ENDPOINT runs.',
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

  it.each([-1, Number.NaN, 2 ** 31, '1'])('refuses the timeout %o', async (timeout) => {
    await expect(flushTelemetry(timeout as number)).rejects.toMatchObject({
      code: 'INVALID_FLUSH_TIMEOUT',
      message: expect.stringMatching(/^flushTelemetry\(\) cannot use .* as timeout\. Use 0 to/),
    });
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
      /^No OpenTelemetry SDK is registered\. .* @opentelemetry\/api 1\.10\.0 was used before it/,
    );
  });
});
