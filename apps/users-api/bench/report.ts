import { cpus } from 'node:os';
import type { Slice } from './creates.js';
import type { ListMemory } from './list-memory.js';
import type { LoopDelay } from './messages.js';
import { median, range } from './statistics.js';

const MEBIBYTE = 1024 ** 2;

/** Results of one store, by round. */
export interface Measured {
  readonly title: string;
  readonly slices: readonly Slice[];
}

/** Describes the date, machine and command of a run, as a line of Markdown. */
export function describeRun(command: string): string {
  const date = new Date().toISOString().slice(0, 10);
  const processors = cpus();
  const model = processors[0]?.model.trim();
  return `${date}, Node ${process.version}, ${processors.length} × ${model}: \`${command}\``;
}

/** Formats the create rates, and their ratios to the rate of the first store in the same round. */
export function describeCreates(stores: readonly Measured[]): string {
  const [first] = stores;
  const rows = stores.map(({ title, slices }) => {
    const rate = median(slices.map(({ rate }) => rate));
    const ratios = slices.map(({ rate }, round) => rate / (first?.slices[round]?.rate ?? rate));
    const delayOf = (key: keyof LoopDelay) =>
      median(slices.map(({ delay }) => delay[key])).toFixed(1);
    return [
      title,
      Math.round(rate).toLocaleString('en'),
      `${median(ratios).toFixed(2)} (${range(ratios, 2)})`,
      median(slices.map(({ p99 }) => p99)).toFixed(0),
      `${delayOf('p50')} / ${delayOf('p99')} / ${delayOf('max')}`,
    ];
  });
  return table(
    [
      'Store',
      'Creates per second',
      'Relative to memory',
      'Latency p99, ms',
      'Event loop delay p50 / p99 / max, ms',
    ],
    rows,
  );
}

/** Formats the memory used while reading the whole list. */
export function describeLists(lists: readonly (ListMemory & { readonly title: string })[]): string {
  const rows = lists.map(({ title, users, idle, peak, duration }) => [
    title,
    users.toLocaleString('en'),
    (idle / MEBIBYTE).toFixed(0),
    ((peak - idle) / MEBIBYTE).toFixed(0),
    (duration / 1_000).toFixed(1),
  ]);
  return table(
    ['Store', 'Users in the list', 'Idle RSS, MiB', 'Peak above idle, MiB', 'Seconds'],
    rows,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
