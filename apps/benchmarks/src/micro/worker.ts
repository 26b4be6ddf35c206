import { do_not_optimize as keep, measure } from 'mitata';
import type { LibraryModule } from './benchmarks.js';

// The program of each library's process: `worker.js <library> <benchmark>`. The parent process sends
// the length of a turn in milliseconds. The reply is the time of an operation in nanoseconds.
const [, , library = '', benchmark = ''] = process.argv;
const { operations }: LibraryModule = await import(`./libraries/${library}.js`);
const prepare = operations[benchmark];
if (prepare === undefined) throw new Error(`${library} does not have the benchmark ${benchmark}.`);
const operation = prepare();
const { input } = operation;

const call = (value?: unknown) => {
  const result = operation(value as never);
  keep(result);
  return result;
};

const timed =
  input === undefined
    ? () => call()
    : function* () {
        yield { 0: input, bench: call };
      };

process.on('message', async (milliseconds: number) => {
  // The median, because each call of measure() allocates 8 MB, whose collection disturbs the mean.
  const { p50 } = await measure(timed as () => unknown, {
    min_cpu_time: milliseconds * 1e6,
    min_samples: 1,
    // A slow operation would take too long for mitata's default of 4,096 calls.
    batch_samples: 1_000,
    // mitata reads the clock around each call if the first calls are slow. Give them more chances.
    warmup_samples: 5,
    warmup_threshold: Number.POSITIVE_INFINITY,
    // mitata would allocate a gigabyte before each turn to provoke a garbage collection.
    gc: false,
  });
  process.send?.(p50);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
