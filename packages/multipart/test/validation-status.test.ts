import { createApp, json, type StandardSchema, urlencoded } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { multipart, type PartsOptions, parts } from '../src/index.js';
import { field, file, form, post, statusAndCode } from './support/form.js';

const filter = () => false;

/** A schema that rejects every value. */
const never: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => ({ issues: [{ message: 'is required', path: ['a'] }] }),
  },
};

describe.each([[400], [422]] as const)('with the validationStatus %s', (validationStatus) => {
  it.each<[string, PartsOptions, string, readonly [number, string]]>([
    [
      'a missing part',
      { rules: { a: { required: true } } },
      form(),
      [validationStatus, 'MISSING_PART'],
    ],
    [
      'a part of the wrong kind',
      { rules: { a: { kind: 'file' } } },
      form(field('a')),
      [validationStatus, 'WRONG_PART_KIND'],
    ],
    [
      'a file that the filter rejects',
      { filter },
      form(file('a', 'b')),
      [validationStatus, 'FILE_REJECTED'],
    ],
    [
      'a file without a name',
      { filter },
      form(file('a', '', 'x')),
      [validationStatus, 'FILE_REJECTED'],
    ],
    [
      'a part that is not JSON',
      { rules: { a: { json: true } } },
      form(field('a', '{')),
      [400, 'MALFORMED_JSON'],
    ],
    [
      'too many parts',
      { rules: { a: { maxCount: 1 } } },
      form(field('a').repeat(2)),
      [413, 'TOO_MANY_VALUES'],
    ],
    [
      'a wrong media type',
      { filter: ['image/*'] },
      form(file('a', 'b')),
      [415, 'UNSUPPORTED_PART_TYPE'],
    ],
  ])('%s is answered as a JSON body would be', async (_, options, body, expected) => {
    const inMemory = createApp({ validationStatus }).use(multipart(options));
    const streamed = createApp({ validationStatus }).use(async (ctx) => {
      await Array.fromAsync(parts(ctx, options));
    });
    expect(await statusAndCode(await post(inMemory, body))).toEqual(expected);
    expect(await statusAndCode(await post(streamed, body))).toEqual(expected);
  });

  it('a POST without the required form has it', async () => {
    const rules = { a: { required: true } };
    const app = createApp({ validationStatus }).use(multipart({ rules }));
    expect((await app.request('/', { method: 'POST' })).status).toBe(validationStatus);
  });

  it('a form that a schema rejects has it, in every media type', async () => {
    const app = createApp({ validationStatus })
      .use(json(), urlencoded(), multipart())
      .post('/', { body: never }, () => 1);
    const fields = new FormData();
    fields.set('b', '1');
    const bodies = [
      fields,
      new URLSearchParams({ b: '1' }),
      new Blob(['{"b":1}'], { type: 'application/json' }),
    ];
    for (const body of bodies) {
      const response = await app.request('/', { method: 'POST', body });
      expect(await response.json()).toMatchObject({
        status: validationStatus,
        code: 'VALIDATION_FAILED',
        issues: [{ source: 'body', path: ['body', 'a'] }],
      });
    }
  });
});
