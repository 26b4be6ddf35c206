import { AUTHORIZATION } from '../http/fixtures.js';
import { type Exchange, WORKLOADS } from '../http/workloads.js';

/** A route whose calls are counted. */
export interface CountedRoute {
  readonly name: string;
  readonly title: string;
  /** The file in `http/servers/` that has the route. */
  readonly server: 'engine' | 'engine-class' | 'engine-values';
  /** The function in that file that starts the server. */
  readonly starter: string;
  /** The workload whose requests are sent. */
  readonly workload: string;
  /** Headers to add to its requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

const functions = (name: string, title: string, workload: string): CountedRoute => ({
  ...{ name, title, server: 'engine', starter: workload, workload },
});

const classes = (name: string, title: string, workload: string): CountedRoute => ({
  ...{ name, title, server: 'engine-class', starter: workload, workload },
});

const values = (name: string, title: string, workload: string): CountedRoute => ({
  ...{ name, title, server: 'engine-values', starter: workload, workload },
});

/** The routes, in the order of the table. */
export const COUNTED_ROUTES: readonly CountedRoute[] = [
  functions('get', 'GET with a parameter', 'param'),
  functions('post', 'POST of JSON', 'post'),
  functions('post-schema', 'POST of JSON with a schema', 'valid-post'),
  functions('middlewares', 'GET behind ten middlewares', 'async-10'),
  classes('class-get', 'class: GET with a parameter', 'param'),
  classes('class-get-guard', 'class: GET with a guard, a parameter and a service', 'class-get'),
  {
    ...classes('class-post-guard-schema', 'class: POST with a guard and a schema', 'valid-post'),
    ...{ starter: 'guarded-valid-post', headers: { Authorization: AUTHORIZATION } },
  },
  values('value-get', 'value: GET with a parameter', 'param'),
  values('value-get-guard', 'value: GET with a guard, a parameter and a service', 'class-get'),
  {
    ...values('value-post-guard-schema', 'value: POST with a guard and a schema', 'valid-post'),
    ...{ starter: 'guarded-valid-post', headers: { Authorization: AUTHORIZATION } },
  },
];

/** Returns the request of a counted route, and the expected response. */
export async function exchangeOf({ workload, headers }: CountedRoute): Promise<Exchange> {
  const [exchange] = (await WORKLOADS.find(({ name }) => name === workload)?.prepare('')) ?? [];
  if (exchange === undefined) throw new Error(`The workload ${workload} does not exist.`);
  return { ...exchange, headers: { ...exchange.headers, ...headers } };
}
