import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workspace } from './pages.ts';
import { CHART, drawSpeedChart, readRows, showChart } from './speed-chart.ts';

it('is drawn from the committed results: run `pnpm --filter site chart` after a change of either', () => {
  expect(readFileSync(join(workspace, CHART), 'utf8')).toBe(drawSpeedChart());
});

it('shows the frameworks, without raw servers, response schemas and users-api', () => {
  const table = [
    '## Throughput / raw, all workloads',
    '',
    '| Server | json | post |',
    '|---|---|---|',
    '| raw node:http | 1.00 | 1.00 |',
    '| Fairlead, functions | 1.08 | 0.97 |',
    '| Hono, @hono/node-server | 0.94 | 0.85 |',
    '| Fastify, response schema | 0.97 | – |',
    '| users-api, functions, memory | 0.67 | 0.62 |',
    '',
  ].join('\n');
  expect(readRows(table)).toEqual([
    { server: 'Fairlead, functions', ratios: new Map(Object.entries({ json: 1.08, post: 0.97 })) },
    { server: 'Hono', ratios: new Map(Object.entries({ json: 0.94, post: 0.85 })) },
  ]);
});

it('puts every ratio in words, and loads nothing', () => {
  const svg = drawSpeedChart();
  const description = /<desc id="description">(.*)<\/desc>/.exec(svg)?.[1] ?? '';
  const drawn = svg.match(/<rect class="bar/g) ?? [];
  expect(description.match(/ \d\.\d\d\b/g)).toHaveLength(drawn.length);
  expect(drawn).toHaveLength(40);
  expect(svg).not.toMatch(/https?:(?!\/\/www\.w3\.org\/2000\/svg)|@import|url\(/);
});

it('has every bar of the picture on the site', () => {
  const values = (text: string) => text.match(/(?<=>)\d\.\d\d(?=<)/g);
  const tokens = [
    { type: 'paragraph_open', content: '', hidden: false },
    { type: 'inline', content: `![Bars](${CHART})`, hidden: false },
    { type: 'paragraph_close', content: '', hidden: false },
    { type: 'inline', content: 'The chart', hidden: false },
  ];
  showChart(tokens);
  expect(tokens.map(({ type, hidden }) => [type, hidden])).toEqual([
    ['paragraph_open', true],
    ['html_block', false],
    ['paragraph_close', true],
    ['inline', false],
  ]);
  expect(values(tokens[1]?.content ?? '')).toEqual(values(drawSpeedChart()));
});
