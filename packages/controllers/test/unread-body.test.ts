import { describe, expect, it } from 'vitest';
import { Body, Controller, Post } from '../src/index.js';
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

const controllers = [BodyController];
const csv = { method: 'POST', headers: { 'content-type': 'text/csv' } };
const json = { method: 'POST', headers: { 'content-type': 'application/json' } };

/** A body whose length is not known, so that it is sent in chunks. */
function chunked(...chunks: readonly string[]): RequestInit {
  const body = new Blob([...chunks]).stream();
  return { body, duplex: 'half' } as RequestInit;
}

describe('a required body that no parser has read', () => {
  it.each(['/body', '/field'])('is answered with 415 for %s', async (path) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path, { ...csv, body: 'a,b' });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      code: 'BODY_NOT_READ',
      error:
        "No parser has read a body of type 'text/csv': send application/json, or install a parser (app.use(json())).",
    });
  });

  it('is answered with 415 when it comes in chunks, without a type', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/body', { method: 'POST', ...chunked('a') });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      error: expect.stringContaining('No parser has read a body without a type:'),
    });
  });
});

describe('a body that is absent', () => {
  it.each([
    ['has no length and no chunks', { ...csv }],
    ['is empty', { ...csv, body: '' }],
    ['has no chunks, as a parser has read', { ...json, ...chunked() }],
  ])('is answered with 400 when it %s', async (_, init) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/body', init);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'MISSING_PARAMETER' });
  });

  it('is undefined where it is optional, read or not', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/optional', { ...csv, body: 'a,b' });
    expect(await response.json()).toEqual({ body: 'absent' });
  });
});
