import type { Application } from './application.js';

/** An extension of an application, installed once, at start-up. */
export interface Plugin {
  /** Names the plugin in errors. */
  readonly name: string;
  /** Registers middleware and routes. What it throws stops the start. */
  install(app: Application): void | Promise<void>;
  /** Lets go of what `install` opened; called by `app.close()`, last installed first. */
  close?(): void | Promise<void>;
}

/**
 * Closes plugins, the last first.
 *
 * @throws {AggregateError} When some failed to close; the others are closed all the same.
 */
export async function closePlugins(plugins: readonly Plugin[]): Promise<void> {
  const errors: unknown[] = [];
  for (const plugin of plugins.toReversed()) {
    try {
      await plugin.close?.();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Plugins failed to close.');
}
