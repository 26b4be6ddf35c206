import 'reflect-metadata';
import {
  type Action,
  Authorized,
  Body,
  ContentType,
  Controller,
  createExpressServer,
  Delete,
  Get,
  JsonController,
  Param,
  Post,
  Put,
  QueryParam,
  Res,
  UseBefore,
  useContainer,
} from 'routing-controllers';
import { Container, Service } from 'typedi';
import * as fixtures from '../fixtures.js';

type Class = new (...args: never[]) => object;

type ExpressMiddleware = (
  req: unknown,
  res: { locals: { hops?: unknown } },
  next: () => void,
) => void;

const hop: ExpressMiddleware = async (_req, res, next) => {
  fixtures.countHop(res.locals);
  next();
};

const hopSync: ExpressMiddleware = (_req, res, next) => {
  fixtures.countHop(res.locals);
  next();
};

@Service()
@Controller()
class HelloController {
  @Get('/')
  @ContentType('text/plain')
  hello() {
    return fixtures.HELLO;
  }
}

@Service()
@JsonController()
class MessageController {
  @Get('/')
  message() {
    return { message: fixtures.HELLO };
  }
}

@Service()
@JsonController()
class RootController {
  @Get('/')
  root() {
    return {};
  }
}

function createResourceController(name: string): Class {
  @Service()
  @JsonController(`/${name}`)
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

@Service()
@JsonController('/orders')
class OrdersController {
  @Post()
  echo(@Body() order: object) {
    return order;
  }
}

function createHopsController(middleware: ExpressMiddleware): Class {
  @Service()
  @JsonController()
  @UseBefore(...Array<ExpressMiddleware>(10).fill(middleware))
  class HopsController {
    @Get('/')
    hops(@Res() response: { locals: { hops?: unknown } }) {
      return { hops: response.locals.hops };
    }
  }
  return HopsController;
}

@Service()
@JsonController('/users')
class UsersController {
  @Get()
  list(@QueryParam('page') page: string, @QueryParam('limit') limit: string) {
    return fixtures.pageOfUsers(page, limit);
  }
}

@Service()
class ItemsService extends fixtures.Items {}

@Service()
@JsonController('/items')
@Authorized()
class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get('/:id')
  find(@Param('id') id: string) {
    return this.items.find(id);
  }

  @Post()
  create(@Body() input: object) {
    return this.items.create(input as { name: string });
  }
}

useContainer(Container);

function serve(...controllers: readonly Class[]): unknown {
  const app = createExpressServer({
    controllers: [...controllers],
    authorizationChecker: ({ request }: Action) =>
      request.headers.authorization === fixtures.AUTHORIZATION,
  });
  return app.disable('x-powered-by').listen(0, '127.0.0.1');
}

export const start = {
  plaintext: () => serve(HelloController),
  json: () => serve(MessageController),
  param: () => serve(RootController, ...fixtures.RESOURCES.map(createResourceController)),
  post: () => serve(OrdersController),
  'async-10': () => serve(createHopsController(hop)),
  'sync-10': () => serve(createHopsController(hopSync)),
  page: () => serve(UsersController),
  'class-get': () => serve(ItemsController),
  'class-post': () => serve(ItemsController),
};
