import { describe, expect, it } from 'vitest';
import type { GuardFn } from '../src/index.js';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  SetHeader,
  UseGuard,
} from '../src/index.js';
import { serve } from './support/serve.js';

const requireKey: GuardFn = (ctx) => ctx.get('x-key') !== undefined;
const requireRole: GuardFn = (ctx) => ctx.get('x-role') !== undefined;

@UseGuard(requireKey)
abstract class CrudController {
  @Get('/:id')
  @SetHeader('X-Base', '1')
  read(@Param('id') id: string): unknown {
    return { from: 'base', id };
  }

  @Post()
  @HttpCode(201)
  create(@Body('name') name: string): unknown {
    return { from: 'base', name };
  }

  @Get('/search/all')
  @UseGuard(requireRole)
  search(@Query('q') q: string): unknown {
    return { from: 'base', q };
  }
}

@Controller('/plain')
class PlainController extends CrudController {}

@Controller('/changed')
class ChangedController extends CrudController {
  override read(id: string) {
    return { from: 'derived', id };
  }

  @Post('/new')
  override create(@Body('title') title: string) {
    return { from: 'derived', title };
  }

  @Get('/own')
  own() {
    return { from: 'derived' };
  }
}

@Controller('/guarded')
@UseGuard(requireRole)
class GuardedController extends CrudController {}

class UnmarkedController extends PlainController {}

const controllers = [PlainController, ChangedController, GuardedController];
const key = { 'x-key': 'k' };
const role = { 'x-role': 'r' };

describe('a controller that extends another class', () => {
  it('inherits its routes, parameters, headers and status', async () => {
    const { fetch } = await serve({ controllers });
    const read = await fetch('/plain/7', { headers: key });
    expect(await read.json()).toEqual({ from: 'base', id: '7' });
    expect(read.headers.get('x-base')).toBe('1');
    const created = await fetch('/plain', {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    });
    expect(created.status).toBe(201);
    expect(await created.json()).toEqual({ from: 'base', name: 'Ada' });
  });

  it('inherits its guards, those of the class and those of methods', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/plain/7')).status).toBe(403);
    expect((await fetch('/plain/search/all', { headers: key })).status).toBe(403);
    expect((await fetch('/plain/search/all', { headers: { ...key, ...role } })).status).toBe(200);
  });

  it('adds its own guards to those of the base class', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/guarded/7', { headers: key })).status).toBe(403);
    expect((await fetch('/guarded/7', { headers: role })).status).toBe(403);
    expect((await fetch('/guarded/7', { headers: { ...key, ...role } })).status).toBe(200);
  });

  it('keeps everything of a method that it overrides without decorators', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/changed/7', { headers: key });
    expect(await response.json()).toEqual({ from: 'derived', id: '7' });
    expect(response.headers.get('x-base')).toBe('1');
  });

  it('replaces the route and the parameters of a method that it decorates anew', async () => {
    const { fetch } = await serve({ controllers });
    const init = {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: '{"title":"T"}',
    };
    const response = await fetch('/changed/new', init);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ from: 'derived', title: 'T' });
    expect((await fetch('/changed', init)).status).toBe(404);
  });

  it('adds routes of its own, which the base class does not gain', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/changed/own', { headers: key })).status).toBe(200);
    expect(await (await fetch('/plain/own', { headers: key })).json()).toEqual({
      from: 'base',
      id: 'own',
    });
  });

  it('is no controller by inheritance alone', async () => {
    await expect(serve({ controllers: [UnmarkedController] })).rejects.toMatchObject({
      code: 'NOT_A_CONTROLLER',
    });
  });
});
