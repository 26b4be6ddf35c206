import { STACKS } from './middlewares.js';

/** One operation, done by several libraries. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** Files in `subjects/`, and what the tables call them; Fairlead first. */
  readonly subjects: readonly Subject[];
}

/** One library. */
export interface Subject {
  readonly name: string;
  readonly title: string;
}

const subject = (name: string, title: string): Subject => ({ name, title });

const ROUTERS = [
  subject('fairlead-router', 'Fairlead'),
  subject('find-my-way', 'find-my-way'),
  subject('rou3', 'rou3'),
  subject('rou3-compiled', 'rou3, compiled'),
  subject('memoirist', 'memoirist'),
  subject('hono-router', 'Hono RegExpRouter'),
];

const COMPOSERS = [subject('fairlead-compose', 'Fairlead'), subject('koa-compose', 'koa-compose')];

const CONTAINERS = [
  subject('fairlead-di', 'Fairlead'),
  subject('tsyringe', 'tsyringe'),
  subject('inversify', 'inversify'),
  subject('awilix', 'awilix'),
  subject('typedi', 'typedi'),
];

/** Everything that is measured inside one process. */
export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'router-param',
    title: 'Look up one of 150 routes with a parameter, of 211, and its text',
    subjects: [...ROUTERS, subject('fairlead-params', 'Fairlead, decoded by name')],
  },
  { name: 'router-static', title: 'Look up one of 61 routes without, of 211', subjects: ROUTERS },
  { name: 'router-all', title: 'Look up one of 211 routes', subjects: ROUTERS },
  ...(['sync', 'async'] as const).flatMap((kind) =>
    STACKS.map((count) => ({
      name: `compose-${kind}-${count}`,
      title: `Run a pipeline of ${count} ${kind}hronous middlewares`,
      subjects: COMPOSERS,
    })),
  ),
  { name: 'resolve-singleton', title: 'Resolve a singleton', subjects: CONTAINERS },
  { name: 'resolve-transient', title: 'Resolve a transient, three deep', subjects: CONTAINERS },
  { name: 'build', title: 'Register and build 1,000 singletons', subjects: CONTAINERS },
];
