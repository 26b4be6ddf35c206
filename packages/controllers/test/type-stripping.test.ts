import { expect, it } from 'vitest';
import { message } from './support/message.js';
import { FAIRLEAD, PACKAGE_JSON, runNode } from './support/program.js';
import { writeTree } from './support/tree.js';

/** Discovers `controllers`, and prints the response to each request, or the error of the startup. */
const MAIN = `
import { controllersPlugin, createApp, createContainer, createRouter } from '#fairlead';
const [strict, ...paths]: string[] = process.argv.slice(2);
const router = createRouter();
const app = createApp();
const root = new URL('./controllers/', import.meta.url);
const container = createContainer();
try {
  await app.plugin(
    controllersPlugin({ router, container, root, strict: strict === 'strict' }),
  );
  app.route('/', router);
  for (const path of paths) console.log(await (await app.request(path)).text());
} catch (error) {
  console.log((error as Error).message);
}
`;

const VALUE = `
import { defineController } from '#fairlead';
import { Greetings, type Greeting } from '../greetings.ts';

export const hello = defineController('/hello', {
  inject: { greetings: Greetings },
  routes: ({ get }) => ({
    greet: get('/:name', ({ params }, { greetings }): Greeting => greetings.of(params.name)),
  }),
});
`;

const GREETINGS = `
import type { Clock } from './clock.ts';
import { SystemClock } from './clock.ts';

export interface Greeting {
  readonly hello: string;
}

export class Greetings {
  static readonly inject = [SystemClock] as const;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(name: string): Greeting {
    return { hello: name + this.#clock.now() };
  }
}
`;

const CLOCK = `
export interface Clock {
  now(): number;
}

export class SystemClock implements Clock {
  static readonly inject = [] as const;

  now(): number {
    return 7;
  }
}
`;

const DECORATED = `
import { Controller, Get } from '#fairlead';

@Controller('/decorated')
export class Decorated {
  @Get() read() { return 1; }
}
`;

/** Runs TypeScript in node without a loader. */
async function runPlain(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const root = await writeTree({
    'package.json': PACKAGE_JSON,
    'fairlead.js': FAIRLEAD,
    'main.ts': MAIN,
    'clock.ts': CLOCK,
    'greetings.ts': GREETINGS,
    'controllers/hello.ts': VALUE,
    ...files,
  });
  return runNode(root, ['main.ts', ...args]);
}

it('Node.js runs controllers and services in TypeScript, without a loader', async () => {
  expect(await runPlain(['strict', '/hello/Ada'])).toEqual({
    code: 0,
    stdout: '{"hello":"Ada7"}\n',
    stderr: '',
  });
});

it('serves the values of a directory in which it cannot run a decorated class', async () => {
  const { stdout, stderr } = await runPlain(['lenient', '/hello/Ada', '/decorated'], {
    'controllers/decorated.ts': DECORATED,
  });
  expect(stdout).toMatch(/^\{"hello":"Ada7"\}\n.*No route matches \/decorated/);
  expect(stderr).toContain('\n  At: controllers/decorated.ts:4\n  Fix: build with tsc or swc');
  expect(stderr).toContain('Without a compiler, write controllers with defineController()');
  expect(stderr).toContain('1 of 2 files was skipped; its routes are not registered.');
});

it('fails in strict mode if it cannot run a decorated class', async () => {
  const { stdout } = await runPlain(['strict', '/hello/Ada'], {
    'controllers/decorated.ts': DECORATED,
  });
  expect(stdout).toMatch(/\n {2}At: controllers\/decorated\.ts:4\n {2}Fix: build with tsc or swc/);
});

it('locates mistakes in TypeScript without source maps', async () => {
  const { stdout } = await runPlain(['strict'], {
    'controllers/hello.ts': VALUE.replace("'/hello', {", "'/hello', {\n  tag: 'Hello',"),
  });
  expect(stdout).toContain(
    message(
      "Cannot register the routes of hello: defineController('/hello') has no option 'tag'. Did you mean 'tags'?",
      'At: controllers/hello.ts:5:22',
    ),
  );
});
