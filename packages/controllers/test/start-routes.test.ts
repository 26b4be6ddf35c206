import { intended } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { Body, Controller, Get, Post, Redirect } from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';
import { serve } from './support/serve.js';

const locationOf = locationsIn(import.meta.url);

@Controller()
class ParameterController {
  @Post()
  @Post('/again')
  create(@Body() body: unknown, now: Date, page = 1) {
    return { body, now, page };
  }
}

@Controller()
class TwiceController {
  @Get('/one')
  @Get('/two')
  @Redirect('/', 200)
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

const cases: readonly (readonly [string, Constructor, string, string])[] = [
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
];

describe('install rejects and registers nothing for', () => {
  it.each(cases)('%s', async (_, controller, problem, fix) => {
    const error = await failStart([controller]);
    expect(error.message).toBe(
      message(
        `Cannot register the route ${problem}`,
        `At: ${locationOf(controller.name, '@')}`,
        `Fix: ${fix}`,
      ),
    );
  });

  it('a method with two routes, once', async () => {
    const error = await failStart([TwiceController]);
    expect(error.message).toMatch(/^Cannot register the route TwiceController.read: the status /);
  });
});

describe('install warns of', () => {
  async function warningsOf(controller: Constructor): Promise<readonly string[]> {
    const warn = vi.fn();
    await serve({ controllers: [controller], logger: { warn, debug: warn } });
    return warn.mock.calls.map(([text]) => text);
  }

  it('a parameter without a decorator or a default value, once for all routes', async () => {
    expect(await warningsOf(ParameterController)).toEqual([
      message(
        '[controllers] parameter 1 of ParameterController.create has no decorator, so it is undefined in requests.',
        `At: ${locationOf('ParameterController', '@')}`,
        "Fix: add a decorator, such as @Body(), @Param('id') or @Ctx(), or remove the parameter. If only your own code passes it, give it a default value.",
      ),
    ]);
  });

  it('no parameter with a default value, and none of an intended class', async () => {
    @Controller('/silent')
    class SilentController {
      @Get()
      list(_limit: number | undefined = undefined) {}
    }
    expect(await warningsOf(SilentController)).toEqual([]);
    expect(await warningsOf(intended(ParameterController))).toEqual([]);
  });
});
