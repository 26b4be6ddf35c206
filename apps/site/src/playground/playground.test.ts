import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { startInNode } from '../../test/start-in-node.ts';
import { bundleWorker } from './bundle.ts';
import {
  changeBetween,
  EXAMPLES,
  exampleOf,
  hasMistake,
  MISTAKES,
  PROGRAM,
  type Report,
  toggleMistake,
} from './program.ts';

/** Gives a worker of Node.js what the worker of a browser has. */
const BROWSER = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', (data) => globalThis.onmessage({ data }));
Object.assign(globalThis, { addEventListener() {}, postMessage: (value) => parentPort.postMessage(value) });
`;

const code = bundleWorker().then(
  (text) => new URL(`data:text/javascript,${encodeURIComponent(BROWSER + text)}`),
);

/** Returns what the playground prints. */
async function startInPlayground(program: string): Promise<string> {
  const worker = new Worker(await code);
  const lines: string[] = [];
  const ended = new Promise((resolve, reject) => {
    worker.on('error', reject).on('message', (report: Report) => {
      if ('text' in report) lines.push(report.text);
      else resolve(report.code);
    });
  });
  worker.postMessage(program);
  await ended;
  await worker.terminate();
  return lines.join('\n');
}

const all = MISTAKES.reduce(toggleMistake, PROGRAM);

/** Returns the program with the mistakes of these names. */
const make = (...names: readonly string[]) =>
  MISTAKES.filter(({ label }) => names.includes(label)).reduce(toggleMistake, PROGRAM);

it.each([
  ['no mistake', PROGRAM],
  ['all mistakes', all],
  // The misspelled token of all mistakes ends the cycle, and warnings follow when there are no mistakes.
  ['a cycle', make('Cycle')],
  ['a warning of the controllers', make('Unmounted router')],
  ['a warning of the application', PROGRAM.replace('app.use(json', "app.use('/notes', json")],
  [
    'an error in a service',
    PROGRAM.replace("'log', { useValue", "'log', { eager: true, useFactory"),
  ],
  ['an error in the program', PROGRAM.replace('createApp()', 'createAp()')],
])('prints what Node.js prints: %s', async (_, program) => {
  const [printed, expected] = await Promise.all([startInPlayground(program), startInNode(program)]);
  expect(printed).toBe(expected);
});

it.each(
  EXAMPLES.filter(({ program }) => program !== PROGRAM).flatMap(({ name, program, mistakes }) => [
    [`${name}, no mistake`, program] as const,
    [`${name}, all mistakes`, mistakes.reduce(toggleMistake, program)] as const,
    ...mistakes.map(
      (mistake) => [`${name}, ${mistake.label}`, toggleMistake(program, mistake)] as const,
    ),
  ]),
)('prints what Node.js prints: %s', async (_, program) => {
  const [printed, expected] = await Promise.all([startInPlayground(program), startInNode(program)]);
  expect(printed).toBe(expected);
});

it.each(EXAMPLES)('reports each mistake alone: $name', async ({ program, mistakes }) => {
  const started = await startInPlayground(program);
  const reports = await Promise.all(
    mistakes.map((mistake) => startInPlayground(toggleMistake(program, mistake))),
  );
  expect(new Set([started, ...reports]).size).toBe(mistakes.length + 1);
});

it.each(EXAMPLES)(
  'makes each mistake once, and takes it back: $name',
  ({ program: right, mistakes }) => {
    const made = mistakes.map((mistake) => toggleMistake(right, mistake));
    const found = made.map((program) => mistakes.filter((one) => hasMistake(program, one)));
    expect(mistakes.filter((mistake) => hasMistake(right, mistake) !== false)).toEqual([]);
    expect(found).toEqual(mistakes.map((mistake) => [mistake]));
    const wrong = mistakes.reduce(toggleMistake, right);
    expect(mistakes.reduce(toggleMistake, wrong)).toBe(right);
  },
);

it('cannot toggle a mistake in lines that the visitor has changed', () => {
  const [mistake] = MISTAKES;
  expect(mistake && hasMistake(PROGRAM.replace('prefix', 'path'), mistake)).toBeUndefined();
});

it.each(EXAMPLES)('recognizes an application, with and without its mistakes: $name', (example) => {
  const wrong = example.mistakes.reduce(toggleMistake, example.program);
  expect(exampleOf(example.program)).toBe(example);
  expect(exampleOf(wrong)).toBe(example);
  expect(exampleOf('')).toBeUndefined();
});

it.each([
  ['a line in the middle', 'a\nb\nc\n', 'a\nd\nc\n', { from: 2, to: 3, insert: 'd' }],
  ['a repeated line', 'a\na\n', 'a\na\na\n', { from: 4, to: 4, insert: 'a\n' }],
  ['a line less', 'a\na\na\n', 'a\na\n', { from: 4, to: 6, insert: '' }],
  ['the whole text', 'a', '', { from: 0, to: 1, insert: '' }],
  ['nothing', 'a\n', 'a\n', { from: 2, to: 2, insert: '' }],
])('replaces only what differs: %s', (_, before, after, change) => {
  expect(changeBetween(before, after)).toEqual(change);
});

it('names the modules that the playground has when a program imports another one', async () => {
  expect(await startInPlayground("import { z } from 'zod';")).toBe(
    "Error: The playground has no module 'zod'. It has @fairlead/controllers, @fairlead/core, @fairlead/core/extend, @fairlead/di, @fairlead/serve.",
  );
});

it('names what Node.js has and the playground does not', async () => {
  const program = PROGRAM.replace('controllers, prefix', "root: './controllers', prefix");
  expect(await startInPlayground(program)).toContain('The playground has no');
});
