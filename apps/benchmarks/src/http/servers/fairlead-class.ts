import {
  Body,
  Controller,
  type ControllersPluginOptions,
  Ctx,
  controllersPlugin,
  Delete,
  Get,
  type GuardFn,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  UseGuard,
} from '@fairlead/controllers';
import {
  type ApplicationOptions,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  type Middleware,
  notFoundHandler,
} from '@fairlead/core';
import { Service } from '@fairlead/di';
import type { z } from 'zod';
import * as fixtures from '../fixtures.js';

@Controller('/')
class HelloController {
  @Get()
  hello(@Ctx() ctx: Context) {
    ctx.send(fixtures.HELLO);
  }
}

@Controller('/')
class MessageController {
  @Get('/', { response: fixtures.MESSAGE_SCHEMA })
  message() {
    return { message: fixtures.HELLO };
  }
}

@Controller('/')
class RootController {
  @Get()
  root() {
    return {};
  }
}

function createResourceController(name: string) {
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

    @Get('/:id', { response: fixtures.ID_SCHEMA })
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
  hops(@Ctx() ctx: Context) {
    return { hops: ctx.state.hops };
  }
}

@Controller('/users')
class UsersController {
  @Get('/', { response: fixtures.USER_PAGE_SCHEMA })
  list(@Query('page') page: string, @Query('limit') limit: string) {
    return fixtures.pageOfUsers(page, limit);
  }
}

@Controller('/search')
class SearchController {
  @Get('/', { response: fixtures.Found })
  search(@Query({ schema: fixtures.Search }) query: z.infer<typeof fixtures.Search>) {
    return fixtures.search(query);
  }
}

@Controller('/orders')
class ValidOrdersController {
  @Post('/', { status: 200, response: fixtures.Order })
  echo(@Body({ schema: fixtures.Order }) order: z.infer<typeof fixtures.Order>) {
    return order;
  }
}

@Service()
class ItemsService extends fixtures.Items {}

const isAuthorized: GuardFn = (ctx) => ctx.get('authorization') === fixtures.AUTHORIZATION;

@Controller('/items')
@UseGuard(isAuthorized)
class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get('/:id', { response: fixtures.ITEM_SCHEMA })
  find(@Param('id') id: string) {
    return this.items.find(id);
  }

  @Post()
  @HttpCode(200)
  create(@Body() input: { name: string }) {
    return this.items.create(input);
  }
}

const hop: Middleware = async (ctx, next) => {
  fixtures.countHop(ctx.state);
  await next();
};

const hopSync: Middleware = (ctx, next) => {
  fixtures.countHop(ctx.state);
  return next();
};

/**
 * Creates the starter of each workload.
 *
 * @param options - The compiler for response schemas. Without it they are not applied.
 */
export function starters(options: Pick<ApplicationOptions, 'compileResponse'> = {}) {
  const serve = async (
    controllers: ControllersPluginOptions['controllers'] = [],
    ...middleware: readonly Middleware[]
  ) => {
    const router = createRouter();
    const app = createApp(options).use(errorHandler(), json(), ...middleware);
    await app.plugin(controllersPlugin({ router, controllers, strict: true }));
    return listen(app.route('/', router).use(notFoundHandler()), 0, { host: '127.0.0.1' });
  };
  return {
    plaintext: () => serve([HelloController]),
    json: () => serve([MessageController]),
    param: () => serve([RootController, ...fixtures.RESOURCES.map(createResourceController)]),
    post: () => serve([OrdersController]),
    'async-10': () => serve([HopsController], ...Array<Middleware>(10).fill(hop)),
    'sync-10': () => serve([HopsController], ...Array<Middleware>(10).fill(hopSync)),
    page: () => serve([UsersController]),
    'class-get': () => serve([ItemsController]),
    'class-post': () => serve([ItemsController]),
    'valid-get': () => serve([SearchController]),
    'valid-post': () => serve([ValidOrdersController]),
  };
}

export const start = starters();
