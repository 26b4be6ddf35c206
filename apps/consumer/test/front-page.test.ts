import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspace } from './support/project.js';

const read = (path: string) => readFileSync(join(workspace, path), 'utf8');

/** Returns the cells of the first row of a page that starts with a cell, without it. */
function rowOf(page: string, first: string): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${first} |`)) ?? '';
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

const frontPage = read('README.md').replaceAll('\n', ' ').replaceAll(/ +/g, ' ');

describe('the front page', () => {
  it('has the counts of the page of mistakes', () => {
    const mistakes = read('docs/mistakes.md');
    const [all, compiler] = rowOf(mistakes, '**All**');
    const [compiles, , start, warning, ...later] = rowOf(mistakes, '**All that compile**');
    expect(frontPage).toContain(`A test makes ${all} common mistakes.`);
    expect(frontPage).toContain(`The compiler rejects ${compiler} of them.`);
    expect(frontPage).toContain(
      `Of the ${compiles} that compile, ${start} fail at startup, before the port opens`,
    );
    const never = later.pop();
    const others = later.reduce((sum, count) => sum + Number(count || 0), 0);
    expect(frontPage).toContain(
      `${warning} print a warning. ${others} show later, and ${never} never`,
    );
  });

  it('has the speeds of the results', () => {
    const results = read('apps/benchmarks/results/http-node-24.21.0.md');
    const names = rowOf(results, 'Server');
    const speedsOf = (server: string) => {
      const cells = rowOf(results, server);
      return ['json', 'post', 'class-get', 'class-post'].map((name) => cells[names.indexOf(name)]);
    };
    const servers = ['Fairlead, functions', 'Fairlead, classes', 'Fastify', 'NestJS on Fastify'];
    const page = read('README.md').replaceAll('**', '');
    expect(servers.map((server) => rowOf(page, server))).toEqual(servers.map(speedsOf));
    const [, , get, post] = speedsOf('Fairlead, classes');
    const [, , nestGet, nestPost] = speedsOf('NestJS on Fastify');
    expect(frontPage).toContain(`serves ${get} times the GET requests per second`);
    expect(frontPage).toContain(`and ${post} times the POST requests.`);
    expect(frontPage).toContain(`NestJS on Fastify reaches ${nestGet} and ${nestPost}.`);
  });

  it.each(['README.md', 'docs/performance.md'])('names the commit of the speeds: %s', (page) => {
    const [, commit] =
      /, commit (\w+): /.exec(read('apps/benchmarks/results/http-node-24.21.0.md')) ?? [];
    expect(read(page).replaceAll('\n', ' ')).toContain(`at commit \`${commit}\``);
  });

  it('has the sums of the rounds of chaos', () => {
    const rows =
      read('apps/users-api/docs/chaos.md').match(/^\| (SQLite|PostgreSQL), 2 \|.*$/gm) ?? [];
    const cells = rows.map((row) => row.split('|').map((cell) => Number(cell.replace(',', ''))));
    const sum = (column: number) => cells.reduce((total, row) => total + (row[column] ?? 0), 0);
    const [writes, kills, crashes] = [sum(6), sum(7), sum(9)];
    expect(frontPage).toContain(
      `was killed ${kills} times, and its database ${crashes} times, during ${writes.toLocaleString('en-US')} acknowledged writes.`,
    );
  });
});
