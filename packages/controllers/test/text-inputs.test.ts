import { createApp, createRouter, json, urlencoded } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  Body,
  Controller,
  controllersPlugin,
  defineController,
  Get,
  Header,
  Param,
  Post,
  Query,
} from '../src/index.js';

const numbers = z.array(z.number());
const filter = z.object({ name: z.string().optional(), ids: numbers.optional() });
const search = z.object({ page: z.number(), tags: z.array(z.string()), filter });

@Controller('/class')
class Items {
  @Get('/named/:id')
  named(
    @Param('id', { schema: z.number() }) id: number,
    @Query('page', { transform: z.number() }) page: number,
    @Query('on', { schema: z.boolean().optional() }) on: boolean | undefined,
    @Query('ids', { schema: numbers }) ids: number[],
    @Query('all', { schema: numbers, all: true }) all: number[],
    @Query('filter', { schema: filter }) found: unknown,
    @Header('X-Ids', { schema: numbers }) header: number[],
  ) {
    return { id, page, on, ids, all, found, header };
  }

  @Get('/whole')
  whole(@Query({ schema: search }) query: unknown) {
    return query;
  }

  @Post('/fields')
  fields(
    @Body('page', { schema: z.number() }) page: number,
    @Body('tags', { schema: z.array(z.string()) }) tags: string[],
    @Body('filter', { schema: filter }) found: unknown,
  ) {
    return { page, tags, filter: found };
  }

  @Post('/body')
  body(@Body({ schema: search }) body: unknown) {
    return body;
  }
}

const values = defineController('/value', {
  routes: ({ get, post }) => ({
    whole: get('/whole', { query: search }, ({ query }) => query),
    body: post('/body', { body: search }, ({ body }) => body),
  }),
});

async function start() {
  const app = createApp().use(json(), urlencoded());
  const router = createRouter();
  await app.plugin(controllersPlugin({ router, controllers: [Items, values] }));
  return app.route('/', router);
}

const text = 'page=2&tags=a&filter[name]=1&filter[ids]=3';
const expected = { page: 2, tags: ['a'], filter: { name: '1', ids: [3] } };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('text of a request', () => {
  it('becomes the values of single parameters', async () => {
    const app = await start();
    const query = 'page=1&on=true&ids=5&all=6&all=7&filter[ids]=8';
    const response = await app.request(`/class/named/4?${query}`, { headers: { 'X-Ids': '1, 2' } });
    expect(await response.json()).toEqual({
      id: 4,
      page: 1,
      on: true,
      ids: [5],
      all: [6, 7],
      found: { ids: [8] },
      header: [1, 2],
    });
  });

  it.each(['/class/whole', '/value/whole'])('becomes the query of %s', async (path) => {
    const app = await start();
    expect(await (await app.request(`${path}?${text}`)).json()).toEqual(expected);
  });

  it.each(['/class/fields', '/class/body', '/value/body'])(
    'becomes the body of %s',
    async (path) => {
      const app = await start();
      const response = await app.request(path, { method: 'POST', body: text, headers: form });
      expect(await response.json()).toEqual(expected);
      const headers = { 'Content-Type': 'application/json' };
      const sent = { method: 'POST', body: JSON.stringify({ ...expected, page: '2' }), headers };
      expect((await app.request(path, sent)).status).toBe(400);
    },
  );
});
