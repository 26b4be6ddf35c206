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
  it('has the counts of the page of all mistakes', () => {
    const mistakes = read('apps/site/pages/all-mistakes.md');
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
    const servers = [
      'Fairlead, functions',
      'Fairlead, classes',
      'Fastify',
      'NestJS on Fastify',
      'Express',
    ];
    const page = read('README.md').replaceAll('**', '');
    expect(rowOf(page, 'node:http with `optimizeEmptyRequests`')).toEqual(
      speedsOf('raw, optimizeEmptyRequests'),
    );
    const [least, ...others] = rowOf(results, 'raw node:http, again (A/A)').sort();
    expect(frontPage).toContain(`reached ${least} to ${others.at(-1)} of the first one`);
    expect(servers.map((server) => rowOf(page, server))).toEqual(servers.map(speedsOf));
    const [, , get, post] = speedsOf('Fairlead, classes');
    const [, , nestGet, nestPost] = speedsOf('NestJS on Fastify');
    expect(frontPage).toContain(`serves ${get} times the GET requests per second`);
    expect(frontPage).toContain(`and ${post} times the POST requests.`);
    expect(frontPage).toContain(`NestJS on Fastify reaches ${nestGet} and ${nestPost}.`);
  });

  it.each(['README.md', 'docs/contributing/performance.md'])(
    'names the commit of the speeds: %s',
    (page) => {
      const [, commit] =
        /, commit (\w+): /.exec(read('apps/benchmarks/results/http-node-24.21.0.md')) ?? [];
      expect(read(page).replaceAll('\n', ' ')).toContain(`at commit \`${commit}\``);
    },
  );

  it('has the sums of the rounds of chaos', () => {
    const rows =
      read('apps/users-api/docs/chaos.md').match(/^\| (SQLite|PostgreSQL), 2 \|.*$/gm) ?? [];
    const cells = rows.map((row) => row.split('|').map((cell) => Number(cell.replaceAll(',', ''))));
    const sum = (column: number) => cells.reduce((total, row) => total + (row[column] ?? 0), 0);
    const [writes, kills, crashes] = [sum(7), sum(8), sum(10)];
    expect(frontPage).toContain(
      `was killed ${kills} times, and its database ${crashes} times, during ${writes.toLocaleString('en-US')} acknowledged writes.`,
    );
  });
});

describe('the page of performance', () => {
  const page = read('docs/contributing/performance.md');

  /** Returns a function that reads the number at the start of a cell of the first table below a heading. */
  function table(file: string, heading: string) {
    const text = read(`apps/benchmarks/results/${file}-node-24.21.0.md`);
    const rows = text.slice(text.indexOf(`\n## ${heading}`)).split('\n## ')[1] ?? '';
    const [, first = ''] = /^\| (Server|Library) \|/m.exec(rows) ?? [];
    const columns = rowOf(rows, first);
    return (row: string, column: string) => {
      const cell = rowOf(rows, row)[columns.findIndex((name) => name.startsWith(column))];
      return /^[\d.]+/.exec(cell ?? '')?.[0];
    };
  }

  const throughput = table('http', 'Throughput / raw, all workloads');
  const cpu = table('http', 'CPU per request / raw, all workloads');

  it.each<readonly [row: string, server: string]>([
    ['raw, a second process: the noise', 'raw node:http, again (A/A)'],
    ['raw, `optimizeEmptyRequests`', 'raw, optimizeEmptyRequests'],
    ...['Fairlead, functions', 'Fairlead, classes', 'Fastify', 'NestJS on Fastify'].map(
      (server) => [server, server] as const,
    ),
  ])('has the throughput of the results: %s', (row, server) => {
    const workloads = rowOf(page, 'Server');
    expect(rowOf(page, row)).toEqual(workloads.map((workload) => throughput(server, workload)));
  });

  it('has the width of the intervals', () => {
    const results = read('apps/benchmarks/results/http-node-24.21.0.md');
    const intervals = /^\| [^|]+ \| [^|]+ \| ([\d.]+) \(([\d.]+)–([\d.]+)\) /gm;
    const widths = [...results.matchAll(intervals)]
      .map(([, ratio, from, to]) => (50 * (Number(to) - Number(from))) / Number(ratio))
      .filter((width) => width > 0)
      .sort((a, b) => a - b);
    const at = (share: number) => Math.round(widths[Math.floor(share * widths.length)] ?? 0);
    const text = `Four fifths of the 95 % intervals are between ±${at(0.1)} % and ±${at(0.9)} %.`;
    expect(page.replaceAll('\n', ' ')).toContain(text);
  });

  const classes = (workload: string) => cpu('Fairlead, classes', workload);
  const functions = (workload: string) => cpu('Fairlead, functions', workload);
  const fastify = (workload: string) => cpu('Fastify', workload);
  const raw = (workload: string) => cpu("raw, with json()'s checks", workload);
  const withSchema = (server: string, workload: string) =>
    cpu(`${server}, response schema`, workload);
  const koaCompose = (operation: string) =>
    table('micro', `${operation}:`)('koa-compose', 'Time /');
  const fixedPath = (library: string) => table('micro', 'router-static:')(library, 'Time /');
  const start = (server: string) => table('start', '500 controllers')(server, 'CPU /');
  const memory = (workload: string, server: string) =>
    table('memory', `${workload}:`)(`Fairlead, ${server}`, '/ raw');
  const service = ['users-list', 'users-get', 'users-create']
    .flatMap((workload) =>
      ['functions', 'classes'].map((style) => throughput(`users-api, ${style}, memory`, workload)),
    )
    .sort();

  it.each<[bullet: string, numbers: (string | undefined)[]]>([
    [
      'Small JSON objects without dates',
      ['json', 'class-get'].flatMap((one) => [classes(one), withSchema('Fairlead, classes', one)]),
    ],
    [
      'POST',
      ['post', 'class-post'].flatMap((one) => [
        classes(one),
        functions(one),
        fastify(one),
        raw(one),
      ]),
    ],
    ['POST with a schema', [fastify('valid-post'), classes('valid-post')]],
    [
      'A page of users',
      [
        fastify('page'),
        functions('page'),
        classes('page'),
        withSchema('Fastify', 'page'),
        withSchema('Fairlead, classes', 'page'),
        withSchema('Fairlead, functions', 'page'),
      ],
    ],
    ['Router.', [fixedPath('memoirist'), fixedPath('rou3')]],
    ['Middleware.', ['sync-10', 'async-10'].map((one) => koaCompose(`compose-${one}`))],
    [
      'Start with 500 controllers.',
      ['Nest on Express', 'Nest on Express, one module', 'routing-controllers'].map(start),
    ],
    [
      'Memory.',
      [
        memory('post', 'classes'),
        memory('class-get', 'classes'),
        memory('class-get', 'functions'),
        memory('json', 'functions'),
      ],
    ],
    ['users-api', [service[0], service.at(-1)]],
  ])('has the ratios of the results, in any order: %s', (bullet, numbers) => {
    const [, text = ''] = page.split(`\n- **${bullet}**`);
    const [sentences = ''] = text.split(/\n(?:- |\n)/);
    expect((sentences.match(/\b\d\.\d\d\b/g) ?? []).sort()).toEqual(numbers.sort());
  });

  it.each([
    "`responses: 'trust'`",
    'nothing to remove',
    'a member to remove from each user',
    '`compileResponse`',
  ])('has the cost of a response schema: %s', (row) => {
    const shown = page.replace(/^\| `compileResponse` of \S+/m, '| `compileResponse`');
    const [, ten] = rowOf(shown, row);
    expect(ten).toBe(table('micro', 'respond-10:')(row, 'Time /'));
  });

  it('has the times of the router', () => {
    const time = (library: string) => table('micro', 'router-param:')(library, 'Time');
    const text = `takes ${time('Fairlead')} ns, and ${time('memoirist')} in memoirist`;
    expect(page.replaceAll('\n', ' ')).toContain(text);
  });
});
