import { formatEstimate, formatTable } from '../report/markdown.js';
import type { Row, Table } from './measure.js';

/**
 * @param tables - What was measured, workload by workload.
 * @returns Sections with all servers and workloads in one table, as Markdown.
 */
export function formatSummary(tables: readonly Table[]): readonly string[] {
  return [
    summarize('Throughput / raw, all workloads', tables, (row) => row.throughputRatio.median),
    summarize('CPU per request / raw, all workloads', tables, (row) => row.cpuRatio.median),
  ];
}

function summarize(title: string, tables: readonly Table[], read: (row: Row) => number): string {
  const servers = new Map(
    tables.flatMap(({ rows }) => rows.map(({ server }) => [server.name, server.title] as const)),
  );
  const body = [...servers].map(([name, label]) => {
    const values = tables.map(({ rows }) => rows.find(({ server }) => server.name === name));
    return [label, ...values.map((row) => (row === undefined ? '–' : read(row).toFixed(2)))];
  });
  const head = ['Server', ...tables.map(({ workload }) => workload.name)];
  return `## ${title}\n\n${formatTable(head, body)}\n`;
}

/** @returns The section of a workload, as Markdown. */
export function formatHttpTable({ workload, rows }: Table): string {
  const body = rows.map((row) => [
    row.server.title,
    formatEstimate(row.throughputRatio),
    formatEstimate(row.cpuRatio),
    row.cpu.toFixed(1),
    row.leastCpu.toFixed(1),
    Math.round(row.throughput).toLocaleString('en'),
    row.p50.toFixed(2),
    row.p99.toFixed(2),
  ]);
  const head = [
    'Server',
    'Throughput / raw (95 %)',
    'CPU per request / raw (95 %)',
    'CPU, µs',
    'in the best tenth',
    'Requests/s',
    'p50, ms',
    'p99, ms',
  ];
  return `## ${workload.name}: ${workload.title}\n\n${formatTable(head, body)}\n`;
}
