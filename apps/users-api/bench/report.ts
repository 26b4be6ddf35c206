import { cpus } from 'node:os';
import type { Slice } from './creates.js';
import type { ListMemory } from './list-memory.js';
import { median, range } from './statistics.js';

const MEBIBYTE = 1024 ** 2;

/** The slices of one store, in the order of the rounds. */
export interface Measured {
  readonly title: string;
  readonly slices: readonly Slice[];
}

/** Where and when it was measured, as a line of Markdown. */
export function describeRun(command: string): string {
  const date = new Date().toISOString().slice(0, 10);
  const processors = cpus();
  const model = processors[0]?.model.trim();
  return `${date}, Node ${process.version}, ${processors.length} × ${model}: \`${command}\``;
}

/** The rates of creating, beside that of the first store. */
export function describeCreates(stores: readonly Measured[]): string {
  const [first] = stores;
  const rows = stores.map(({ title, slices }) => {
    const rate = median(slices.map(({ rate }) => rate));
    const ratios = slices.map(({ rate }, round) => rate / (first?.slices[round]?.rate ?? rate));
    const late = (key: 'p50' | 'p99') => median(slices.map(({ delay }) => delay[key])).toFixed(1);
    const max = median(slices.map(({ delay }) => delay.max)).toFixed(1);
    return [
      title,
      Math.round(rate).toLocaleString('en'),
      `${median(ratios).toFixed(2)} (${range(ratios, 2)})`,
      median(slices.map(({ p99 }) => p99)).toFixed(0),
      `${late('p50')} / ${late('p99')} / ${max}`,
    ];
  });
  return table(
    [
      'Store',
      'Creates per second',
      'Beside memory',
      'p99 of latency, ms',
      'Event loop late by, p50 / p99 / max, ms',
    ],
    rows,
  );
}

/** The memory that a whole list takes. */
export function describeLists(lists: readonly (ListMemory & { readonly title: string })[]): string {
  const rows = lists.map(({ title, users, idle, peak, duration }) => [
    title,
    users.toLocaleString('en'),
    (idle / MEBIBYTE).toFixed(0),
    ((peak - idle) / MEBIBYTE).toFixed(0),
    (duration / 1_000).toFixed(1),
  ]);
  return table(
    ['Store', 'Users in the list', 'RSS when idle, MiB', 'Above it, MiB', 'Seconds'],
    rows,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
