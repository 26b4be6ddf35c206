import 'reflect-metadata';
import {
  BadRequestException,
  Body,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  type INestApplication,
  Injectable,
  Module,
  Param,
  type PipeTransform,
  Post,
  Put,
  Query,
  Req,
  type Type,
  UseGuards,
} from '@nestjs/common';
import type { z } from 'zod';
import * as fixtures from '../fixtures.js';

@Controller()
class HelloController {
  @Get()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  hello() {
    return fixtures.HELLO;
  }
}

@Controller()
class MessageController {
  @Get()
  message() {
    return { message: fixtures.HELLO };
  }
}

@Controller()
class RootController {
  @Get()
  root() {
    return {};
  }
}

function createResourceController(name: string): Type {
  @Controller(name)
  class ResourceController {
    @Get()
    list() {
      return {};
    }

    @Post()
    create() {
      return {};
    }

    @Get(':id')
    find(@Param('id') id: string) {
      return { id };
    }

    @Put(':id')
    replace(@Param('id') id: string) {
      return { id };
    }

    @Delete(':id')
    remove(@Param('id') id: string) {
      return { id };
    }

    @Get(':id/history')
    history(@Param('id') id: string) {
      return { id };
    }

    @Get(':id/history/:version')
    version(@Param('id') id: string, @Param('version') version: string) {
      return { id, version };
    }
  }
  return ResourceController;
}

@Controller('orders')
class OrdersController {
  @Post()
  @HttpCode(200)
  echo(@Body() order: unknown) {
    return order;
  }
}

interface HopsRequest {
  hops?: unknown;
  /** Node's request, which Nest's middleware gets on Fastify. */
  raw?: HopsRequest;
}

@Controller()
class HopsController {
  @Get()
  hops(@Req() request: HopsRequest) {
    return { hops: (request.raw ?? request).hops };
  }
}

@Controller('users')
class UsersController {
  @Get()
  list(@Query('page') page: string, @Query('limit') limit: string) {
    return fixtures.pageOfUsers(page, limit);
  }
}

@Injectable()
class ItemsService extends fixtures.Items {}

@Injectable()
class AuthorizedGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest();
    return headers.authorization === fixtures.AUTHORIZATION;
  }
}

@Controller('items')
@UseGuards(AuthorizedGuard)
class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get(':id')
  find(@Param('id') id: string) {
    return this.items.find(id);
  }

  @Post()
  @HttpCode(200)
  create(@Body() input: { name: string }) {
    return this.items.create(input);
  }
}

/** Validates with zod, as Nest's documentation shows. */
class ZodPipe implements PipeTransform {
  constructor(private readonly schema: z.ZodType) {}

  transform(value: unknown) {
    const result = this.schema.safeParse(value);
    if (result.success) return result.data;
    throw new BadRequestException(result.error.issues);
  }
}

@Controller('search')
class SearchController {
  @Get()
  search(@Query(new ZodPipe(fixtures.Search)) query: z.infer<typeof fixtures.Search>) {
    return fixtures.search(query);
  }
}

@Controller('orders')
class ValidOrdersController {
  @Post()
  @HttpCode(200)
  echo(@Body(new ZodPipe(fixtures.Order)) order: z.infer<typeof fixtures.Order>) {
    return order;
  }
}

type ServerMiddleware = (req: HopsRequest, res: unknown, next: () => void) => void;

const hop: ServerMiddleware = async (req, _res, next) => {
  fixtures.countHop(req);
  next();
};

const hopSync: ServerMiddleware = (req, _res, next) => {
  fixtures.countHop(req);
  next();
};

/** Creates the starter of each workload on a platform. */
export function starters(create: (module: Type) => Promise<INestApplication>) {
  const serve = async (controllers: Type[], ...middleware: readonly ServerMiddleware[]) => {
    @Module({ controllers, providers: [ItemsService] })
    class AppModule {}

    const app = await create(AppModule);
    for (const each of middleware) app.use(each);
    await app.listen(0, '127.0.0.1');
  };
  return {
    plaintext: () => serve([HelloController]),
    json: () => serve([MessageController]),
    param: () => serve([RootController, ...fixtures.RESOURCES.map(createResourceController)]),
    post: () => serve([OrdersController]),
    'async-10': () => serve([HopsController], ...Array<ServerMiddleware>(10).fill(hop)),
    'sync-10': () => serve([HopsController], ...Array<ServerMiddleware>(10).fill(hopSync)),
    page: () => serve([UsersController]),
    'class-get': () => serve([ItemsController]),
    'class-post': () => serve([ItemsController]),
    'valid-get': () => serve([SearchController]),
    'valid-post': () => serve([ValidOrdersController]),
  };
}
