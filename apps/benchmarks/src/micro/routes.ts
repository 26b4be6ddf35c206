import { RESOURCE_ROUTES, RESOURCES } from '../http/fixtures.js';
import type { Operation } from './benchmarks.js';

/** The method and the pattern of a route. */
export type Route = readonly [method: string, pattern: string];

/** The 211 routes. */
export const ROUTES: readonly Route[] = [
  ['GET', '/'],
  ...RESOURCES.flatMap((name) =>
    RESOURCE_ROUTES.map(([method, path]): Route => [method.toUpperCase(), `/${name}${path}`]),
  ),
];

/** The routes with parameters. The first parameter is `id`. */
export const PARAM_ROUTES = ROUTES.filter(([, pattern]) => pattern.includes(':'));

/** The routes without parameters. */
const STATIC_ROUTES = ROUTES.filter(([, pattern]) => !pattern.includes(':'));

/** A request to look up. */
export interface RoutedRequest {
  readonly method: string;
  readonly path: string;
}

/** Looks up a request in a router. */
export type Find = (method: string, path: string) => unknown;

/** Creates the operations of the router benchmarks that look up a route and its parameter `id`. */
export function routerOperations(findRoute: Find, findId: Find) {
  return {
    'router-param': () => onRequests(PARAM_ROUTES, findId),
    'router-static': () => onRequests(STATIC_ROUTES, findRoute),
    'router-all': () => onRequests(ROUTES, findRoute),
  };
}

/** Creates an operation that looks up random requests. No path is used twice. */
export function onRequests(routes: readonly Route[], find: Find): Operation {
  const operation = ({ method, path }: RoutedRequest) => find(method, path);
  return Object.assign(operation, { input: createRequests(routes) });
}

/**
 * Returns a function that creates requests for random routes with random parameters. The sequence is
 * the same in each process.
 */
export function createRequests(routes: readonly Route[]): () => RoutedRequest {
  let state = 1;
  const random = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
  return () => {
    const [method, pattern] = routes[random(routes.length)] ?? ['GET', '/'];
    const path = pattern.replaceAll(/:\w+/g, () => String(random(1_000_000)));
    // A new string whose hash has not been computed yet, like those from node:http's parser.
    return { method, path: Buffer.from(path).toString('latin1') };
  };
}
