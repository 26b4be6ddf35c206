import { STACKS } from './middlewares.js';

/** An operation that several libraries offer. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** The libraries to compare, Fairlead first. */
  readonly libraries: readonly Library[];
}

/** A library to measure. */
export interface Library {
  /** The name of its file in `libraries/`. */
  readonly name: string;
  /** The name in tables and charts. */
  readonly title: string;
}

/** A function to time. If it returns a promise, the time until the promise settles counts. */
export interface Operation {
  (input: never): unknown;
  /** Creates the argument of the next call. This is not timed. */
  readonly input?: () => unknown;
}

/** The exports of a file in `libraries/`: one function per benchmark, which prepares the operation. */
export interface LibraryModule {
  readonly operations: Readonly<Record<string, (() => Operation) | undefined>>;
}

const library = (name: string, title: string): Library => ({ name, title });

const ROUTERS = [
  library('fairlead-router', 'Fairlead'),
  library('find-my-way', 'find-my-way'),
  library('rou3', 'rou3'),
  library('rou3-compiled', 'rou3, compiled'),
  library('memoirist', 'memoirist'),
  library('hono-router', 'Hono RegExpRouter'),
];

const COMPOSERS = [library('fairlead-compose', 'Fairlead'), library('koa-compose', 'koa-compose')];

const CONTAINERS = [
  library('fairlead-di', 'Fairlead'),
  library('tsyringe', 'tsyringe'),
  library('inversify', 'inversify'),
  library('awilix', 'awilix'),
  library('typedi', 'typedi'),
];

/** The numbers of users in a response. */
export const USER_COUNTS = [10, 2_000] as const;

const RESPONSES = [
  library('respond-plain', 'no schema'),
  library('respond-trust', "`responses: 'trust'`"),
  library('respond-clean', 'nothing to remove'),
  library('respond-removed', 'a member to remove from each user'),
  library('respond-compiled', '`compileResponse`'),
];

/** All benchmarks of single operations. */
export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'router-param',
    title: 'Look up one of 150 routes with a parameter, of 211, and its text',
    libraries: [...ROUTERS, library('fairlead-params', 'Fairlead, decoded by name')],
  },
  { name: 'router-static', title: 'Look up one of 61 routes without, of 211', libraries: ROUTERS },
  { name: 'router-all', title: 'Look up one of 211 routes', libraries: ROUTERS },
  ...(['sync', 'async'] as const).flatMap((kind) =>
    STACKS.map((count) => ({
      name: `compose-${kind}-${count}`,
      title: `Run a pipeline of ${count} ${kind}hronous middlewares`,
      libraries: COMPOSERS,
    })),
  ),
  { name: 'resolve-singleton', title: 'Resolve a singleton', libraries: CONTAINERS },
  { name: 'resolve-transient', title: 'Resolve a transient, three deep', libraries: CONTAINERS },
  { name: 'build', title: 'Register and build 1,000 singletons', libraries: CONTAINERS },
  ...USER_COUNTS.map((count) => ({
    name: `respond-${count}`,
    title: `Respond with ${count} users in JSON`,
    libraries: RESPONSES,
  })),
];
