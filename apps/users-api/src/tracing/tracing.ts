import type { Middleware } from '@fairlead/core';
import type { Logger } from '../logging/logger.js';

/** Tracing as the process was started with it. */
export interface Tracing {
  readonly middleware: Middleware;
  /**
   * Exports the last spans. When that fails or takes too long, it logs a warning and resolves.
   *
   * @param timeout - Milliseconds to wait for the exporter.
   */
  close(timeout: number): Promise<void>;
}

/**
 * Loads tracing. Nothing of OpenTelemetry is loaded by a process that does not call this.
 *
 * @param logger - Receives a warning when the process has no SDK, and when the last spans are lost.
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
    async close(timeout) {
      const proxy = trace.getTracerProvider();
      const provider = proxy instanceof ProxyTracerProvider ? proxy.getDelegate() : proxy;
      if (!canShutDown(provider)) return;
      const { promise: late, reject } = Promise.withResolvers<never>();
      const onTimeout = () => reject(new Error(`No answer within ${Math.round(timeout)} ms.`));
      const timer = setTimeout(onTimeout, timeout);
      try {
        await Promise.race([provider.shutdown(), late]);
      } catch (err) {
        logger.warn({ err }, 'failed to export the last spans: check the receiver of the traces');
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Whether a provider is that of an SDK: the API alone knows no end. */
function canShutDown(provider: object): provider is { shutdown(): Promise<void> } {
  return 'shutdown' in provider && typeof provider.shutdown === 'function';
}
