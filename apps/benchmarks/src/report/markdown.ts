import { cpus } from 'node:os';
import type { Estimate } from '../statistics.js';

/** @returns Such as `1.02 (0.99–1.05)`. */
export function formatEstimate({ median, low, high }: Estimate): string {
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/**
 * @param nanoseconds - A length of time.
 * @returns It with three digits or more, such as `740 ns`, `68.1 µs` or `9.04 ms`.
 */
export function formatTime(nanoseconds: number): string {
  const [divisor, unit] =
    nanoseconds < 1e3 ? [1, 'ns'] : nanoseconds < 1e6 ? [1e3, 'µs'] : [1e6, 'ms'];
  const value = nanoseconds / divisor;
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

/** @returns Mebibytes with one digit, such as `62.3`. */
export function formatMebibytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1);
}

/** @returns A Markdown table. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/**
 * @param node - Version of Node that was measured, such as `v24.21.0`.
 * @param command - What was typed; where node lies on this machine is left out.
 * @returns Where and when a run was, as a line of text.
 */
export function describeRun(node: string, command: string): string {
  const typed = command.replace(/--node[ =]\S+/, `--node node-${node}`);
  const date = new Date().toISOString().slice(0, 10);
  const processors = cpus();
  return `${date}, Node ${node}, ${processors.length} × ${processors[0]?.model.trim()}: \`${typed}\``;
}
