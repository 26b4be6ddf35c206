import type * as Controllers from '@fairlead/controllers';
import type * as Core from '@fairlead/core';
import type * as Di from '@fairlead/di';
import type { z } from 'zod';
import { loadPackage } from '../../engine/load.js';
import * as fixtures from '../fixtures.js';
import { HOPS, serve } from './engine.js';

const { createRouter } = await loadPackage<typeof Core>('core');
const { Service } = await loadPackage<typeof Di>('di');
const {
  Body,
  Controller,
  Ctx,
  controllersPlugin,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  UseGuard,
} = await loadPackage<typeof Controllers>('controllers');

type Classes = NonNullable<Controllers.ControllersPluginOptions['controllers']>;

/** Listens as {@link serve} does, with the routes of controllers. */
function serveClasses(
  controllers: Classes,
  middleware: readonly Core.Middleware[] = [],
): Promise<Core.Server> {
  const router = createRouter();
  return serve(router, middleware, controllersPlugin({ router, controllers, strict: true }));
}

const isAuthorized: Controllers.GuardFn = (ctx) =>
  ctx.get('authorization') === fixtures.AUTHORIZATION;

@Service()
class ItemsService extends fixtures.Items {}

@Controller('/')
class HelloController {
  @Get()
  hello(@Ctx() ctx: Core.Context) {
    ctx.send(fixtures.HELLO);
  }
}

function createResource(name: string) {
  @Controller(`/${name}`)
  class ResourceController {
    @Get()
    list() {
      return {};
    }

    @Post()
    create() {
      return {};
    }

    @Get('/:id')
    find(@Param('id') id: string) {
      return { id };
    }

    @Put('/:id')
    replace(@Param('id') id: string) {
      return { id };
    }

    @Delete('/:id')
    remove(@Param('id') id: string) {
      return { id };
    }

    @Get('/:id/history')
    history(@Param('id') id: string) {
      return { id };
    }

    @Get('/:id/history/:version')
    version(@Param('id') id: string, @Param('version') version: string) {
      return { id, version };
    }
  }
  return ResourceController;
}

@Controller('/')
class RootController {
  @Get()
  root() {
    return {};
  }
}

@Controller('/orders')
class OrdersController {
  @Post()
  @HttpCode(200)
  echo(@Body() order: unknown) {
    return order;
  }
}

@Controller('/')
class HopsController {
  @Get()
  hops(@Ctx() ctx: Core.Context) {
    return { hops: ctx.state.hops };
  }
}

@Controller('/users')
class UsersController {
  @Get()
  list(@Query('page') page: string, @Query('limit') limit: string) {
    return fixtures.pageOfUsers(page, limit);
  }
}

@Controller('/items')
@UseGuard(isAuthorized)
class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get('/:id')
  find(@Param('id') id: string) {
    return this.items.find(id);
  }

  @Post()
  @HttpCode(200)
  create(@Body() input: { name: string }) {
    return this.items.create(input);
  }
}

/** Creates the controller of `guarded-valid-post` when it is measured, because old packages have no schemas. */
function createValidOrders() {
  @Controller('/orders')
  @UseGuard(isAuthorized)
  class ValidOrdersController {
    @Post()
    @HttpCode(200)
    echo(@Body({ schema: fixtures.Order }) order: z.infer<typeof fixtures.Order>) {
      return order;
    }
  }
  return ValidOrdersController;
}

export const start = {
  plaintext: () => serveClasses([HelloController]),
  param: () => serveClasses([RootController, ...fixtures.RESOURCES.map(createResource)]),
  post: () => serveClasses([OrdersController]),
  'async-10': () => serveClasses([HopsController], HOPS),
  'class-get': () => serveClasses([ItemsController]),
  'class-post': () => serveClasses([ItemsController]),
  page: () => serveClasses([UsersController]),
  'guarded-valid-post': () => serveClasses([createValidOrders()]),
};
