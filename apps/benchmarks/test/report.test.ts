import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawChart } from '../src/chart.js';
import { formatTime } from '../src/report.js';

it('formats times in the unit that suits them', () => {
  expect([7.5, 740, 68_100, 9_040_000].map(formatTime)).toEqual([
    ...['7.50 ns', '740 ns', '68.1 µs', '9.04 ms'],
  ]);
});

it('draws a bar for each value and escapes labels', () => {
  const value = { median: 1, low: 0.9, high: 1.1 };
  const svg = drawChart('A & B', [{ title: 'Panel', bars: [{ label: 'a<b', value }] }]);
  expect(svg).toContain('A &amp; B');
  expect(svg).toContain('a&lt;b');
  expect(svg.match(/<rect x=/g)).toHaveLength(1);
});

it('writes a table with the command, and a chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'results-'));
  const options = ['--servers', 'raw-again', '--rounds', '1', '--slice', '5', '--warm-up', '5'];
  const cli = join(import.meta.dirname, '../dist/cli.js');
  execFileSync(process.execPath, [cli, 'plaintext', ...options, '--out', folder]);
  const name = `plaintext-node-${process.version.slice(1)}`;
  expect(readdirSync(folder)).toEqual([`${name}.md`, `${name}.svg`]);
  const table = readFileSync(join(folder, `${name}.md`), 'utf8');
  expect(table).toContain(`pnpm bench plaintext ${options.join(' ')}`);
  expect(table).toMatch(/, commit [\da-f]{10}(?: with changes)?: `pnpm bench/);
  expect(table).toContain('| raw node:http, again (A/A) |');
});

it('lists the workloads if one is unknown', () => {
  const cli = join(import.meta.dirname, '../dist/cli.js');
  expect(() => execFileSync(process.execPath, [cli, 'nothing'], { stdio: 'pipe' })).toThrow(
    'Unknown workload: nothing. Use one of these: plaintext,',
  );
});
