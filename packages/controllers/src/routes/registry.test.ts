import { describe, expect, it } from 'vitest';
import { Body, Ctx, Header, Param, Query, Req, Res } from '../decorators/parameters.js';
import { Controller, Get, HttpCode, Post, Redirect } from '../decorators/routes.js';
import { ControllerRegistry } from './registry.js';

@Controller({ prefix: '/users', version: 'v2' })
class UserController {
  @Get('/:id')
  read() {}

  @Post('/', { status: 201 })
  create(@Body('name') name: string) {
    return name;
  }
}

class Other {}

/** Creates a controller whose only route has a decorator. */
function controllerWith(decorator: MethodDecorator) {
  @Controller()
  class DecoratedController {
    @Get()
    @decorator
    read() {}
  }
  return DecoratedController;
}

describe('ControllerRegistry', () => {
  it('returns the frozen definition of a class', () => {
    const definition = new ControllerRegistry().register(UserController);
    expect(definition).toMatchObject({
      controller: UserController,
      name: 'UserController',
      prefix: '/users',
      version: 'v2',
      routes: [
        { method: 'GET', path: '/v2/users/:id', methodName: 'read', parameters: [] },
        {
          method: 'POST',
          path: '/v2/users',
          handler: 'UserController.create',
          status: 201,
          parameters: [{ index: 0, source: 'body', name: 'name', required: true }],
        },
      ],
    });
    expect(definition).toSatisfy(Object.isFrozen);
    expect(definition.routes[0]).toSatisfy(Object.isFrozen);
  });

  it('contains the source of each parameter, and whether it is required', () => {
    @Controller()
    class ReadingController {
      @Post('/:id')
      read(
        @Body() _body: unknown,
        @Body('name') _field: unknown,
        @Param('id') _param: unknown,
        @Query() _query: unknown,
        @Query('page') _page: unknown,
        @Header('accept') _header: unknown,
        @Ctx() _ctx: unknown,
        @Req() _req: unknown,
        @Res() _res: unknown,
      ) {}
    }
    const { routes } = new ControllerRegistry().register(ReadingController);
    const parameters = routes[0]?.parameters.map((each) => [each.source, each.name, each.required]);
    expect(parameters).toEqual([
      ['body', undefined, true],
      ['body', 'name', true],
      ['param', 'id', true],
      ['query', undefined, false],
      ['query', 'page', false],
      ['header', 'accept', false],
      ['ctx', undefined, false],
      ['req', undefined, false],
      ['res', undefined, false],
    ]);
  });

  it('creates a definition once', () => {
    const registry = new ControllerRegistry();
    expect(registry.register(UserController)).toBe(registry.register(UserController));
    expect(registry.all).toHaveLength(1);
  });

  it('reports which classes are registered', () => {
    const registry = new ControllerRegistry();
    const definition = registry.register(UserController);
    expect([registry.has(UserController), registry.has(Other)]).toEqual([true, false]);
    expect([registry.get(UserController), registry.get(Other)]).toEqual([definition, undefined]);
  });

  it('rejects a class that is not a controller, and does not keep it', () => {
    const registry = new ControllerRegistry();
    expect(() => registry.register(Other)).toThrow('Other is not a controller');
    expect(registry.all).toEqual([]);
  });

  it('rejects a controller with an impossible route, and does not keep it', () => {
    @Controller('/impossible')
    class ImpossibleController {
      @Post('/', { status: 99 })
      @HttpCode(99)
      create() {}
    }
    const registry = new ControllerRegistry();
    const register = () => registry.register(ImpossibleController);
    expect(register).toThrow(
      expect.objectContaining({
        code: 'START_FAILED',
        problems: [
          expect.objectContaining({
            code: 'ROUTE_REGISTRATION',
            handler: 'ImpossibleController.create',
            message: expect.stringContaining('@HttpCode()'),
          }),
          expect.objectContaining({
            code: 'ROUTE_REGISTRATION',
            message: expect.stringContaining(
              'status of @Post() must be an integer from 200 to 599: got 99.',
            ),
          }),
        ],
      }),
    );
    expect(registry.has(ImpossibleController)).toBe(false);
    expect(registry.all).toEqual([]);
    expect(register).toThrow('ImpossibleController.create');
  });

  it.each([
    ['a status of 200', HttpCode(200)],
    ['a status of 599', HttpCode(599)],
    ['a redirect with 300', Redirect('/target', 300)],
    ['a redirect with 399', Redirect('/target', 399)],
  ])('accepts %s', (_, decorator) => {
    expect(() => new ControllerRegistry().register(controllerWith(decorator))).not.toThrow();
  });

  it.each([
    ['a status of 199', HttpCode(199), '@HttpCode() cannot use 199 as status.'],
    ['a status of 600', HttpCode(600), '@HttpCode() cannot use 600 as status.'],
    ['a status of 200.5', HttpCode(200.5), '@HttpCode() cannot use 200.5 as status.'],
    ['a redirect with 299', Redirect('/target', 299), 'the status of its redirect is 299.'],
    ['a redirect with 400', Redirect('/target', 400), 'the status of its redirect is 400.'],
    ['a redirect with 302.5', Redirect('/target', 302.5), 'the status of its redirect is 302.5.'],
  ])('rejects %s', (_, decorator, problem) => {
    expect(() => new ControllerRegistry().register(controllerWith(decorator))).toThrow(problem);
  });
});
