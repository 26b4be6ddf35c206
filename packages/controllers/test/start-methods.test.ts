import { describe, expect, it } from 'vitest';
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
import { failStart } from './support/fail-start.js';
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

describe('install rejects', () => {
  it('route decorators on a method without a route', async () => {
    const error = await failStart([HelperController]);
    expect(error.message).toBe(
      message(
        "Cannot register the route HelperController.helper: the method has no route, so these decorators have no effect: @UseGuard(), @UseMiddleware(), @UseInterceptor(), @SkipInheritedGuards(), @SkipInheritedMiddleware(), @SkipInheritedInterceptors(), @SetHeader(), @HttpCode(), @Redirect(), @roles(), the one for the query parameter 'page', the one for the body.",
        `At: ${locationOf('HelperController')}`,
        'Fix: add @Get() or another route decorator, or remove them.',
      ),
    );
  });

  it('inherited route decorators on a method without a route', async () => {
    const error = await failStart([ForgottenController]);
    expect(error.message).toContain('ForgottenController.read: the method has no route,');
  });
});

describe('install accepts', () => {
  it('decorators for a route that another class of the chain declares', async () => {
    const { fetch } = await serve({ controllers: [DerivedController] });
    expect((await fetch('/derived')).status).toBe(200);
    expect((await fetch('/derived/code')).status).toBe(202);
  });
});
