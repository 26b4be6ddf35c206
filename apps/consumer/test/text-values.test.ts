import { createApp } from '@fairlead/core';
import { multipart } from '@fairlead/multipart';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CHANNELS, createEcho } from './support/text-channels.js';
import { LIBRARIES, sampleCases } from './support/text-values.js';

const cases = sampleCases(40, 3, 1);

describe.each(Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[])('values of %s', (library) => {
  it.each(Object.entries(CHANNELS))('arrive equal by way of %s', async (name, open) => {
    const send = await open(createEcho(library, cases, name === 'tool'));
    for (const [index, { spec, values }] of cases.entries()) {
      for (const value of values) {
        const received = await send(index, value);
        expect({ spec, value, received }).toEqual({ spec, value, received: value });
      }
    }
  });
});

it('a form with one file has a list of one, and JSON parts stay as they are', async () => {
  const body = z.object({
    files: z.array(z.object({ fileName: z.string() })),
    cover: z.object({ fileName: z.string() }),
    count: z.number(),
    meta: z.object({ ids: z.array(z.string()) }),
  });
  const rules = { files: {}, cover: {}, count: {}, meta: { json: true } };
  const app = createApp().post('/', { body }, multipart({ rules }), (ctx) => ctx.body);
  const form = new FormData();
  form.append('files', new File(['a'], 'a.txt'));
  form.append('cover', new File(['b'], 'b.txt'));
  form.append('count', '2');
  form.append('meta', '{"ids":["1"]}');
  const response = await app.request('/', { method: 'POST', body: form });
  expect(await response.json()).toEqual({
    files: [{ fileName: 'a.txt' }],
    cover: { fileName: 'b.txt' },
    count: 2,
    meta: { ids: ['1'] },
  });
});
