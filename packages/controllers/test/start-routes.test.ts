import type { Middleware } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Body,
  buildRoutes,
  Controller,
  Get,
  type Guard,
  HttpCode,
  type Interceptor,
  Post,
  Redirect,
  SetHeader,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';

const locationOf = locationsIn(import.meta.url);

class NoFunction {}
const wrong = { undefined, NoFunction } as Record<string, unknown>;
const guards = [wrong.undefined, wrong.NoFunction] as readonly Guard[];
const middleware = [wrong.undefined, wrong.NoFunction] as readonly Middleware[];
const interceptors = [wrong.NoFunction] as readonly Interceptor[];

@Controller()
class ParameterController {
  @Post()
  create(@Body() body: unknown, now: Date, page = 1) {
    return { body, now, page };
  }
}

@Controller()
class StatusController {
  @Get()
  @HttpCode(99)
  read() {}
}

@Controller()
class HeaderController {
  @Get()
  @SetHeader('X-Text', 'a\r\nb')
  read() {}
}

@Controller()
class HeaderNameController {
  @Get()
  @SetHeader('X Text', 'a')
  read() {}
}

@Controller()
class RedirectController {
  @Get()
  @Redirect('/a\nb')
  read() {}
}

@Controller()
class EmptyRedirectController {
  @Get()
  @Redirect('')
  read() {}
}

@Controller()
class RedirectStatusController {
  @Get()
  @Redirect('/', 200)
  read() {}
}

@Controller()
class RedirectPlaceholderController {
  @Get()
  @Redirect('/:owner/:url')
  read() {}
}

@Controller()
class MissingGuardController {
  @Get()
  @UseGuard(...guards.slice(0, 1))
  read() {}
}

@Controller()
class NoGuardController {
  @Get()
  @UseGuard(...guards.slice(1))
  read() {}
}

@Controller()
@UseMiddleware(...middleware.slice(1))
class NoMiddlewareController {
  @Get()
  read() {}
}

@Controller()
@UseInterceptor(...interceptors)
class NoInterceptorController {
  @Get()
  read() {}
}

@Controller()
class WorkingController {
  @Get()
  read() {}
}

const cases: readonly (readonly [string, Constructor, string, string])[] = [
  [
    'a parameter without a decorator',
    ParameterController,
    'ParameterController.create: parameter 1 has no decorator, so it would always be undefined.',
    "add a decorator, such as @Body(), @Param('id') or @Ctx(), or remove the parameter.",
  ],
  [
    'an invalid status',
    StatusController,
    'StatusController.read: its status is 99.',
    'use an integer from 200 to 599.',
  ],
  [
    'a header with control characters',
    HeaderController,
    `HeaderController.read: its header 'X-Text' cannot be sent: TypeError [ERR_INVALID_CHAR]: Invalid character in header content ["X-Text"].`,
    'correct the arguments of @SetHeader().',
  ],
  [
    'a header with an invalid name',
    HeaderNameController,
    `HeaderNameController.read: its header 'X Text' cannot be sent: TypeError [ERR_INVALID_HTTP_TOKEN]: Header name must be a valid HTTP token ["X Text"].`,
    'correct the arguments of @SetHeader().',
  ],
  [
    'a redirect with control characters',
    RedirectController,
    'RedirectController.read: the URL of its redirect contains a control character.',
    'percent-encode the parts of the URL.',
  ],
  [
    'a redirect to an empty URL',
    EmptyRedirectController,
    'EmptyRedirectController.read: the URL of its redirect is empty.',
    'pass the URL as a string.',
  ],
  [
    'a redirect with a status that is not a redirection',
    RedirectStatusController,
    'RedirectStatusController.read: the status of its redirect is 200.',
    'use an integer from 300 to 399.',
  ],
  [
    'a placeholder of a redirect that is ambiguous',
    RedirectPlaceholderController,
    "RedirectPlaceholderController.read: the URL of its redirect has the placeholder ':url', but 'url' of the returned object overrides the redirect.",
    'rename the placeholder.',
  ],
  [
    'an undefined guard, as in an import cycle',
    MissingGuardController,
    'MissingGuardController.read: guard 0 is undefined.',
    'pass a function, a class or a token. If an import cycle is the cause, move the import to a separate file.',
  ],
  [
    'a class that is not a guard',
    NoGuardController,
    'NoGuardController.read: guard 0 is the class NoFunction, which has no method canActivate().',
    'add a method canActivate(ctx) to the class.',
  ],
  [
    'a class as middleware',
    NoMiddlewareController,
    'NoMiddlewareController.read: middleware 0 is the class NoFunction, which has no method use().',
    'add a method use(ctx, next) to the class.',
  ],
  [
    'a class as interceptor',
    NoInterceptorController,
    'NoInterceptorController.read: interceptor 0 is the class NoFunction, which has no method intercept().',
    'add a method intercept(ctx, next) to the class.',
  ],
];

describe('install rejects and registers nothing for', () => {
  it.each(cases)('%s', async (_, controller, problem, fix) => {
    const error = await failStart([controller]);
    expect(error.message).toBe(
      message(
        `Cannot register the route ${problem}`,
        `At: ${locationOf(controller.name)}`,
        `Fix: ${fix}`,
      ),
    );
  });

  it('middleware of the plugin that cannot be called', async () => {
    const error = await failStart([WorkingController], { middleware: middleware.slice(1) });
    expect(error.message).toBe(
      message(
        'Cannot register the route of any controller: middleware 0 is the class NoFunction, which has no method use().',
        'Fix: add a method use(ctx, next) to the class.',
      ),
    );
    const missing = await failStart([WorkingController], { middleware: middleware.slice(0, 1) });
    expect(missing.message).toContain('middleware 0 is undefined.');
    const number = await failStart([WorkingController], { middleware: [5 as never] });
    expect(number.message).toBe(
      message(
        'Cannot register the route of any controller: middleware 0 is 5, which is not a function, a class or a token.',
        'Fix: pass a function, a class or a token.',
      ),
    );
  });

  it.each([
    ['guards', 'guard', 'canActivate'],
    ['interceptors', 'interceptor', 'intercept'],
  ])('%s of the plugin that cannot be called', async (option, kind, method) => {
    const wrongKind = await failStart([WorkingController], { [option]: [NoFunction] });
    expect(wrongKind.message).toContain(
      `Cannot register the route of any controller: ${kind} 0 is the class NoFunction, which has no method ${method}().`,
    );
    const missing = await failStart([WorkingController], { [option]: [undefined] });
    expect(missing.message).toContain(`${kind} 0 is undefined.`);
  });

  it('middleware of buildRoutes that cannot be called', () => {
    const build = () => buildRoutes(WorkingController, { middleware: middleware.slice(1) });
    expect(build).toThrow('middleware 0 is the class NoFunction, which has no method use().');
  });
});
