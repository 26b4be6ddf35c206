import type { Operation, SubjectModule } from './operation.js';

// The program of every subject's process: `worker.js <subject> <benchmark>`. It is asked for so many
// milliseconds, and answers with nanoseconds per operation.
const [, , subject = '', benchmark = ''] = process.argv;
const { operations }: SubjectModule = await import(`./subjects/${subject}.js`);
const prepare = operations[benchmark];
if (prepare === undefined) throw new Error(`${subject} has no benchmark ${benchmark}.`);
const operation = prepare();
const turn = operation() instanceof Promise ? awaited : called;

/** Keeps results from being optimized away. */
export let sink: unknown;

async function called(operate: Operation, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) sink = operate();
}

async function awaited(operate: Operation, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) sink = await operate();
}

process.on('message', async (milliseconds: number) => {
  let done = 0;
  let batch = 1;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    const count = operation.renew?.() ?? batch;
    const begin = performance.now();
    await turn(operation, count);
    elapsed += performance.now() - begin;
    done += count;
    // Twenty looks at the clock or so in a turn.
    batch = Math.max(1, Math.ceil(((done / elapsed) * milliseconds) / 20));
  }
  process.send?.((elapsed / done) * 1e6);
});
process.on('disconnect', () => process.exit());
process.send?.(process.version);
