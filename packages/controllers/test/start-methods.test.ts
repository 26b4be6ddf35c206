import { intended } from '@fairlead/core';
import { describe, expect, it, vi } from 'vitest';
import {
  Body,
  Controller,
  createRouteMetadata,
  Get,
  HttpCode,
  Query,
  Redirect,
  SetHeader,
  SkipInheritedGuards,
  SkipInheritedInterceptors,
  SkipInheritedMiddleware,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';
import { serve } from './support/serve.js';

const locationOf = locationsIn(import.meta.url);
const Roles = createRouteMetadata<string>('roles');
@Controller()
class HelperController {
  @Get()
  read() {}

  @UseGuard(() => true)
  @UseMiddleware((_, next) => next())
  @UseInterceptor((_, next) => next())
  @SkipInheritedGuards()
  @SkipInheritedMiddleware()
  @SkipInheritedInterceptors()
  @SetHeader('X-Text', 'a')
  @HttpCode(201)
  @Redirect('/')
  @Roles('admin')
  helper(@Body() _body: unknown, @Query('page') _page: string) {}
}

class GuardedBase {
  @UseGuard(() => true)
  read() {
    return 'read';
  }

  @Get('/code')
  code() {
    return 'code';
  }
}

@Controller('/derived')
class DerivedController extends GuardedBase {
  @Get()
  override read() {
    return 'derived';
  }

  @HttpCode(202)
  override code() {
    return 'accepted';
  }
}

@Controller('/forgotten')
class ForgottenController extends GuardedBase {}

describe('install warns of', () => {
  async function warningsOf(controller: new () => object): Promise<readonly string[]> {
    const warn = vi.fn();
    await serve({ controllers: [controller], logger: { warn, debug: warn } });
    return warn.mock.calls.map(([text]) => text);
  }

  it('route decorators on a method without a route', async () => {
    expect(await warningsOf(HelperController)).toEqual([
      message(
        "[controllers] the method HelperController.helper has no route, so these decorators have no effect: @UseGuard(), @UseMiddleware(), @UseInterceptor(), @SkipInheritedGuards(), @SkipInheritedMiddleware(), @SkipInheritedInterceptors(), @SetHeader(), @HttpCode(), @Redirect(), @roles(), the one for the query parameter 'page', the one for the body.",
        `At: ${locationOf('HelperController')}`,
        'Fix: add @Get() or another route decorator, or remove them. If a subclass adds the route, pass the class to intended().',
      ),
    ]);
  });

  it('only those that the method has', async () => {
    @Controller('/single')
    class SingleController {
      @Get()
      read() {}

      @HttpCode(202)
      helper() {}
    }
    expect(await warningsOf(SingleController)).toEqual([
      expect.stringContaining(
        'the method SingleController.helper has no route, so these decorators have no effect: @HttpCode().',
      ),
    ]);
  });

  it('none of them if the class is intended', async () => {
    @Controller('/intended')
    class IntendedController {
      @Get()
      read() {}

      @UseGuard(() => true)
      helper() {}
    }
    expect(await warningsOf(intended(IntendedController))).toEqual([]);
  });

  it('inherited route decorators on a method without a route', async () => {
    expect(await warningsOf(ForgottenController)).toEqual([
      expect.stringContaining('the method ForgottenController.read has no route,'),
    ]);
  });
});

describe('install accepts', () => {
  it('decorators for a route that another class of the chain declares', async () => {
    const { fetch } = await serve({ controllers: [DerivedController] });
    expect((await fetch('/derived')).status).toBe(200);
    expect((await fetch('/derived/code')).status).toBe(202);
  });
});
