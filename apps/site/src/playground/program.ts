/** The application that the playground shows at first. It is JavaScript, so that the browser runs it as it is. */
export const PROGRAM = `import { controllersPlugin, defineController } from '@fairlead/controllers';
import { createApp, createRouter, json } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { serve } from '@fairlead/serve';

class Clock {
  static inject = [];
  now = () => new Date().toISOString();
}

class Numbers {
  static inject = [];
  last = 0;
  next = () => ++this.last;
}

class Notes {
  static inject = [Clock, Numbers, 'log'];
  all = [];
  constructor(clock, numbers, log) {
    this.add = (text) => {
      this.all.push({ id: numbers.next(), text, at: clock.now() });
      log(\`\${this.all.length} notes\`);
      return this.all.at(-1);
    };
  }
}

const notes = defineController('/notes', {
  inject: { notes: Notes },
  routes: ({ get, post }) => ({
    list: get('/', (ctx, { notes }) => notes.all),
    find: get('/:id', ({ params }, { notes }) => notes.all[params.id - 1]),
    add: post('/', ({ body }, { notes }) => notes.add(body.text)),
  }),
});

async function createNotes() {
  const container = createContainer();
  container.register('log', { useValue: console.log });
  const router = createRouter();
  const app = createApp();
  app.use(json());
  const controllers = [notes];
  await app.plugin(
    controllersPlugin({ container, controllers, prefix: '/api', router }),
  );
  app.route('/', router);
  return app;
}

await serve(createNotes, { port: 8080 });
`;

/** A mistake that the visitor makes with one press of a button: a replacement in the text of the program. */
export interface Mistake {
  /** What the button says. */
  readonly label: string;
  /** Occurs once in {@link PROGRAM}. */
  readonly right: string;
  /** Occurs in no program without the mistake. */
  readonly wrong: string;
}

/** The mistakes, of which a start reports all together except the last one, a warning. */
export const MISTAKES: readonly Mistake[] = [
  { label: 'Misspelled option', right: 'prefix:', wrong: 'prefx:' },
  {
    label: 'Duplicate route',
    right: "    find: get('/:id',",
    wrong: "    last: get('/:which', (ctx, { notes }) => notes.all.at(-1)),\n    find: get('/:id',",
  },
  {
    label: 'Missing inject',
    right: 'class Clock {\n  static inject = [];\n  now',
    wrong: 'class Clock {\n  now',
  },
  {
    label: 'Captured request scope',
    right: '  last = 0;\n',
    wrong: "  static scope = 'request';\n  last = 0;\n",
  },
  {
    label: 'Cycle',
    right: '{ useValue: console.log }',
    wrong: '{ useFactory: (notes) => console.log, inject: [Notes] }',
  },
  { label: 'Misspelled token', right: "Numbers, 'log'];", wrong: "Numbers, 'logs'];" },
  { label: 'Missing call', right: 'app.use(json());', wrong: 'app.use(json);' },
  {
    label: 'Unmounted router',
    right: "  app.route('/', router);\n",
    wrong: '  // No app.route().\n',
  },
];

/** An application that the playground offers, with its mistakes. */
export interface Example {
  /** What the list of applications says. */
  readonly name: string;
  readonly program: string;
  readonly mistakes: readonly Mistake[];
}

const FUNCTIONS = `import { createApp, createRouter, json } from '@fairlead/core';
import { serve } from '@fairlead/serve';

const all = [];

const notes = createRouter()
  .get('/', () => all)
  .get('/:id', ({ params }) => all[params.id - 1])
  .post('/', ({ body }) => {
    all.push({ id: all.length + 1, text: body.text });
    return all.at(-1);
  })
  .delete('/:id', ({ params }) => all.splice(params.id - 1, 1));

function createNotes() {
  const app = createApp();
  app.use(json());
  app.route('/notes', notes);
  return app;
}

await serve(createNotes, { port: 8080 });
`;

/** The application that the playground shows at first. */
export const VALUES: Example = { name: 'Values', program: PROGRAM, mistakes: MISTAKES };

/** The applications that the playground offers. */
export const EXAMPLES: readonly Example[] = [
  VALUES,
  {
    name: 'Functions',
    program: FUNCTIONS,
    mistakes: [
      {
        label: 'Duplicate route',
        right: "  .get('/:id',",
        wrong: "  .get('/:which', () => all.at(-1))\n  .get('/:id',",
      },
      {
        label: 'Regular expression',
        right: ".delete('/:id',",
        wrong: ".delete('/:id([0-9]+)',",
      },
      { label: 'Missing call', right: 'app.use(json());', wrong: 'app.use(json);' },
      {
        label: 'Mounted twice',
        right: "  app.route('/notes', notes);\n",
        wrong: "  app.route('/notes', notes);\n  app.route('/notes', notes);\n",
      },
      {
        label: 'Repeated prefix',
        right: ".get('/', () => all)",
        wrong: ".get('/notes', () => all)",
      },
    ],
  },
];

/** Whether a program has a mistake; undefined when the visitor has changed the lines that it is about. */
export function hasMistake(program: string, { right, wrong }: Mistake): boolean | undefined {
  if (program.includes(wrong)) return true;
  return program.includes(right) ? false : undefined;
}

/** Makes a mistake in a program that does not have it, or else takes it back. */
export function toggleMistake(program: string, mistake: Mistake): string {
  const { right, wrong } = mistake;
  // A function, because a replacement text may not contain dollar signs.
  return hasMistake(program, mistake)
    ? program.replace(wrong, () => right)
    : program.replace(right, () => wrong);
}

/** A replacement in a text. */
export interface Change {
  /** Where the replaced text starts and ends. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Returns the change that makes one program into another one, without what both start or end with. */
export function changeBetween(before: string, after: string): Change {
  const limit = Math.min(before.length, after.length);
  let from = 0;
  while (from < limit && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < limit - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

/** Returns the application of which a program is a version: that in which the visitor can make every mistake. */
export function exampleOf(program: string): Example | undefined {
  return EXAMPLES.find(({ mistakes }) =>
    mistakes.every((mistake) => hasMistake(program, mistake) !== undefined),
  );
}

/** What the worker tells the page: a text that the program prints, or the exit code of its end. */
export type Report =
  | { readonly text: string; readonly isWarning: boolean }
  | {
      /** Undefined while the application listens. */
      readonly code: number | undefined;
    };
