import type { Context, Middleware } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { definitionOf } from '../src/definition/definition.js';
import type { GuardFn, Interceptor } from '../src/index.js';
import {
  applyDecorators,
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  SetHeader,
  SkipInheritedGuards,
  SkipInheritedInterceptors,
  SkipInheritedMiddleware,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
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

  it('replaces the route and the parameters of a method that it decorates again', async () => {
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

  it('changes only the path of a method that it decorates again with a path', async () => {
    const stored = { name: 'Ada', salary: 7 };
    const response = {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    } as const;
    class Users {
      @Get('/find', { response, summary: 'Finds' }) find(): { name: string } {
        return stored;
      }
      @Post('/add', { status: 201, response }) add(): { name: string } {
        return stored;
      }
      @Get('/list', { response }) @Post('/list', { status: 202, response }) list(): {
        name: string;
      } {
        return stored;
      }
    }
    @Controller('/other')
    class Other extends Users {
      @Get('/found', { summary: 'Found' }) override find() {
        return stored;
      }
      @Post('/added') override add() {
        return stored;
      }
      @Post(['/listed', '/all']) override list() {
        return stored;
      }
    }
    const { fetch } = await serve({ controllers: [Other] });
    const answers = await Promise.all(
      [
        ['GET', '/found'],
        ['POST', '/added'],
        ['POST', '/listed'],
        ['POST', '/all'],
      ].map(async ([method = '', path]) => {
        const answer = await fetch(`/other${path}`, { method });
        return [answer.status, await answer.json()];
      }),
    );
    expect(answers).toEqual([200, 201, 202, 202].map((status) => [status, { name: 'Ada' }]));
    const { routes } = definitionOf(Other);
    expect(routes.map(({ summary }) => summary)).toEqual([
      'Found',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('adds routes, which the base class does not gain', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/changed/own', { headers: key })).status).toBe(200);
    expect(await (await fetch('/plain/own', { headers: key })).json()).toEqual({
      from: 'base',
      id: 'own',
    });
  });

  it('is not a controller by inheritance alone', async () => {
    await expect(serve({ controllers: [UnmarkedController] })).rejects.toMatchObject({
      code: 'NOT_A_CONTROLLER',
    });
  });
});

function note(ctx: Context, text: string): string[] {
  ctx.state.notes ??= [];
  const notes = ctx.state.notes as string[];
  notes.push(text);
  return notes;
}
const guard =
  (text: string): GuardFn =>
  (ctx) =>
    note(ctx, text).length > 0;
const middleware =
  (text: string): Middleware =>
  (ctx, next) => {
    note(ctx, text);
    return next();
  };
const interceptor =
  (text: string): Interceptor =>
  (ctx, next) => {
    note(ctx, text);
    return next();
  };
const shared = guard('shared');

/** Decorates a method with functions that note when they run. */
const all = (text: string) =>
  applyDecorators(
    UseMiddleware(middleware(`${text} middleware`)),
    UseGuard(guard(`${text} guard`)),
    UseInterceptor(interceptor(`${text} interceptor`)),
  );

@UseGuard(guard('base class'))
abstract class FirstController {
  @Get('/bare')
  @UseGuard(requireKey)
  bare(): unknown {
    return [];
  }

  @Get('/added')
  @UseGuard(requireKey)
  added(): unknown {
    return [];
  }

  @Get('/moved')
  @UseGuard(requireKey)
  moved(): unknown {
    return [];
  }

  @Get('/levels')
  @all('first')
  levels(): unknown {
    return [];
  }

  @Get('/twice')
  @UseGuard(shared)
  twice(): unknown {
    return [];
  }

  @Get('/skipped')
  @all('first')
  skipped(): unknown {
    return [];
  }
}

abstract class SecondController extends FirstController {
  @all('second')
  override levels(): unknown {
    return [];
  }

  @SkipInheritedGuards()
  @SkipInheritedMiddleware()
  @SkipInheritedInterceptors()
  @all('second')
  override skipped(): unknown {
    return [];
  }
}

@Controller('/third')
@UseGuard(guard('derived class'))
class ThirdController extends SecondController {
  override bare() {
    return [];
  }

  @UseGuard(requireRole)
  override added() {
    return [];
  }

  @Get('/elsewhere')
  @UseGuard(requireRole)
  override moved() {
    return [];
  }

  @all('third')
  override levels() {
    return [];
  }

  @UseGuard(guard('own'), shared)
  override twice() {
    return [];
  }

  @all('third')
  override skipped() {
    return [];
  }
}

/** Creates a controller that skips one kind of inherited metadata. */
const skipping = (skip: () => MethodDecorator) => {
  abstract class Base {
    @Get()
    @all('base')
    read(): unknown {
      return [];
    }
  }
  @Controller('/third/skipping')
  @UseGuard(guard('class'))
  class Derived extends Base {
    @skip()
    @all('own')
    override read() {
      return [];
    }
  }
  return Derived;
};

describe('a method that overrides another', () => {
  const noted: Middleware = async (ctx, next) => {
    await next();
    ctx.json(ctx.state.notes);
  };
  /** The notes of a request, in their order. */
  async function notesOf(path: string, controller: new () => object = ThirdController) {
    const { fetch } = await serve({ controllers: [controller], middleware: [noted] });
    return (await fetch(`/third${path}`)).json();
  }

  it.each(['/bare', '/added', '/elsewhere'])(
    'keeps the guards of the overridden method: %s',
    async (path) => {
      const { fetch } = await serve({ controllers: [ThirdController] });
      const denied = await fetch(`/third${path}`, { headers: role });
      expect([denied.status, await denied.json()]).toMatchObject([403, { guard: 'requireKey' }]);
      expect((await fetch(`/third${path}`, { headers: { ...key, ...role } })).status).toBe(200);
    },
  );

  it.each(['/added', '/elsewhere'])('adds its own guards: %s', async (path) => {
    const { fetch } = await serve({ controllers: [ThirdController] });
    const denied = await fetch(`/third${path}`, { headers: key });
    expect([denied.status, await denied.json()]).toMatchObject([403, { guard: 'requireRole' }]);
  });

  it('has middleware, guards and interceptors of every level, the base first', async () => {
    expect(await notesOf('/levels')).toEqual([
      ...['first middleware', 'second middleware', 'third middleware'],
      ...['base class', 'derived class', 'first guard', 'second guard', 'third guard'],
      ...['first interceptor', 'second interceptor', 'third interceptor'],
    ]);
  });

  it('calls a guard as often as it is listed', async () => {
    expect(await notesOf('/twice')).toEqual([
      ...['base class', 'derived class', 'shared', 'own', 'shared'],
    ]);
  });

  it('does not inherit what the method that it overrides skips', async () => {
    expect(await notesOf('/skipped')).toEqual([
      ...['first middleware', 'second middleware', 'third middleware'],
      ...['base class', 'derived class', 'first guard', 'second guard', 'third guard'],
      ...['first interceptor', 'second interceptor', 'third interceptor'],
    ]);
  });

  it.each([
    [SkipInheritedGuards, 'base guard'],
    [SkipInheritedMiddleware, 'base middleware'],
    [SkipInheritedInterceptors, 'base interceptor'],
  ])('with %o skips the %s, and nothing else', async (skip, left) => {
    const whole = [
      ...['base middleware', 'own middleware', 'class', 'base guard', 'own guard'],
      ...['base interceptor', 'own interceptor'],
    ];
    expect(await notesOf('/skipping', skipping(skip))).toEqual(
      whole.filter((text) => text !== left),
    );
  });
});
