import { createRouter, type Middleware } from '@fairlead/core';
import { type Constructor, Service } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  Get,
  type Guard,
  HttpCode,
  Post,
  Redirect,
  SetHeader,
  StartError,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';

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

class Database {
  constructor(readonly url: string) {}
}

@Service()
class Repository {
  constructor(readonly database: Database) {}
}

@Controller('/repository')
class RepositoryController {
  constructor(readonly repository: Repository) {}

  @Get()
  read() {
    return {};
  }
}

describe('install rejects, having registered nothing, for', () => {
  it('a class without @Controller()', async () => {
    const error = await failStart([WorkingController, PlainClass]);
    expect(error).toMatchObject({
      name: 'NotAControllerError',
      status: 500,
      message:
        'PlainClass is not a controller. Decorate the class with @Controller(), or leave it out of the list.',
    });
  });

  it('something that is no class', async () => {
    const error = await failStart([undefined as unknown as Constructor]);
    expect(error.message).toMatch(/^undefined is not a controller/);
  });

  it('a controller without routes', async () => {
    const error = await failStart([WorkingController, EmptyController]);
    expect(error).toMatchObject({
      name: 'NoRoutesError',
      status: 500,
      message: expect.stringContaining('EmptyController has no routes.'),
    });
  });

  it('equivalent routes of two controllers, naming both methods', async () => {
    const error = await failStart([FirstController, SecondController]);
    expect(error).toMatchObject({
      name: 'RouteRegistrationError',
      status: 500,
      handler: 'SecondController.find',
      cause: { code: 'ROUTE_CONFLICT' },
      message:
        'Cannot register the route SecondController.find: GET /items/:name matches the same paths as GET /items/:id of FirstController.read. Change the path of one of the two.',
    });
  });

  it('a route that the router has already', async () => {
    const router = createRouter({ caseSensitive: false }).get('/Items/:key', () => {});
    const error = await failStart([FirstController], { router });
    expect(error.message).toContain('matches the same paths as GET /Items/:key of the router');
  });

  it('a path that cannot be read', async () => {
    @Controller('/files')
    class PathController {
      @Get('/*rest/more')
      read() {
        return {};
      }
    }
    const error = await failStart([PathController]);
    expect(error).toMatchObject({
      handler: 'PathController.read',
      cause: { code: 'INVALID_PATTERN' },
    });
  });

  it('a parameter without a decorator', async () => {
    @Controller()
    class ParameterController {
      @Post()
      create(@Body() body: unknown, now: Date, page = 1) {
        return { body, now, page };
      }
    }
    const error = await failStart([ParameterController]);
    expect(error.message).toBe(
      "Cannot register the route ParameterController.create: its parameter 1 has no decorator, so nothing can be passed for it. Add one, such as @Body(), @Param('id') or @Ctx(), or remove the parameter.",
    );
  });

  it('a status, header or redirect that cannot be sent, and a guard that cannot be asked', async () => {
    class NoGuard {}
    const guards = [undefined, NoGuard] as unknown as readonly Guard[];
    const middleware = [NoGuard] as unknown as readonly Middleware[];
    @Controller()
    class ResponseController {
      @Get('/status')
      @HttpCode(99)
      status() {}

      @Get('/header')
      @SetHeader('X-Text', 'a\r\nb')
      header() {}

      @Get('/name')
      @SetHeader('X Text', 'a')
      name() {}

      @Get('/redirect')
      @Redirect('/a\nb')
      redirect() {}

      @Get('/redirect-status')
      @Redirect('/', 200)
      redirectStatus() {}

      @Get('/guard')
      @UseGuard(...guards)
      @UseMiddleware(...middleware)
      guard() {}
    }
    const error = await failStart([ResponseController]);
    expect((error as StartError).problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('ResponseController.status: its status is 99.'),
      expect.stringContaining("ResponseController.header: its header 'X-Text' cannot be sent"),
      expect.stringContaining("ResponseController.name: its header 'X Text' cannot be sent"),
      expect.stringContaining(
        'ResponseController.redirect: the URL of its redirect holds a control',
      ),
      expect.stringContaining(
        'ResponseController.redirectStatus: the status of its redirect is 200',
      ),
      expect.stringContaining('ResponseController.guard: its guard 0 is undefined'),
      expect.stringContaining('ResponseController.guard: its guard 1 is the class NoGuard'),
      expect.stringContaining('ResponseController.guard: its middleware 0 is the class NoGuard'),
    ]);
  });

  it('everything at once, in one error that numbers the problems', async () => {
    const error = await failStart([
      PlainClass,
      EmptyController,
      FirstController,
      SecondController,
      RepositoryController,
    ]);
    expect(error).toMatchObject({ name: 'StartError', status: 500, code: 'START_FAILED' });
    expect((error as StartError).problems.map(({ name }) => name)).toEqual([
      'NotAControllerError',
      'NoRoutesError',
      'RouteRegistrationError',
      'ControllerResolutionError',
    ]);
    expect(error.message).toMatch(
      /^The controllers cannot start: 4 problems\.\n {2}1\. NotAControllerError: .*\n {2}2\. NoRoutesError: .*\n {2}3\. /,
    );
  });
});

describe('a decorator that stands in the wrong place', () => {
  it('is refused on a static method', () => {
    const decorate = () => Get('/')(WorkingController, 'create', {});
    expect(decorate).toThrow('@Get() cannot stand on WorkingController.create');
  });

  it('is refused on a constructor', () => {
    const decorate = () => {
      class ConstructedController {
        constructor(@Body() readonly body: unknown) {}
      }
      return ConstructedController;
    };
    expect(decorate).toThrow('@Body() cannot stand on the constructor of');
  });
});
