import type { Middleware } from '@fairlead/core';
import type { Logger } from '../logging/logger.js';

/** Tracing through the SDK that is registered in the process. */
export interface Tracing {
  readonly middleware: Middleware;
  /**
   * Exports the last spans. Logs a warning when the export fails or takes too long.
   *
   * @param timeout - Maximum time to wait, in milliseconds.
   */
  close(timeout: number): Promise<void>;
}

/**
 * Loads the OpenTelemetry API, which a service without tracing never loads.
 *
 * @param logger - Logs a warning when no SDK is registered and when the last spans are lost.
 */
export async function openTracing(logger: Logger): Promise<Tracing> {
  const [{ ProxyTracerProvider, trace }, { hasTracingSdk, traceRequests }] = await Promise.all([
    import('@opentelemetry/api'),
    import('./trace-requests.js'),
  ]);
  if (!hasTracingSdk()) {
    logger.warn(
      'TRACING is on, but no OpenTelemetry SDK is registered. ' +
        'Start node with --import and a file that registers one, or set TRACING=off.',
    );
  }
  return {
    middleware: traceRequests(),
    async close(timeout) {
      const proxy = trace.getTracerProvider();
      const provider = proxy instanceof ProxyTracerProvider ? proxy.getDelegate() : proxy;
      if (!canShutDown(provider)) return;
      const { promise: timedOut, reject } = Promise.withResolvers<never>();
      const onTimeout = () => reject(new Error(`No response within ${Math.round(timeout)} ms.`));
      const timer = setTimeout(onTimeout, timeout);
      try {
        await Promise.race([provider.shutdown(), timedOut]);
      } catch (err) {
        logger.warn({ err }, 'failed to export the last spans: check the trace receiver');
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Whether a provider can be shut down. Only those of an SDK can. */
function canShutDown(provider: object): provider is { shutdown(): Promise<void> } {
  return 'shutdown' in provider && typeof provider.shutdown === 'function';
}
