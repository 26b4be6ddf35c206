/** Where the plugin writes. */
export interface PluginLogger {
  /** Told of discovery and registration when `debug` is set. */
  debug(message: string): void;
  /** Told of discovery errors that do not stop the start. */
  warn(message: string): void;
}

/** Writes both to stderr. */
export const STDERR_LOGGER: PluginLogger = Object.freeze({
  debug: (message: string) => console.error(message),
  warn: (message: string) => console.warn(message),
});

/**
 * Puts `[controllers]` before each message.
 *
 * @param logger - Where the messages go.
 * @param isDebug - Whether debug messages go anywhere.
 */
export function createPluginLog(logger: PluginLogger, isDebug: boolean): PluginLogger {
  return Object.freeze({
    debug: (message: string) => {
      if (isDebug) logger.debug(`[controllers] ${message}`);
    },
    warn: (message: string) => logger.warn(`[controllers] ${message}`),
  });
}
