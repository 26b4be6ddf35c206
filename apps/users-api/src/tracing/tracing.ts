import type { Middleware } from '@fairlead/core';
import type { Logger } from '../logging/logger.js';

/** Tracing as the process was started with it. */
export interface Tracing {
  readonly middleware: Middleware;
  /** Hands the last spans to where they go. */
  close(): Promise<void>;
}

/**
 * Loads tracing. Nothing of OpenTelemetry is loaded by a process that does not call this.
 *
 * @param logger - Is told when spans go nowhere, because the process has no SDK.
 */
export async function openTracing(logger: Logger): Promise<Tracing> {
  const [{ ProxyTracerProvider, trace }, { hasTracingSdk, traceRequests }] = await Promise.all([
    import('@opentelemetry/api'),
    import('./trace-requests.js'),
  ]);
  if (!hasTracingSdk()) {
    logger.warn(
      'TRACING is on, and no OpenTelemetry SDK is registered: ' +
        'start node with --import and a file that registers one, or turn TRACING off',
    );
  }
  return {
    middleware: traceRequests(),
    async close() {
      const proxy = trace.getTracerProvider();
      const provider = proxy instanceof ProxyTracerProvider ? proxy.getDelegate() : proxy;
      if (canShutDown(provider)) await provider.shutdown();
    },
  };
}

/** Whether a provider is that of an SDK: the API alone knows no end. */
function canShutDown(provider: object): provider is { shutdown(): Promise<void> } {
  return 'shutdown' in provider && typeof provider.shutdown === 'function';
}
