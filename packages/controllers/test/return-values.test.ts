import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ConflictError, type Context } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { Controller, Ctx, Get, HttpCode, Post, Res } from '../src/index.js';
import { serve } from './support/serve.js';

const values = [{ a: 1 }, [1, 2], 'text', 7, true, false, null, ''];

@Controller('/values')
class ValueController {
  @Get('/json/:index')
  json(@Ctx() ctx: Context) {
    return values[Number(ctx.params.index)];
  }

  @Get('/undefined')
  nothing() {}

  @Get('/later')
  async later() {
    return { later: true };
  }

  @Get('/later/undefined')
  async laterNothing() {}

  @Get('/bytes')
  bytes() {
    return new Uint8Array([104, 105]);
  }

  @Get('/stream')
  stream() {
    return Readable.from(['a', 'b']);
  }

  @Get('/web-stream')
  webStream() {
    return new Response('web').body;
  }

  @Get('/no-json')
  async noJson() {
    return { count: 1n };
  }

  @Get('/map')
  map() {
    return new Map([['count', 1]]);
  }

  @Get('/nested-promise')
  nestedPromise() {
    return { user: Promise.resolve({ name: 'Ada' }) };
  }

  @Get('/response')
  async response() {
    return new Response('teapot', { status: 418, headers: { 'Content-Type': 'text/x' } });
  }

  @Get('/blob')
  blob() {
    return new Blob(['a,b'], { type: 'text/csv' });
  }

  @Get('/generator')
  async *generator() {
    yield 'one, ';
    yield Buffer.from('two');
  }

  @Get('/refuses')
  refuses() {
    return {
      toJSON() {
        throw new ConflictError('It refuses.');
      },
    };
  }

  @Get('/ctx/json')
  ctxJson(@Ctx() ctx: Context) {
    ctx.json({ by: 'ctx' });
    return { by: 'return' };
  }

  @Get('/ctx/send')
  ctxSend(@Ctx() ctx: Context) {
    ctx.send('plain');
  }

  @Get('/ctx/html')
  async ctxHtml(@Ctx() ctx: Context) {
    ctx.html('<p>');
  }

  @Get('/ctx/redirect')
  ctxRedirect(@Ctx() ctx: Context) {
    ctx.redirect('/elsewhere');
    return { by: 'return' };
  }

  @Get('/ctx/moved', { status: 301 })
  ctxMoved(@Ctx() ctx: Context) {
    ctx.redirect('/elsewhere');
  }

  @Get('/ctx/see-other')
  @HttpCode(303)
  ctxSeeOther(@Ctx() ctx: Context) {
    ctx.redirect('/elsewhere');
  }

  @Get('/ctx/status')
  ctxStatus(@Ctx() ctx: Context) {
    ctx.status = 418;
  }

  @Post('/ctx/status')
  ctxStatusAndValue(@Ctx() ctx: Context) {
    ctx.status = 201;
    ctx.set('Location', '/values/1');
    return { by: 'return' };
  }

  @Get('/ctx/type')
  ctxType(@Ctx() ctx: Context) {
    ctx.set('Content-Type', 'application/vnd.api+json');
    return { by: 'return' };
  }
}

@Controller('/raw')
class RawController {
  @Get('/later')
  later(@Res() res: ServerResponse) {
    setImmediate(() => res.end('later'));
  }

  @Get('/value')
  value(@Res() res: ServerResponse) {
    res.setHeader('X-Raw', '1');
    return { value: true };
  }

  @Get('/sent')
  sent(@Res() res: ServerResponse) {
    res.writeHead(203);
    res.end('sent');
    return { ignored: true };
  }
}

const controllers = [ValueController, RawController];

describe('the result of a method', () => {
  it.each(values.map((value, index) => [value, index] as const))(
    'is sent as JSON: %j',
    async (value, index) => {
      const { fetch } = await serve({ controllers });
      const response = await fetch(`/values/json/${index}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.text()).toBe(JSON.stringify(value));
    },
  );

  it('is awaited', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/values/later')).json()).toEqual({ later: true });
  });

  it.each(['/values/undefined', '/values/later/undefined'])(
    'becomes a 204 if it is undefined: %s',
    async (path) => {
      const { fetch } = await serve({ controllers });
      const response = await fetch(path);
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
    },
  );

  it.each([
    ['/values/bytes', 'hi'],
    ['/values/stream', 'ab'],
    ['/values/web-stream', 'web'],
  ])('is sent as bytes if it is bytes or a stream: %s', async (path, text) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(await response.text()).toBe(text);
  });

  it('is sent with the status and headers that the method set', async () => {
    const { fetch } = await serve({ controllers });
    const created = await fetch('/values/ctx/status', { method: 'POST' });
    expect(created.status).toBe(201);
    expect(await created.json()).toEqual({ by: 'return' });
    const typed = await fetch('/values/ctx/type');
    expect(typed.headers.get('content-type')).toBe('application/vnd.api+json');
    expect(await typed.json()).toEqual({ by: 'return' });
  });
});

describe('a value that JSON cannot represent', () => {
  it('becomes a 500, and the log names the route', async () => {
    const { fetch, hidden } = await serve({ controllers });
    expect((await fetch('/values/no-json')).status).toBe(500);
    expect(hidden).toMatchObject([
      {
        cause: expect.any(TypeError),
        message:
          'Cannot send the response body of GET /values/no-json as JSON: Do not know how to serialize a BigInt. Convert it, as in String(id).',
      },
    ]);
  });

  it.each([
    ['map', 'it is a Map. Convert it with Object.fromEntries().'],
    ['nested-promise', "'user' is a Promise. Await it."],
  ])('becomes a logged 500 instead of {}: %s', async (path, problem) => {
    const { fetch, hidden } = await serve({ controllers });
    expect((await fetch(`/values/${path}`)).status).toBe(500);
    expect(hidden).toMatchObject([{ message: expect.stringContaining(problem) }]);
  });

  it('becomes the HttpError that its toJSON() throws', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/values/refuses')).status).toBe(409);
  });
});

describe('a returned body', () => {
  it.each([
    ['/values/response', 418, 'teapot', 'text/x'],
    ['/values/blob', 200, 'a,b', 'text/csv'],
    ['/values/generator', 200, 'one, two', 'application/octet-stream'],
  ])('is sent as it is: %s', async (path, status, text, type) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path);
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(response.headers.get('Content-Type')).toBe(type);
  });
});

describe('a response made through ctx', () => {
  it.each([
    ['/values/ctx/json', 200, '{"by":"ctx"}'],
    ['/values/ctx/send', 200, 'plain'],
    ['/values/ctx/html', 200, '<p>'],
    ['/values/ctx/redirect', 302, ''],
    ['/values/ctx/moved', 301, ''],
    ['/values/ctx/see-other', 303, ''],
    ['/values/ctx/status', 418, ''],
  ])('wins over the return value: %s', async (path, status, text) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path, { redirect: 'manual' });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(text);
  });
});

describe('a method that takes Res()', () => {
  it('may end the response after it has returned', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/raw/later')).text()).toBe('later');
  });

  it('may return a value, which is sent as JSON', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/raw/value');
    expect(response.headers.get('x-raw')).toBe('1');
    expect(await response.json()).toEqual({ value: true });
  });

  it('keeps its response if it has sent the headers', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/raw/sent');
    expect(response.status).toBe(203);
    expect(await response.text()).toBe('sent');
  });
});
