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

/** A body of unknown length, which is sent in chunks. */
function chunked(...chunks: readonly string[]): RequestInit {
  const body = new Blob([...chunks]).stream();
  return { body, duplex: 'half' } as RequestInit;
}

describe('a body that no parser has read', () => {
  it.each(['/body', '/field', '/optional'])('causes a 415 for %s', async (path) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path, { ...csv, body: 'a,b' });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      code: 'BODY_NOT_READ',
      error:
        "Cannot read the body of type 'text/csv'. Send another media type, such as application/json.",
    });
  });

  it('causes a 415 in chunks and without a type', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/body', { method: 'POST', ...chunked('a') });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      error: expect.stringContaining('Cannot read the body without a type.'),
    });
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
