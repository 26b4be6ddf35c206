import { RESOURCE_ROUTES, RESOURCES } from '../http/fixtures.js';
import type { Operation } from './operation.js';

/** Method and pattern of a route. */
export type Route = readonly [method: string, pattern: string];

/** The 211 routes. */
export const ROUTES: readonly Route[] = [
  ['GET', '/'],
  ...RESOURCES.flatMap((name) =>
    RESOURCE_ROUTES.map(([method, path]): Route => [method.toUpperCase(), `/${name}${path}`]),
  ),
];

/** Those with parameters, of which the first is `id`. */
export const PARAM_ROUTES = ROUTES.filter(([, pattern]) => pattern.includes(':'));

/** Those without. */
export const STATIC_ROUTES = ROUTES.filter(([, pattern]) => !pattern.includes(':'));

/** What a router is asked for. */
export interface RoutedRequest {
  readonly method: string;
  readonly path: string;
}

/** Requests that are made at a time. */
const BATCH = 1_000;

/** Times a function on requests to random ones of some routes. No path is used a second time. */
export function onRequests(
  routes: readonly Route[],
  use: (method: string, path: string) => unknown,
): Operation {
  const next = createRequests(routes);
  let requests = next(BATCH);
  let index = 0;
  const operate = () => {
    const request = requests[index];
    index += 1;
    return request && use(request.method, request.path);
  };
  return Object.assign(operate, {
    renew() {
      requests = next(BATCH);
      index = 0;
      return BATCH;
    },
  });
}

/** Makes requests to random routes with random parameters; in each process the same. */
export function createRequests(routes: readonly Route[]): (count: number) => RoutedRequest[] {
  let state = 1;
  const random = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
  const createRequest = (): RoutedRequest => {
    const [method, pattern] = routes[random(routes.length)] ?? ['GET', '/'];
    const path = pattern.replaceAll(/:\w+/g, () => String(random(1_000_000)));
    // As node:http's parser does: a text of its own, whose hash nobody has asked for yet.
    return { method, path: Buffer.from(path).toString('latin1') };
  };
  return (count) => Array.from({ length: count }, createRequest);
}
