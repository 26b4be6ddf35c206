import { createRequire } from 'node:module';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, onTestFinished } from 'vitest';

/** Registers an SDK for the rest of the running test. */
export function registerSdk(processor: SpanProcessor, sampler?: Sampler): TracerProvider {
  const options = { spanProcessors: [processor], ...(sampler && { sampler }) };
  const provider = new TracerProvider(options);
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return provider;
}

// Only the first instance can patch node:http, when it is required.
const instrumentation = new HttpInstrumentation();
createRequire(import.meta.url)('node:http');
instrumentation.disable();

/** The spans of the running test. */
export interface Spans {
  /** Resolves to the first spans, once so many have ended. */
  first(count: number): Promise<readonly ReadableSpan[]>;
}

/** Options of {@link traceHttp}. */
export interface HttpTracing {
  /** Path of requests that the instrumentation ignores. */
  readonly ignored?: string;
  readonly sampler?: Sampler;
}

/** Registers an SDK, and the instrumentation of node:http, for the rest of the running test. */
export function traceHttp({ ignored, sampler }: HttpTracing = {}): Spans {
  const exporter = new InMemorySpanExporter();
  const provider = registerSdk(new SimpleSpanProcessor({ exporter }), sampler);
  instrumentation.setTracerProvider(provider);
  instrumentation.setConfig({ ignoreIncomingRequestHook: ({ url }) => url === ignored });
  instrumentation.enable();
  onTestFinished(() => instrumentation.disable());
  return {
    async first(count) {
      await expect.poll(() => exporter.getFinishedSpans().length).toBeGreaterThanOrEqual(count);
      return exporter.getFinishedSpans();
    },
  };
}
