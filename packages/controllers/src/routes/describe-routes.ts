import type { Application, Middleware, Route } from '@fairlead/core';
import { opensWebSocket } from '@fairlead/core/extend';
import { describeToken, type Token } from '@fairlead/di';
import { describeValue } from '@fairlead/options';
import { checkingGuards, routeOf } from '../definition/built-route.js';
import type { RouteDefinition } from '../definition/definition.js';
import { optionError } from '../errors.js';
import { guardName } from '../metadata/references.js';

/** One route of an application, for tools and logs. */
export interface RouteDescription {
  /** In upper case; `ALL` for every method, and `WS` for a GET route that opens WebSocket connections. */
  readonly method: string;
  /** The whole pattern, with the prefixes of its router. */
  readonly path: string;
  /** The controller's method, such as `UsersController.create`, or the name of the handler function. */
  readonly handler: string;
  /** Names of guards, in the order in which they run, without those that a decorator such as `@Public()` skips. */
  readonly guards: readonly string[];
  /** Names of the router's, the plugin's, the class's and the method's middleware, in this order. */
  readonly middleware: readonly string[];
  /** Names of interceptors, the outermost first. */
  readonly interceptors: readonly string[];
  /** The route's metadata; undefined for a route that is not a controller's. */
  readonly definition: RouteDefinition | undefined;
}

/**
 * Describes every route of an application, functional and class-based.
 *
 * @param app - With its routers mounted and its plugins installed. The result omits middleware of
 *   `app.use`, which runs before every route that is mounted after it.
 * @returns In the order of registration. A function without a name is `(anonymous)`.
 * @throws {ControllerError} 500 `INVALID_OPTION`, when `app` is not an application.
 */
export function describeRoutes(app: Application): readonly RouteDescription[] {
  if (typeof Object(app).routes !== 'function') {
    const text = `describeRoutes() cannot use ${describeValue(app)}. Pass the result of createApp().`;
    throw optionError(text);
  }
  return app.routes().map(describeRoute);
}

function describeRoute({ method, pattern, handlers }: Route): RouteDescription {
  const handler = handlers.at(-1);
  const route = routeOf(handler);
  const ofRouter = handlers.slice(0, -(route?.handlers.length ?? 1));
  const { guards = [], middleware = [], interceptors = [] } = route ?? {};
  const checking = checkingGuards(handler);
  const running = guards.flatMap((guard, index) =>
    checking.includes(guard) ? [guardName(guard, index)] : [],
  );
  return Object.freeze({
    method: opensWebSocket(handlers) ? 'WS' : method,
    path: pattern,
    handler: nameOf(handler ?? ''),
    guards: running,
    middleware: [...ofRouter, ...middleware].map(nameOf),
    interceptors: interceptors.map(nameOf),
    definition: route,
  });
}

function nameOf(reference: Middleware | Token): string {
  if (typeof reference === 'function') return reference.name || '(anonymous)';
  return describeToken(reference);
}

const COLUMNS = ['method', 'path', 'handler', 'guards', 'middleware', 'interceptors'] as const;

/**
 * Formats routes as a plain text table: a line of column names, then one line per route. Omits empty
 * columns.
 *
 * @param routes - All or some results of `describeRoutes`, in any order.
 * @returns Lines without trailing spaces, and without a final line break.
 */
export function formatRoutes(routes: readonly RouteDescription[]): string {
  const columns = COLUMNS.flatMap((name) => {
    const cells = routes.map((route) => [route[name]].flat().join(', '));
    const width = Math.max(name.length, ...cells.map(({ length }) => length));
    const isEmpty = cells.every((cell) => cell === '');
    return isEmpty ? [] : [[name.toUpperCase(), ...cells].map((cell) => cell.padEnd(width))];
  });
  const lines = ['', ...routes].map((_, row) => columns.map((cells) => cells[row]).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
