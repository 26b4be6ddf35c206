import { Controller, controllersPlugin, Get, Param } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, notFoundHandler } from '@fairlead/core';
import { createContainer, Inject } from '@fairlead/di';
import { area } from '../src/mistake.js';

const mistake = area('Several mistakes at once');

class Sundial {}

@Controller('/clocks')
class Clocks {
  constructor(readonly sundial: Sundial) {}
  @Get('/:id')
  read(@Param('clockId') id: string) {
    return id;
  }
}

@Controller('/users')
class Users {
  constructor(@Inject('db') readonly db: unknown) {}
  @Get('/', { sumary: 'Lists users' } as object)
  list() {
    return [];
  }
}

@Controller('/orders')
class Orders {
  constructor(@Inject('db') readonly db: unknown) {}
  @Get()
  list() {
    return [];
  }
}

/** Serves controllers with a factory that fails, below a misplaced `notFoundHandler()`. */
async function serveBelowNotFound(...controllers: (new (...args: never[]) => object)[]) {
  const router = createRouter();
  const container = createContainer().register('db', {
    useFactory: () => Promise.reject(new Error('no database')),
  });
  const app = createApp().use(errorHandler(), notFoundHandler()).route('/', router);
  await app.plugin(controllersPlugin({ router, container, controllers }));
  return app;
}

mistake(
  'an unknown parameter, an unknown option, a missing `@Service()`, a factory that fails and a misplaced `notFoundHandler()`',
  {
    startup:
      /^(?=[\s\S]*clockId)(?=[\s\S]*sumary)(?=[\s\S]*@Service\(\) to Sundial)(?=[\s\S]*no database)(?=[\s\S]*notFoundHandler)/,
  },
  () => serveBelowNotFound(Clocks, Users, Orders),
  '/orders',
);

mistake(
  'a factory that fails, and a misplaced `notFoundHandler()`',
  { startup: /^(?=[\s\S]*no database)(?=[\s\S]*notFoundHandler)/ },
  () => serveBelowNotFound(Orders),
  '/orders',
);

mistake(
  'two routers with the same routes, and a plugin whose `ready` fails',
  { startup: /^(?=[\s\S]*\/users)(?=[\s\S]*\/orders)(?=[\s\S]*no metrics)/ },
  async () => {
    const routers = () =>
      createRouter()
        .get('/users', () => 1)
        .get('/orders', () => 2);
    const app = createApp().route('/', routers()).route('/', routers());
    await app.plugin({
      name: 'metrics',
      install() {},
      ready() {
        throw new Error('no metrics');
      },
    });
    return app;
  },
  '/users',
);
