import type { StandardSchema } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { Body, Controller, createCustomParamDecorator, Post, UseGuard } from '../src/index.js';
import { serve } from './support/serve.js';

@Controller()
class BodyController {
  @Post('/body')
  body(@Body() body: unknown) {
    return { body };
  }

  @Post('/field')
  field(@Body('name') name: unknown) {
    return { name };
  }

  @Post('/optional')
  optional(@Body({ required: false }) body: unknown) {
    return { body: body ?? 'absent' };
  }
}

const schema: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value ?? 'absent' }) },
};

let extracted = 0;
const Counted = createCustomParamDecorator(() => {
  extracted += 1;
});

@Controller('/schema')
class SchemaController {
  @Post('/body')
  body(@Counted() _counted: unknown, @Body({ schema }) body: unknown) {
    return { body };
  }

  @Post('/field')
  field(@Body('name', { schema }) name: unknown) {
    return { name };
  }

  @Post('/guarded')
  @UseGuard(() => false)
  guarded(@Body({ schema }) body: unknown) {
    return { body };
  }
}

const controllers = [BodyController, SchemaController];
const csv = { method: 'POST', headers: { 'content-type': 'text/csv' } };
const json = { method: 'POST', headers: { 'content-type': 'application/json' } };

/** A body of unknown length, which is sent in chunks. */
function chunked(...chunks: readonly string[]): RequestInit {
  const body = new Blob([...chunks]).stream();
  return { body, duplex: 'half' } as RequestInit;
}

describe('a body that no parser has read', () => {
  it('causes a 415 in chunks and without a type', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/body', { method: 'POST', ...chunked('a') });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      error: 'The body has no Content-Type. Send it as application/json.',
    });
  });

  it.each([...['/body', '/field', '/optional'], ...['/schema/body', '/schema/field']])(
    'causes a 415 for %s',
    async (path) => {
      const { fetch } = await serve({ controllers });
      extracted = 0;
      const responses = [
        await fetch(path, { ...csv, body: 'a,b' }),
        await fetch(path, { ...csv, ...chunked('a,b') }),
      ];
      for (const response of responses) {
        expect([response.status, response.headers.get('Accept')]).toEqual([
          415,
          'application/json',
        ]);
        expect(await response.json()).toMatchObject({
          code: 'UNSUPPORTED_MEDIA_TYPE',
          error: 'The body has the type text/csv. Send it as application/json.',
        });
      }
      expect(extracted).toBe(0);
    },
  );

  it.each([
    { ...csv, body: '' },
    { ...csv, ...chunked() },
  ])('passes to the schema if it is empty: %j', async (init) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/schema/body', init);
    expect(await response.json()).toEqual({ body: 'absent' });
  });

  it('is not mentioned to a client that a guard rejects', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/schema/guarded', { ...csv, body: 'a,b' })).status).toBe(403);
  });
});

describe('a body that is absent', () => {
  it.each([
    ['has no length and no chunks', { ...csv }],
    ['is empty', { ...csv, body: '' }],
    ['has no chunks, and was read by a parser', { ...json, ...chunked() }],
  ])('causes a 400 if it %s', async (_, init) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/body', init);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'MISSING_PARAMETER' });
  });

  it('is undefined if it is optional', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/optional', { method: 'POST' });
    expect(await response.json()).toEqual({ body: 'absent' });
  });
});
