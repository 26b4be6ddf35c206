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
