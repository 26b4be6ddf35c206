import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from '@fairlead/core';
import { NotFoundError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { Controller, Ctx, Get, HttpCode, Post, Redirect, Res, SetHeader } from '../src/index.js';
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

@Controller('/status')
class StatusController {
  @Post('/option', { status: 201 })
  option() {
    return {};
  }

  @Post('/decorator')
  @HttpCode(202)
  decorator() {
    return {};
  }

  @Post('/both', { status: 201 })
  @HttpCode(202)
  both() {
    return {};
  }

  @Post('/empty')
  @HttpCode(202)
  empty() {}

  @Post('/overridden')
  @HttpCode(202)
  overridden(@Ctx() ctx: Context) {
    ctx.status = 203;
    return {};
  }

  @Post('/fails')
  @HttpCode(202)
  fails() {
    throw new NotFoundError();
  }
}

@Controller('/headers')
class HeaderController {
  @Get('/two')
  @SetHeader('X-One', '1')
  @SetHeader('X-Two', '2')
  two() {
    return {};
  }

  @Get('/repeated')
  @SetHeader('Set-Cookie', 'a=1')
  @SetHeader('set-cookie', 'b=2')
  repeated() {
    return {};
  }

  @Get('/type')
  @SetHeader('Content-Type', 'application/json; charset=utf-8')
  @HttpCode(201)
  type() {
    return { typed: true };
  }

  @Get('/changed')
  @SetHeader('X-One', '1')
  changed(@Ctx() ctx: Context) {
    ctx.set('X-One', 'changed');
    return {};
  }

  @Get('/stream')
  @SetHeader('Content-Type', 'text/csv')
  stream() {
    return Readable.from(['a,b']);
  }

  @Get('/fails')
  @SetHeader('Cache-Control', 'public, max-age=60')
  fails() {
    throw new NotFoundError();
  }

  @Get('/raw')
  @SetHeader('X-One', '1')
  @HttpCode(203)
  raw(@Res() res: ServerResponse) {
    res.end('raw');
  }
}

@Controller('/redirect')
class RedirectController {
  @Get('/default')
  @Redirect('/target')
  default() {}

  @Get('/status')
  @Redirect('/target', 301)
  status() {
    return undefined;
  }

  @Get('/string')
  @Redirect('/target', 307)
  string() {
    return '/other';
  }

  @Get('/object')
  @Redirect('/target')
  async object() {
    return { url: '/other', statusCode: 308 };
  }

  @Get('/partial')
  @Redirect('/target')
  partial() {
    return { statusCode: 303 };
  }

  @Get('/injected')
  @Redirect('/target')
  injected() {
    return '/a\r\nSet-Cookie: x=1';
  }

  @Get('/no-redirect')
  @Redirect('/target')
  noRedirect() {
    return { statusCode: 200 };
  }

  @Get('/by-ctx')
  @Redirect('/target')
  byCtx(@Ctx() ctx: Context) {
    ctx.json({ stays: true });
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

const controllers = [
  ValueController,
  StatusController,
  HeaderController,
  RedirectController,
  RawController,
];

describe('the value that a method returns', () => {
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
    'is answered with 204 when it is undefined: %s',
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
  ])('is sent as bytes when it is bytes or a stream: %s', async (path, text) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(await response.text()).toBe(text);
  });

  it('is sent with the status and headers that the method has set', async () => {
    const { fetch } = await serve({ controllers });
    const created = await fetch('/values/ctx/status', { method: 'POST' });
    expect(created.status).toBe(201);
    expect(await created.json()).toEqual({ by: 'return' });
    const typed = await fetch('/values/ctx/type');
    expect(typed.headers.get('content-type')).toBe('application/vnd.api+json');
    expect(await typed.json()).toEqual({ by: 'return' });
  });
});

describe('a response made through ctx', () => {
  it.each([
    ['/values/ctx/json', 200, '{"by":"ctx"}'],
    ['/values/ctx/send', 200, 'plain'],
    ['/values/ctx/html', 200, '<p>'],
    ['/values/ctx/redirect', 302, ''],
    ['/values/ctx/status', 418, ''],
  ])('wins over the return value: %s', async (path, status, text) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(path, { redirect: 'manual' });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(text);
  });
});

describe('the status of a route', () => {
  it.each([
    ['option', 201],
    ['decorator', 202],
    ['both', 202],
    ['empty', 202],
    ['overridden', 203],
    ['fails', 404],
  ])('%s: %i', async (path, status) => {
    const { fetch } = await serve({ controllers });
    expect((await fetch(`/status/${path}`, { method: 'POST' })).status).toBe(status);
  });
});

describe('SetHeader', () => {
  it('adds headers, repeated on one method', async () => {
    const { fetch } = await serve({ controllers });
    const { headers } = await fetch('/headers/two');
    expect([headers.get('x-one'), headers.get('x-two')]).toEqual(['1', '2']);
  });

  it('sends several values of one name as several lines, top to bottom', async () => {
    const { fetch } = await serve({ controllers });
    const { headers } = await fetch('/headers/repeated');
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('can be changed by the method', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/headers/changed')).headers.get('x-one')).toBe('changed');
  });

  it('may state the type of a value or a stream', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/headers/type')).json()).toEqual({ typed: true });
    expect((await fetch('/headers/stream')).headers.get('content-type')).toBe('text/csv');
  });

  it('does not make an error cacheable', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/headers/fails');
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  it('reaches a response that the method writes itself, as the status does', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/headers/raw');
    expect(response.status).toBe(203);
    expect(response.headers.get('x-one')).toBe('1');
    expect(await response.text()).toBe('raw');
  });
});

describe('Redirect', () => {
  it.each([
    ['default', 302, '/target'],
    ['status', 301, '/target'],
    ['string', 307, '/other'],
    ['object', 308, '/other'],
    ['partial', 303, '/target'],
  ])('%s: %i to %s with an empty body', async (path, status, location) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(`/redirect/${path}`, { redirect: 'manual' });
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBe(location);
    expect(await response.text()).toBe('');
  });

  it.each(['injected', 'no-redirect'])('answers 500 to what cannot be sent: %s', async (path) => {
    const { fetch, hidden } = await serve({ controllers });
    const response = await fetch(`/redirect/${path}`, { redirect: 'manual' });
    expect(response.status).toBe(500);
    expect(response.headers.get('location')).toBeNull();
    expect(hidden).toMatchObject([{ code: 'INVALID_REDIRECT' }]);
  });

  it('gives way to a response made through ctx', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/redirect/by-ctx')).json()).toEqual({ stays: true });
  });
});

describe('a method that takes Res()', () => {
  it('may end the response after it has returned', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/raw/later')).text()).toBe('later');
  });

  it('may return a value to be sent as JSON', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/raw/value');
    expect(response.headers.get('x-raw')).toBe('1');
    expect(await response.json()).toEqual({ value: true });
  });

  it('is left alone when it has sent the headers', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/raw/sent');
    expect(response.status).toBe(203);
    expect(await response.text()).toBe('sent');
  });
});
