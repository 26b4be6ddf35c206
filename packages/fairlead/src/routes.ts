import type { RouteDescription } from '@fairlead/controllers';
import type { Application, Route, RouteInput } from '@fairlead/core';
import { descriptionOf, opensWebSocket, responseSchemas } from '@fairlead/core/extend';
import { locatorOf } from '@fairlead/options';
import { importOptional } from './application.js';

type Described = Omit<RouteDescription, 'definition'>;

/** A route of the table, and of the JSON output. */
export interface RouteSummary extends Described {
  /** The version that requests name; undefined for a route of all versions. */
  readonly version: string | undefined;
  /** What is described: `params`, `query`, `headers`, `body`, or the statuses of responses. */
  readonly schemas: readonly string[];
  /** Such as `src/users.ts:12:3`; undefined if it is unknown. */
  readonly file: string | undefined;
}

/** Summarizes the routes of an application, in the order of registration. */
export async function summarizeRoutes(app: Application): Promise<readonly RouteSummary[]> {
  const routes = app.routes();
  const controllers = await importOptional(
    '@fairlead/controllers',
    () => import('@fairlead/controllers'),
  );
  const described = controllers?.describeRoutes(app) ?? routes.map(describe);
  return described.map(({ method, path, handler, guards, middleware, interceptors }, index) => {
    const { options = {} }: Partial<Route> = routes[index] ?? {};
    return {
      ...{ method, path, handler, guards, middleware, interceptors },
      version: options.version,
      schemas: schemasOf(options),
      file: locatorOf(options)?.(),
    };
  });
}

/** Describes a route of functions. */
function describe({ method, pattern, handlers }: Route): Described {
  const handler = handlers.at(-1);
  return {
    method: opensWebSocket(handlers) ? 'WS' : method,
    path: pattern,
    handler: nameOf(handler),
    guards: [],
    middleware: handlers.slice(0, -1).map(nameOf),
    interceptors: [],
  };
}

/** Returns the name of a function: that of its description, or its own. */
export function nameOf(value: { readonly name: string } | undefined): string {
  return descriptionOf(value)?.name || value?.name || '(anonymous)';
}

/** The options of a route for the sources of {@link RouteInput}. */
const SOURCES: Readonly<Record<RouteInput['source'], string>> = {
  param: 'params',
  query: 'query',
  header: 'headers',
  body: 'body',
};

function schemasOf(options: Route['options']): readonly string[] {
  const validated = (options.inputs ?? []).filter(({ schema }) => schema !== undefined);
  const sources = new Set(validated.map(({ source }) => SOURCES[source]));
  const inputs = Object.values(SOURCES).filter(
    (name) => sources.has(name) || Reflect.get(options, name) !== undefined,
  );
  // 0 stands for every successful status.
  const statuses = [...responseSchemas(options).keys()].map((status) =>
    status === 0 ? '2xx' : `${status}`,
  );
  // Without a schema, the status of the route.
  const own = statuses.length === 0 && options.status !== undefined ? [`${options.status}`] : [];
  return [...inputs, ...statuses, ...own];
}
