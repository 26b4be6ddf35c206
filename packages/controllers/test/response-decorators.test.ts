import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Context, createRouter, intended, NotFoundError } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { isIntended } from '@fairlead/options';
import { describe, expect, it } from 'vitest';
import {
  Controller,
  Ctx,
  Get,
  HttpCode,
  Post,
  Redirect,
  Res,
  registerController,
  SetHeader,
} from '../src/index.js';
import { serve } from './support/serve.js';

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

const controllers = [StatusController, HeaderController];

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

  it('sets a header that the method can change', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/headers/changed')).headers.get('x-one')).toBe('changed');
  });

  it('may set the type of a value or a stream', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/headers/type')).json()).toEqual({ typed: true });
    expect((await fetch('/headers/stream')).headers.get('content-type')).toBe(
      'text/csv; charset=utf-8',
    );
  });

  it('does not make an error cacheable', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/headers/fails');
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  it('applies to a response that the method writes itself, like the status', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/headers/raw');
    expect(response.status).toBe(203);
    expect(response.headers.get('x-one')).toBe('1');
    expect(await response.text()).toBe('raw');
  });
});

it('a method may write to ctx.res without @Res(), and a stream that it returns is destroyed', async () => {
  @Controller()
  class Raw {
    @Get()
    read(@Ctx() { res }: Context) {
      res.end('raw');
      return unsent;
    }
  }
  const unsent = new Readable({ read: () => undefined });
  const { fetch, hidden } = await serve({ controllers: [Raw] });
  expect(await (await fetch('/')).text()).toBe('raw');
  expect(hidden).toEqual([]);
  expect(unsent.destroyed).toBe(true);
});

it('a method with @Res() may respond with a status instead', async () => {
  @Controller()
  class Mixed {
    @Get()
    read(@Res() _res: ServerResponse, @Ctx() ctx: Context) {
      ctx.status = 205;
    }
  }
  const { fetch } = await serve({ controllers: [Mixed] });
  expect((await fetch('/')).status).toBe(205);
});

describe('the routes of a class tell tools', () => {
  @Controller()
  class Reports {
    @Get('/plain')
    plain() {}

    @Get('/sent')
    @HttpCode(202)
    @SetHeader('Cache-Control', 'no-store')
    @SetHeader('X-Version', '2')
    sent() {}

    @Get('/moved')
    @HttpCode(303)
    @Redirect('/plain')
    moved() {}
  }
  const routesOf = (target: typeof Reports) => {
    const router = createRouter();
    registerController(router, target);
    return router.routes.map(({ pattern, handlers, options }) => {
      const handler = handlers.at(-1);
      return { pattern, handler, status: options?.status, description: descriptionOf(handler) };
    });
  };

  it('their status, and the headers and redirects of their decorators', () => {
    const headers = { 'Cache-Control': { example: 'no-store' }, 'X-Version': { example: '2' } };
    const moved = { 303: { headers: { Location: 'Where to go.' } } };
    expect(
      routesOf(Reports).map(({ pattern, status, description }) => [
        pattern,
        status,
        description?.name,
        description?.sends,
      ]),
    ).toEqual([
      ['/plain', undefined, 'Reports.plain', []],
      ['/sent', 202, 'Reports.sent', [{ headers }]],
      ['/moved', 303, 'Reports.moved', [{ responses: moved }]],
    ]);
  });

  it('that the class is intended', () => {
    expect(routesOf(Reports).some(({ handler }) => isIntended(handler))).toBe(false);
    class Marked extends Reports {}
    Controller('/marked')(Marked);
    expect(routesOf(intended(Marked)).map(({ handler }) => isIntended(handler))).toEqual([
      true,
      true,
      true,
    ]);
  });
});
