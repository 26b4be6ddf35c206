import { createRouter } from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  Get,
  NoRoutesError,
  NotAControllerError,
  Post,
  RouteRegistrationError,
  registerController,
  StartError,
  UseGuard,
} from '../src/index.js';
import { failStart, PLUGIN_CALL } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message, refusal, tokenRefusal } from './support/message.js';

const locationOf = locationsIn(import.meta.url);
const indented = (text: string): string => text.replaceAll('\n', '\n     ');

class PlainClass {}

@Controller()
class EmptyController {}

@Controller()
class WorkingController {
  @Get('/works')
  read() {
    return {};
  }
}

@Controller('/items')
class FirstController {
  @Get('/:id')
  read() {
    return {};
  }
}

@Controller('/items')
class SecondController {
  @Get('/:name')
  find() {
    return {};
  }
}

@Controller('/files')
class PathController {
  @Get('/*rest/more')
  read() {
    return {};
  }
}

@Controller('/a:')
class WrongPrefixController {
  @Get('/one')
  @Get('/two')
  read() {}
}

@Controller({ version: 'v:' })
class WrongVersionController {
  @Get()
  read() {}
}

@Controller()
class ManyController {
  constructor(readonly missing: PlainClass) {}

  @Post('/items/:key')
  @UseGuard('missing')
  create(@Body() body: unknown) {
    return { body };
  }

  @Get('/items/:key')
  read() {
    return {};
  }
}

describe('install rejects and registers nothing for', () => {
  it('a class without @Controller()', async () => {
    const error = await failStart([WorkingController, PlainClass]);
    expect(error).toBeInstanceOf(NotAControllerError);
    expect(error.message).toBe(
      message(
        'PlainClass is not a controller.',
        `At: ${PLUGIN_CALL}`,
        'Fix: decorate the class with @Controller(), or remove it from the list.',
      ),
    );
  });

  it.each([
    [
      undefined,
      'undefined is not a controller.',
      'pass a class. If an import cycle is the cause, move the import to a separate file.',
    ],
    [
      new WorkingController(),
      'An instance of WorkingController is not a controller.',
      'pass a class with @Controller(), or the result of defineController().',
    ],
    [
      {},
      'An object is not a controller.',
      'pass a class with @Controller(), or the result of defineController().',
    ],
    [
      'users',
      "'users' is not a controller.",
      'pass a class with @Controller(), or the result of defineController().',
    ],
  ])('a value that is not a class: %s', async (value, title, fix) => {
    const error = await failStart([value as unknown as Constructor]);
    expect(error).toMatchObject({ code: 'NOT_A_CONTROLLER' });
    expect(error.message).toBe(message(title, `At: ${PLUGIN_CALL}`, `Fix: ${fix}`));
  });

  it('a controller without routes', async () => {
    const error = await failStart([WorkingController, EmptyController]);
    expect(error).toBeInstanceOf(NoRoutesError);
    expect(error.message).toBe(
      message(
        'EmptyController has no routes.',
        `At: ${locationOf('EmptyController')}`,
        'Fix: decorate a method with @Get(), @Post() or another route decorator, or remove @Controller() from the class.',
      ),
    );
  });

  it('equivalent routes of two controllers, and names both methods', async () => {
    const error = await failStart([FirstController, SecondController]);
    expect(error).toBeInstanceOf(RouteRegistrationError);
    expect(error).toMatchObject({
      handler: 'SecondController.find',
      cause: { code: 'ROUTE_CONFLICT' },
      message: message(
        `Cannot register the route SecondController.find: GET /items/:name matches the same paths as GET /items/:id of FirstController.read (${locationOf('FirstController', '@Get')}).`,
        `At: ${locationOf('SecondController', '@Get')}`,
        'Fix: change one of the two paths.',
      ),
    });
  });

  it('a route that the router already has', async () => {
    const router = createRouter({ caseSensitive: false }).get('/Items/:key', () => {});
    const error = await failStart([FirstController], { router });
    expect(error.message).toBe(
      message(
        'Cannot register the route FirstController.read: GET /items/:id matches the same paths as GET /Items/:key of the router itself.',
        `At: ${locationOf('FirstController', '@Get')}`,
        'Fix: change one of the two paths.',
      ),
    );
  });

  it('an invalid path', async () => {
    const error = await failStart([PathController]);
    expect(error).toMatchObject({ cause: { code: 'INVALID_PATTERN' } });
    expect(error.message).toBe(
      message(
        `Cannot register the route PathController.read: ${(error.cause as Error).message}`,
        `At: ${locationOf('PathController', '@Get')}`,
        'Fix: correct the path of the route, or the prefix of its controller.',
      ),
    );
  });

  it('an invalid prefix of a controller, once for all its routes', async () => {
    const error = await failStart([WrongPrefixController]);
    expect(error).toMatchObject({ handler: 'WrongPrefixController' });
    expect(error.message).toBe(
      message(
        `Cannot register the routes of WrongPrefixController: ${(error.cause as Error).message}`,
        `At: ${locationOf('WrongPrefixController')}`,
        'Fix: correct the argument of @Controller().',
      ),
    );
    expect(error.message).toContain("The pattern '/a:' is not valid:");
  });

  it('an invalid version', async () => {
    const error = await failStart([WrongVersionController]);
    expect(error.message).toMatch(
      /^Cannot register the routes of WrongVersionController: The pattern '\/v:' is not valid:/,
    );
  });

  it('an invalid prefix of the plugin, once for all controllers', async () => {
    const controllers = [WrongPrefixController, FirstController];
    const error = await failStart(controllers, { prefix: '/p:' });
    expect(error.message).toMatch(/^Cannot register any route: The pattern '\/p:' is not valid:/);
    expect(error.message).toMatch(/\n {2}Fix: correct the option prefix\.$/);
  });

  it('all problems at once, numbered, including several of one controller', async () => {
    const error = await failStart([PlainClass, EmptyController, FirstController, ManyController]);
    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).problems.map(({ name }) => name)).toEqual([
      'NotAControllerError',
      'NoRoutesError',
      'RouteRegistrationError',
      'ControllerResolutionError',
      'ControllerResolutionError',
    ]);
    const [, , , controller, guard] = (error as StartError).problems;
    expect(error.message).toBe(`The controllers cannot start: 5 problems.

  1. PlainClass is not a controller.
       At: ${PLUGIN_CALL}
       Fix: decorate the class with @Controller(), or remove it from the list.

  2. EmptyController has no routes.
       At: ${locationOf('EmptyController')}
       Fix: decorate a method with @Get(), @Post() or another route decorator, or remove @Controller() from the class.

  3. Cannot register the route ManyController.read: GET /items/:key matches the same paths as GET /items/:id of FirstController.read (${locationOf('FirstController', '@Get')}).
       At: ${locationOf('ManyController', '@Get')}
       Fix: change one of the two paths.

  4. ${indented(refusal('the controller ManyController', controller?.cause, locationOf('ManyController')))}

  5. ${indented(tokenRefusal("the guard 'missing' of ManyController.create", guard?.cause, locationOf('ManyController')))}`);
  });
});

describe('a long list of problems', () => {
  it('aligns its numbers', () => {
    const problems = Array.from({ length: 10 }, (_, index) => new Error(`first ${index}\nsecond`));
    const lines = new StartError(problems).message.split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'The controllers cannot start: 10 problems.',
      '',
      '   1. first 0',
      '      second',
      '',
    ]);
    expect(lines.slice(-2)).toEqual(['  10. first 9', '      second']);
  });
});

describe('registerController', () => {
  it('throws all problems of its controller and registers nothing', () => {
    const router = createRouter();
    const register = () =>
      registerController(router, ManyController, { container: createContainer() });
    expect(register).toThrow('The controllers cannot start: 2 problems.');
    expect(router.routes).toEqual([]);
  });
});
