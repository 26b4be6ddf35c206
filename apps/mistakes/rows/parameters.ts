import {
  Body,
  Controller,
  createCustomParamDecorator,
  Get,
  Header,
  Param,
  Post,
  Query,
  registerController,
} from '@fairlead/controllers';
import { createApp, createRouter, json } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { serveControllers } from '../src/applications.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Parameters');

mistake(
  "`@Param('userId')` with the pattern `/:id`",
  { startup: "'id'" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param('userId') id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Param('user-id')` with the pattern `/:user-id`",
  { startup: "write ':userId'" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:user-id')
      read(@Param('user-id') id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Param(':id')` with a colon",
  { startup: "'id'" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param(':id') id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Param('id')` with a pattern without parameters",
  { startup: "'/:id'" },
  () => {
    @Controller('/users')
    class Users {
      @Get()
      read(@Param('id') id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Param('userId')` with `registerController`",
  { response: "'userId'" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param('userId') id: string) {
        return id;
      }
    }
    const router = createRouter();
    registerController(router, Users, { container: createContainer() });
    return createApp().route('/', router);
  },
  '/users/7',
);

mistake(
  '`ctx.params.userId` with the pattern `/:id`',
  { compiler: "'userId'", never: 'JavaScript has no such check.' },
  () => createApp().get('/users/:id', ({ params }) => ({ id: params.userId })),
  '/users/7',
);

mistake(
  "`@Param('id') id: number` without a transform",
  { compiler: 'decorator', never: 'The types are erased.' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param('id') id: number) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Query('page', { default: '1' }) page: number`",
  { compiler: 'decorator', never: 'The types are erased.' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { default: '1' }) page: number) {
        return page;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@Body() user: UserDto` without a schema',
  { warning: 'nothing validates' },
  () => {
    class UserDto {
      name = '';
    }
    @Controller()
    class Users {
      @Post()
      create(@Body() user: UserDto) {
        return user;
      }
    }
    return serveControllers([Users]);
  },
  post('/', { name: 7 }),
);

mistake(
  '`transform: Number` for text that is no number',
  { never: 'NaN is a number.' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { transform: Number }) page: number) {
        return page;
      }
    }
    return serveControllers([Users]);
  },
  '/?page=two',
);

mistake(
  "`transform: 'number'`",
  { compiler: "'Transform<string> | undefined'", startup: 'a function' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { transform: 'number' }) page: number) {
        return page ?? null;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`transform: Number()`, the function called',
  { compiler: "'number' is not assignable", startup: 'a function' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { transform: Number() }) page: number) {
        return page ?? null;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`transform: z.string`, the function not called',
  { compiler: 'decorator', never: 'It is a function.' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('name', { transform: z.string }) name: string) {
        return typeof name;
      }
    }
    return serveControllers([Users]);
  },
  '/?name=Ada',
);

mistake(
  '`transform: ParseIntPipe`, a class',
  { compiler: "'typeof ParseIntPipe'", startup: 'ParseIntPipe' },
  () => {
    class ParseIntPipe {
      transform(value: string) {
        return Number.parseInt(value, 10);
      }
    }
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { transform: ParseIntPipe }) page: number) {
        return page;
      }
    }
    return serveControllers([Users]);
  },
  '/?page=2',
);

mistake(
  '`transform` of a joi schema, which is no Standard Schema',
  { compiler: 'TS2769', startup: 'Standard Schema' },
  () => {
    const schema = { validate: (value: unknown) => ({ value }) };
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { transform: schema }) page: unknown) {
        return page ?? null;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  'a transform that loses `this`',
  { request: "'parse'" },
  () => {
    class ParsePipe {
      parse(value: string) {
        return Number.parseInt(value, 16);
      }
      transform(value: string) {
        return this.parse(value);
      }
    }
    const { transform } = new ParsePipe();
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { transform }) page: number) {
        return page;
      }
    }
    return serveControllers([Users]);
  },
  '/?page=2',
);

mistake(
  'a transform that fails',
  { request: 'no database' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(
        @Query('id', { transform: () => Promise.reject(new Error('no database')) }) id: unknown,
      ) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/?id=2',
);

mistake('a custom parameter that fails', { request: 'no session' }, () => {
  const User = createCustomParamDecorator(() => {
    throw new Error('no session');
  });
  @Controller()
  class Users {
    @Get()
    list(@User() user: unknown) {
      return user;
    }
  }
  return serveControllers([Users]);
});

mistake(
  'a schema that throws',
  { request: 'no database' },
  () => {
    const schema = z.string().refine(() => {
      throw new Error('no database');
    });
    @Controller()
    class Users {
      @Get()
      list(@Query('name', { transform: schema }) name: string) {
        return name;
      }
    }
    return serveControllers([Users]);
  },
  '/?name=Ada',
);

mistake("`@Query('')`, an empty name", { startup: '@Query' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@Query('') page: string) {
      return page ?? null;
    }
  }
  return serveControllers([Users]);
});

mistake("`@Header('Content Type')`, which no header can have", { startup: 'Content Type' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@Header('Content Type') type: string) {
      return type ?? null;
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@Body('user.name')`, a path",
  { response: "'user.name'" },
  () => {
    @Controller()
    class Users {
      @Post()
      create(@Body('user.name') name: string) {
        return name;
      }
    }
    return serveControllers([Users]);
  },
  post('/', { user: { name: 'Ada' } }),
);

mistake('`@Body()` in a GET route', { warning: 'A body is required' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@Body() filter: unknown) {
      return filter;
    }
  }
  return serveControllers([Users]);
});

mistake(
  'a client that sends no `Content-Type`',
  { response: 'without a Content-Type' },
  () =>
    createApp()
      .use(json())
      .post('/', (ctx) => ctx.body),
  ['/', { method: 'POST', body: new TextEncoder().encode('{}') }],
);

mistake(
  'a client that sends no `Content-Type` with QUERY',
  { response: 'A QUERY request needs a Content-Type.' },
  () =>
    createApp()
      .use(json())
      .query('/', (ctx) => ctx.body),
  ['/', { method: 'QUERY', body: new TextEncoder().encode('{}') }],
);

mistake(
  'a missing query parameter, used as if it were required',
  { request: 'toUpperCase' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('name') name: string) {
        return name.toUpperCase();
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@Query('tag')` for a repeated parameter",
  { never: 'It is the first value.' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('tag') tag: string) {
        return tag;
      }
    }
    return serveControllers([Users]);
  },
  '/?tag=a&tag=b',
);

mistake(
  '`z.date()` for a query parameter of a route',
  { warning: 'Convert it, as in z.coerce.date()' },
  () => createApp().get('/', { query: z.object({ since: z.date() }) }, ({ query }) => query),
  '/?since=2024-01-01',
);

mistake(
  '`v.date()` of valibot for a query parameter of a route',
  { warning: 'Convert it, as in v.pipe(v.string(), v.toDate())' },
  () => createApp().get('/', { query: v.object({ since: v.date() }) }, ({ query }) => query),
  '/?since=2024-01-01',
);

mistake(
  "`'Date'` of arktype for a query parameter of a route",
  { warning: "Convert it, as in 'string.date.parse'" },
  () => createApp().get('/', { query: type({ since: 'Date' }) }, ({ query }) => query),
  '/?since=2024-01-01',
);

mistake(
  "`@Query('since', { schema: z.date() })`",
  { warning: 'Convert it, as in z.coerce.date()' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('since', { schema: z.date().optional() }) since: Date | undefined) {
        return since ?? null;
      }
    }
    return serveControllers([Users]);
  },
  '/?since=2024-01-01',
);

mistake(
  'a list of objects in a query',
  { startup: "'rows' is a list of objects, which text cannot carry" },
  () =>
    createApp().get(
      '/',
      { query: z.object({ rows: z.array(z.object({ id: z.string() })) }) },
      ({ query }) => query,
    ),
);

mistake(
  'an object within an object in a query',
  { startup: "'filter[created]' is an object within an object" },
  () =>
    createApp().get(
      '/',
      { query: z.object({ filter: z.object({ created: z.object({ gte: z.string() }) }) }) },
      ({ query }) => query,
    ),
);

mistake(
  'a member with brackets beside an object of the same name',
  { startup: "'filter[name]' is a member of the object 'filter'" },
  () =>
    createApp().get(
      '/',
      { query: z.object({ filter: z.object({ name: z.string() }), 'filter[name]': z.string() }) },
      ({ query }) => query,
    ),
);

mistake(
  'a name in the schema of parameters that the pattern lacks',
  { warning: "The parameter 'userId' is required" },
  () =>
    createApp().get(
      '/users/:id',
      { params: z.object({ userId: z.string() }) },
      ({ params }) => params.userId,
    ),
  '/users/7',
);

mistake(
  'an upper-case name in the schema of headers',
  { warning: "Use 'x-api-key'" },
  () =>
    createApp().get(
      '/',
      { headers: z.object({ 'X-Api-Key': z.string() }) },
      ({ headers }) => headers['X-Api-Key'],
    ),
  ['/', { headers: { 'X-Api-Key': 'k' } }],
);

mistake('a required body of a GET route', { warning: 'Use QUERY or POST' }, () =>
  createApp()
    .use(json())
    .get('/', { body: z.object({}) }, ({ body }) => body),
);

mistake(
  'a larger limit for one route after a parser of all routes',
  { warning: 'json() never reads a body' },
  () =>
    createApp()
      .use(json())
      .post('/import', json({ limit: '50mb' }), ({ body }) => body),
  post('/import', 'x'.repeat(2_000_000)),
);

interface Note {
  readonly text: string;
}

mistake(
  '`@Body()` with an interface or an erased type, next to bodies with schemas',
  { warning: 'whose types the compiler erased' },
  () => {
    @Controller('/notes')
    class Notes {
      @Post()
      create(@Body({ schema: z.object({ text: z.string() }) }) note: Note) {
        return note;
      }

      @Post('/all')
      createAll(@Body() notes: readonly Note[]) {
        return notes;
      }
    }
    return serveControllers([Notes]);
  },
  post('/notes/all', [{ text: 7 }]),
);

mistake('middleware that returns a `Response`', { request: 'Call ctx.respond(value)' }, () =>
  createApp()
    .use(() => new Response('no', { status: 401 }))
    .get('/', () => 1),
);
