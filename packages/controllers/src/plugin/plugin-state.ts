import type { RegisteredController } from '../registry/definition.js';

/** What the plugin has registered: a frozen value, replaced by `install`. */
export interface PluginState {
  /** The registered controllers, in the order of registration. */
  readonly controllers: readonly RegisteredController[];
  /** How many routes they have; `@All()` counts as one. */
  readonly routeCount: number;
  /** Whether the plugin is installed. */
  readonly initialized: boolean;
}

/** The state before `install`. */
export const INITIAL_STATE: PluginState = Object.freeze({
  controllers: Object.freeze([]),
  routeCount: 0,
  initialized: false,
});

/** The state after `install`. */
export function installedState(controllers: readonly RegisteredController[]): PluginState {
  return Object.freeze({
    controllers: Object.freeze([...controllers]),
    routeCount: controllers.reduce((count, { routes }) => count + routes.length, 0),
    initialized: true,
  });
}
