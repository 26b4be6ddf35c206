import { describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Post,
  Query,
  Redirect,
  SetHeader,
  SkipInheritedGuards,
  SkipInheritedInterceptors,
  SkipInheritedMiddleware,
  type StartError,
  type Transform,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';
import { serve } from './support/serve.js';

const locationOf = locationsIn(import.meta.url);
const wrong = { text: 'Number', object: {} } as unknown as Readonly<
  Record<'text' | 'object', Transform>
>;

@Controller('/transforms')
class TransformController {
  @Post()
  create(
    @Body({ transform: wrong.text }) body: unknown,
    @Query('page', { transform: wrong.object }) page: unknown,
    @Query('size', { transform: Number }) size: unknown,
  ) {
    return { body, page, size };
  }
}

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
  helper() {}
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
  it('a transform that is not a function or a schema', async () => {
    const error = await failStart([TransformController]);
    expect((error as StartError).problems.map((problem) => problem.message)).toEqual(
      ["0 is 'Number'", '1 is {}'].map((problem) =>
        message(
          `Cannot register the route TransformController.create: the transform of parameter ${problem}, which is not a function or a schema.`,
          `At: ${locationOf('TransformController')}`,
          'Fix: pass a function (value) => result, or a Standard Schema validator.',
        ),
      ),
    );
  });

  it('route decorators on a method without a route', async () => {
    const error = await failStart([HelperController]);
    expect(error.message).toBe(
      message(
        'Cannot register the route HelperController.helper: the method has no route, so these decorators have no effect: @UseGuard(), @UseMiddleware(), @UseInterceptor(), @SkipInheritedGuards(), @SkipInheritedMiddleware(), @SkipInheritedInterceptors(), @SetHeader(), @HttpCode(), @Redirect().',
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
