import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { Controller, defineController, Get, SetHeader } from '../src/index.js';
import { serve } from './support/serve.js';

const rows = () => Readable.from([{ row: 1 }]);
const short = () => Readable.from(['tw']);
async function* text() {
  yield 'é';
}

@Controller('/reports')
class Reports {
  @Get('/rows') rows() {
    return rows();
  }
  @Get('/short') @SetHeader('Content-Length', '3') short() {
    return short();
  }
  @Get('/text') @SetHeader('Content-Type', 'text/csv') text() {
    return text();
  }
}

const reports = defineController('/reports', {
  routes: ({ get }) => ({
    rows: get('/rows', rows),
    short: get('/short', { metadata: [SetHeader('Content-Length', '3')] }, short),
    text: get('/text', { metadata: [SetHeader('Content-Type', 'text/csv')] }, text),
  }),
});

it.each([
  ['class', Reports],
  ['value', reports],
])('a stream of a %s that fails before its first byte is a 500', async (_, controller) => {
  const { fetch, hidden } = await serve({ controllers: [controller] });
  expect((await fetch('/reports/rows')).status).toBe(500);
  expect((await fetch('/reports/short')).status).toBe(500);
  expect(hidden).toMatchObject([{ code: 'ERR_INVALID_ARG_TYPE' }, { name: 'RangeError' }]);
  const sent = await fetch('/reports/text');
  expect(sent.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(await sent.text()).toBe('é');
});
