import { join } from 'node:path';
import { OUTPUT } from '../compile.js';
import { PinnedProcess } from '../pinned-process.js';
import { type Estimate, estimate, quantile, shuffled } from '../statistics.js';
import type { Benchmark, Subject } from './benchmarks.js';

/** How a benchmark is measured; lengths in milliseconds. */
export interface MicroOptions {
  readonly node: string;
  readonly rounds: number;
  readonly slice: number;
  readonly warmUp: number;
  /** Called once each subject is warm, and after each round. */
  onProgress(): void;
}

/** What was measured of a subject. */
export interface MicroRow {
  readonly subject: Subject;
  /** Nanoseconds of one operation: the median turn, and that which a tenth of the turns were below. */
  readonly time: number;
  readonly leastTime: number;
  /** Time as a multiple of the first subject's in the same round. */
  readonly ratio: Estimate;
}

/** What was measured of a benchmark. */
export interface MicroTable {
  readonly benchmark: Benchmark;
  readonly node: string;
  readonly rows: readonly MicroRow[];
}

interface Contestant {
  readonly subject: Subject;
  readonly process: PinnedProcess;
  readonly node: string;
  readonly times: number[];
}

/** Lets each subject of a benchmark work in turn, in random order, each in a process of its own. */
export async function measureBenchmark(
  benchmark: Benchmark,
  options: MicroOptions,
): Promise<MicroTable> {
  const contestants: Contestant[] = [];
  try {
    for (const subject of benchmark.subjects) {
      const contestant = await enter(subject, benchmark, options.node);
      contestants.push(contestant);
      await contestant.process.ask(options.warmUp);
      options.onProgress();
    }
    for (const _ of Array(options.rounds)) {
      for (const { process, times } of shuffled(contestants)) {
        times.push(Number(await process.ask(options.slice)));
      }
      options.onProgress();
    }
  } finally {
    for (const { process } of contestants) await process.stop();
  }
  const first = contestants[0]?.times ?? [];
  return {
    benchmark,
    node: contestants[0]?.node ?? '',
    rows: contestants.map(({ subject, times }) => ({
      subject,
      time: quantile(times, 0.5),
      leastTime: quantile(times, 0.1),
      ratio: estimate(times.map((time, round) => time / (first[round] ?? Number.NaN))),
    })),
  };
}

async function enter(subject: Subject, benchmark: Benchmark, node: string): Promise<Contestant> {
  const { process, message } = await PinnedProcess.start(node, [
    join(OUTPUT, 'micro/worker.js'),
    subject.name,
    benchmark.name,
  ]);
  return { subject, process, node: String(message), times: [] };
}
