import type { Application } from './application.js';
import { SetupError } from './errors/setup-error.js';

/** An extension of an application, installed once, at start-up. */
export interface Plugin {
  /** Names the plugin in errors. */
  readonly name: string;
  /**
   * Registers middleware and routes. What it throws stops the start; `close` is not called then, so
   * release what you opened before you throw.
   *
   * @param app - The application, which takes registrations.
   */
  install(app: Application): void | Promise<void>;
  /**
   * Checks what is known only when nothing can be registered any more, such as the prefixes that
   * routers were mounted at. What it throws stops the start.
   *
   * @param app - The application, with everything registered.
   */
  ready?(app: Application): void;
  /** Releases what `install` opened. `app.close()` calls it, last installed first. */
  close?(): void | Promise<void>;
}

/**
 * Checks that no plugin is still being installed.
 *
 * @throws {SetupError} `PLUGIN_INSTALLING`, for the first that is.
 */
export function assertInstalled(installing: Iterable<Plugin>): void {
  for (const { name } of installing) {
    throw new SetupError(
      'PLUGIN_INSTALLING',
      `The plugin '${name}' is still installing: write 'await app.plugin(...)' before the application begins to answer.`,
    );
  }
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
      errors.push(new Error(`The plugin '${plugin.name}' failed to close.`, { cause: error }));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Plugins failed to close.');
}
