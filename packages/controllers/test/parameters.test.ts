import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  Ctx,
  createCustomParamDecorator,
  Get,
  Header,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '../src/index.js';
import { serve } from './support/serve.js';

const Agent = createCustomParamDecorator((ctx) => ctx.get('user-agent'));
const user: { name: string; age: number; nick?: string } = { name: 'Ada', age: 36 };
const User = createCustomParamDecorator((_ctx, key: keyof typeof user) => user[key]);
const Locale = createCustomParamDecorator((_ctx, fallback?: string) => fallback ?? 'da');
const Setting = createCustomParamDecorator((_ctx, { name }: { name: string }) => name);
const Slow = createCustomParamDecorator(async (ctx) => ctx.query.slow);

@Controller('/echo')
class EchoController {
  @Post('/body')
  body(@Body() body: unknown) {
    return { body };
  }

  @Post('/field')
  field(@Body('name') name: unknown) {
    return { name };
  }

  @Post('/field/optional')
  optionalField(@Body('name', { required: false }) name: unknown) {
    return { name: name ?? 'absent' };
  }

  @Get('/param/:id')
  param(@Param('id') id: string) {
    return { id };
  }

  @Get('/query')
  query(@Query() query: Record<string, string>) {
    return query;
  }

  @Get('/query/one')
  oneQuery(@Query('page') page?: string) {
    return { page: page ?? 'absent' };
  }

  @Get('/query/required')
  requiredQuery(@Query('page', { required: true }) page: string) {
    return { page };
  }

  @Get('/query/default')
  defaultQuery(@Query('page', { default: '7', transform: Number }) page: number) {
    return { page };
  }

  @Get('/query/fallback')
  fallbackQuery(@Query('page', { transform: Number }) page = 3) {
    return { page };
  }

  @Get('/query/all')
  allValues(@Query('t', { all: true }) tags?: string[]) {
    return { tags: tags ?? 'absent' };
  }

  @Get('/query/all/required')
  requiredValues(@Query('t', { all: true, required: true }) tags: string[]) {
    return { tags };
  }

  @Get('/query/all/default')
  defaultValues(
    @Query('t', { all: true, default: ['1'], transform: (tags) => tags.map(Number) })
    tags: number[],
  ) {
    return { tags };
  }

  @Get('/params/:id/:part')
  params(@Param() params: Readonly<Record<string, string>>) {
    return params;
  }

  @Get('/headers')
  headers(@Header() headers: IncomingHttpHeaders) {
    return { token: headers['x-token'] };
  }

  @Get('/header')
  header(@Header('X-Token') token?: string) {
    return { token: token ?? 'absent' };
  }

  @Get('/ctx')
  context(@Ctx() ctx: Context) {
    return { path: ctx.path };
  }

  @Get('/raw')
  raw(@Req() req: IncomingMessage, @Res() res: ServerResponse) {
    res.end(`${req.method} ${req.url}`);
  }

  @Get('/custom')
  custom(@Agent agent?: string, @Agent() again?: string, @Slow slow?: string) {
    return { agent, again, slow };
  }

  @Get('/custom/data')
  data(
    @User('name') name: string,
    @User('age', { transform: (age: number) => age + 1 }) age: number,
    @User('nick', { default: 'none' }) nick: string,
  ) {
    return { name, age, nick };
  }

  @Get('/custom/optional-data')
  optionalData(@Locale tag: string, @Locale() again: string, @Locale('en') language: string) {
    return { tag, again, language };
  }

  @Get('/custom/options')
  options(@Setting({ name: 'limit' }) limit: string) {
    return { limit };
  }

  @Get('/custom/required')
  requiredCustom(@Slow({ required: true }) slow: string) {
    return { slow };
  }
}

const controllers = [EchoController];

describe('Body()', () => {
  it('extracts the full body', async () => {
    const { post } = await serve({ controllers });
    const response = await post('/echo/body', { a: [1] });
    expect(await response.json()).toEqual({ body: { a: [1] } });
  });

  it.each([null, '', 0, false])('treats %j as present', async (value) => {
    const { post } = await serve({ controllers });
    expect(await (await post('/echo/body', value)).json()).toEqual({ body: value });
    expect(await (await post('/echo/field', { name: value })).json()).toEqual({ name: value });
  });

  it('responds with 400 without a body', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/body', { method: 'POST' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'MISSING_PARAMETER',
      error: 'The body is required.',
      issues: [{ path: ['body'], message: 'is required' }],
    });
  });
});

describe('Body(field)', () => {
  it('extracts one field', async () => {
    const { post } = await serve({ controllers });
    const response = await post('/echo/field', { name: 'Ada', other: 1 });
    expect(await response.json()).toEqual({ name: 'Ada' });
  });

  it.each([[{}], [[]], ['text'], [null], [7]])(
    'responds with 400 if the body is %j',
    async (body) => {
      const { post } = await serve({ controllers });
      const response = await post('/echo/field', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: "The body field 'name' is required.",
        issues: [{ path: ['body', 'name'], message: 'is required' }],
      });
    },
  );

  it('leaves an absent field undefined with required: false', async () => {
    const { post } = await serve({ controllers });
    expect(await (await post('/echo/field/optional', {})).json()).toEqual({ name: 'absent' });
  });

  it('ignores inherited properties of the body', async () => {
    @Controller()
    class InheritingController {
      @Post('/')
      read(@Body('constructor') value: unknown) {
        return { value };
      }
    }
    const { post } = await serve({ controllers: [InheritingController] });
    expect((await post('/', {})).status).toBe(400);
  });
});

describe('Param(name)', () => {
  it('extracts the decoded route parameter', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/param/a%2Fb%20c')).json()).toEqual({ id: 'a/b c' });
  });
});

describe('Query()', () => {
  it('extracts all query parameters as strings', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query?a=1&b=x')).json()).toEqual({ a: '1', b: 'x' });
  });
});

describe('Query(name)', () => {
  it('extracts one query parameter', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query/one?page=2')).json()).toEqual({ page: '2' });
  });

  it('is optional', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query/one')).json()).toEqual({ page: 'absent' });
  });

  it('responds with 400 with required: true', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/echo/query/required')).status).toBe(400);
  });

  it('passes a default through the transform', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query/default')).json()).toEqual({ page: 7 });
  });

  it('leaves an absent value to the default of the method parameter', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query/fallback')).json()).toEqual({ page: 3 });
  });
});

describe('Query(name, { all: true })', () => {
  it('extracts every value in the order of the query', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/query/all?t=b&u=x&t=a%20c&t=');
    expect(await response.json()).toEqual({ tags: ['b', 'a c', ''] });
  });

  it('extracts a single value as an array', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query/all?t=b')).json()).toEqual({ tags: ['b'] });
  });

  it('is absent without a value', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/query/all?u=x')).json()).toEqual({ tags: 'absent' });
    expect((await fetch('/echo/query/all/required?u=x')).status).toBe(400);
  });

  it('passes the values or the default through the transform', async () => {
    const { fetch } = await serve({ controllers });
    const path = '/echo/query/all/default';
    expect(await (await fetch(`${path}?t=2&t=3`)).json()).toEqual({ tags: [2, 3] });
    expect(await (await fetch(path)).json()).toEqual({ tags: [1] });
  });
});

describe('Param() and Header()', () => {
  it('extract all route parameters, decoded', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/params/7/a%20b');
    expect(await response.json()).toEqual({ id: '7', part: 'a b' });
  });

  it('extract all request headers', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/headers', { headers: { 'X-Token': 't' } });
    expect(await response.json()).toEqual({ token: 't' });
  });
});

describe('Header(name)', () => {
  it('extracts a header, case-insensitively', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/header', { headers: { 'x-token': 't' } });
    expect(await response.json()).toEqual({ token: 't' });
  });

  it('is optional', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/header')).json()).toEqual({ token: 'absent' });
  });
});

describe('Ctx(), Req() and Res()', () => {
  it('injects the context', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/ctx')).json()).toEqual({ path: '/echo/ctx' });
  });

  it("injects node's request and response, and lets the method respond", async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/raw?x')).text()).toBe('GET /echo/raw?x');
  });
});

describe('createCustomParamDecorator', () => {
  it('extracts the awaited result of its function, with or without parentheses', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/custom?slow=s', { headers: { 'user-agent': 'u' } });
    expect(await response.json()).toEqual({ agent: 'u', again: 'u', slow: 's' });
  });

  it('passes data and options of the decorator on', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/custom/data');
    expect(await response.json()).toEqual({ name: 'Ada', age: 37, nick: 'none' });
  });

  it('accepts a decorator without its optional data, with or without parentheses', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/echo/custom/optional-data');
    expect(await response.json()).toEqual({ tag: 'da', again: 'da', language: 'en' });
  });

  it('accepts an object as data', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/echo/custom/options')).json()).toEqual({ limit: 'limit' });
  });

  it('responds with 400 with required: true', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/echo/custom/required')).status).toBe(400);
    expect((await fetch('/echo/custom/required?slow=1')).status).toBe(200);
  });

  it("has the source type 'custom'", async () => {
    const { plugin } = await serve({ controllers });
    const [registered] = plugin.state.controllers;
    const route = registered?.routes.find(({ path }) => path === '/echo/custom');
    expect(route?.parameters.map(({ source }) => source)).toEqual(['custom', 'custom', 'custom']);
  });
});
