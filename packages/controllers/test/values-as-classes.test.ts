import { type Context, type Middleware, NotFoundError } from '@fairlead/core';
import { createContainer, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  All,
  Body,
  type CanActivate,
  Controller,
  Ctx,
  createRouteMetadata,
  Delete,
  defineController,
  Get,
  Head,
  Options,
  Param,
  Patch,
  Post,
  Put,
  Query,
  QueryRoute,
  Redirect,
  SetHeader,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { serve } from './support/serve.js';

const NewUser = z.object({ name: z.string().min(1) });
const User = NewUser.extend({ id: z.number() });
const Id = z.object({ id: z.coerce.number().int() });
const Page = z.object({ page: z.coerce.number().default(1) });
type User = z.infer<typeof User>;

@Service()
class Users {
  readonly #all: User[] = [{ id: 1, name: 'Ada' }];

  list(page: number): User[] {
    return this.#all.slice((page - 1) * 10);
  }

  find(id: number): User {
    const found = this.#all.find((user) => user.id === id);
    if (found === undefined) throw new NotFoundError('There is no such user.');
    return found;
  }

  create({ name }: z.infer<typeof NewUser>): User {
    const user = { id: this.#all.length + 1, name };
    this.#all.push(user);
    return user;
  }
}

@Service({ scope: 'request' })
class Visit {
  static count = 0;
  readonly number = ++Visit.count;
}

@Service()
class NotBob implements CanActivate {
  canActivate(ctx: Context) {
    return ctx.get('X-User') !== 'bob';
  }
}

const NOT_EVE = token<CanActivate>('not Eve');
const Label = createRouteMetadata<string>('Label');
const Secret = createRouteMetadata<boolean>('Secret');

function note(text: string): Middleware {
  return (ctx, next) => {
    ctx.append('X-Order', text);
    return next();
  };
}

const signedIn = (ctx: Context) => {
  ctx.append('X-Order', 'guard');
  return ctx.get('X-User') !== undefined;
};
const admin = (ctx: Context) => {
  ctx.append('X-Order', 'route guard');
  return ctx.get('X-User') === 'ada';
};
const wrap = (_ctx: Context, next: () => unknown) => ({ wrapped: next() });

async function* parts() {
  yield 'one ';
  yield 'two';
}

@Controller({ prefix: '/users', version: 'v2' })
@UseGuard(signedIn, NotBob, NOT_EVE)
@UseMiddleware(note('middleware'))
@Label('users')
class UsersController {
  constructor(private readonly users: Users) {}

  @Get('/', { response: z.array(User) })
  list(@Query({ schema: Page }) { page }: z.infer<typeof Page>) {
    return this.users.list(page);
  }

  @Get('/:id', { response: User })
  find(@Param({ schema: Id }) { id }: z.infer<typeof Id>) {
    return this.users.find(id);
  }

  @Post('/', { response: User, status: 201 })
  @UseGuard(admin)
  @UseMiddleware(note('route middleware'))
  create(@Body({ schema: NewUser }) body: z.infer<typeof NewUser>) {
    return this.users.create(body);
  }

  @QueryRoute('/', { response: User })
  @UseGuard(admin)
  search(@Body({ schema: NewUser }) body: z.infer<typeof NewUser>) {
    return { id: 1, ...body };
  }

  @Put('/:id')
  @Label('put')
  @Secret(true)
  put(@Ctx() ctx: Context) {
    return { label: Label.get(ctx), secret: Secret.get(ctx), id: ctx.params.id };
  }

  @Patch('/:id')
  @UseInterceptor(wrap)
  patch(@Ctx() ctx: Context) {
    return Label.get(ctx);
  }

  @Delete('/:id')
  remove() {}

  @Get('/parts/all')
  parts() {
    return parts();
  }

  @Get('/:id/old')
  @Redirect('/v2/users/:id', 301)
  old(@Param('id') id: string) {
    return { id };
  }

  @Get('/:id/cached')
  @SetHeader('Cache-Control', 'max-age=60')
  cached() {
    return null;
  }
}

const users = defineController('/users', {
  version: 'v2',
  inject: { users: Users },
  guards: [signedIn, NotBob, NOT_EVE],
  middleware: [note('middleware')],
  metadata: [Label('users')],
  routes: ({ get, post, put, patch, delete: remove, query }) => ({
    list: get('/', { query: Page, response: z.array(User) }, ({ query }, { users }) =>
      users.list(query.page),
    ),
    find: get('/:id', { params: Id, response: User }, ({ params }, { users }) =>
      users.find(params.id),
    ),
    create: post(
      '/',
      {
        body: NewUser,
        response: User,
        status: 201,
        guards: [admin],
        middleware: [note('route middleware')],
      },
      ({ body }, { users }) => users.create(body),
    ),
    search: query('/', { body: NewUser, response: User, guards: [admin] }, ({ body }) => {
      return { id: 1, ...body };
    }),
    put: put('/:id', { metadata: [Label('put'), Secret(true)] }, (ctx) => {
      return { label: Label.get(ctx), secret: Secret.get(ctx), id: ctx.params.id };
    }),
    patch: patch('/:id', { interceptors: [wrap] }, (ctx) => Label.get(ctx)),
    remove: remove('/:id', () => {}),
    parts: get('/parts/all', () => parts()),
    old: get('/:id/old', { metadata: [Redirect('/v2/users/:id', 301)] }, ({ params }) => params),
    cached: get(
      '/:id/cached',
      { metadata: [SetHeader('Cache-Control', 'max-age=60')] },
      () => null,
    ),
  }),
});

const serveUsers = (controller: typeof UsersController | typeof users) => {
  const container = createContainer().register(NOT_EVE, {
    useValue: { canActivate: (ctx: Context) => ctx.get('X-User') !== 'eve' },
  });
  return serve({ container, controllers: [controller] });
};

const ada = { headers: { 'X-User': 'ada' } };
const json = (method: string, body: unknown, user = 'ada') => ({
  method,
  headers: { 'X-User': user, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

describe.each([
  ['a class', UsersController],
  ['a value', users],
])('%s', (_, controller) => {
  it('injects services, and responds with what its handlers return', async () => {
    const { fetch } = await serveUsers(controller);
    expect(await (await fetch('/v2/users', ada)).json()).toEqual([{ id: 1, name: 'Ada' }]);
    expect(await (await fetch('/v2/users/1', ada)).json()).toEqual({ id: 1, name: 'Ada' });
  });

  it('has a status for successful responses, which errors replace', async () => {
    const { fetch } = await serveUsers(controller);
    const created = await fetch('/v2/users', json('POST', { name: 'Grace' }));
    expect([created.status, await created.json()]).toEqual([201, { id: 2, name: 'Grace' }]);
    expect((await fetch('/v2/users/9', ada)).status).toBe(404);
    expect((await fetch('/v2/users', json('POST', { name: '' }))).status).toBe(400);
  });

  it.each([
    ['params', '/v2/users/x', ada, ['param', 'id']],
    ['the query', '/v2/users?page=x', ada, ['query', 'page']],
    ['the body', '/v2/users', json('POST', { name: '' }), ['body', 'name']],
  ])('validates %s', async (_input, path, init, issue) => {
    const { fetch } = await serveUsers(controller);
    const response = await fetch(path, init);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ source: issue[0], path: issue }],
    });
  });

  it('runs guards that are functions, classes and tokens, before it validates', async () => {
    const { fetch } = await serveUsers(controller);
    const statusFor = async (user: string) =>
      (await fetch('/v2/users/1', { headers: { 'X-User': user } })).status;
    expect(await Promise.all(['ada', 'bob', 'eve'].map(statusFor))).toEqual([200, 403, 403]);
    expect((await fetch('/v2/users/x')).status).toBe(403);
    const denied = await fetch('/v2/users', json('POST', { name: '' }, 'grace'));
    expect(await denied.json()).toMatchObject({ guard: 'admin' });
  });

  it('runs middleware before guards, and those of the controller first', async () => {
    const { fetch } = await serveUsers(controller);
    const response = await fetch('/v2/users', json('POST', { name: 'Grace' }));
    expect(response.headers.get('X-Order')).toBe(
      'middleware, route middleware, guard, route guard',
    );
  });

  it('has metadata, which a route overrides', async () => {
    const { fetch } = await serveUsers(controller);
    const put = await fetch('/v2/users/7', { ...ada, method: 'PUT' });
    expect(await put.json()).toEqual({ label: 'put', secret: true, id: '7' });
    const patched = await fetch('/v2/users/7', { ...ada, method: 'PATCH' });
    expect(await patched.json()).toEqual({ wrapped: 'users' });
  });

  it('handles QUERY with a body, which guards precede', async () => {
    const { fetch } = await serveUsers(controller);
    const send = (body: unknown, user?: string) => fetch('/v2/users', json('QUERY', body, user));
    expect(await (await send({ name: 'Ada' })).json()).toEqual({ id: 1, name: 'Ada' });
    expect(await (await send({ name: '' })).json()).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await send({ name: '' }, 'grace')).status).toBe(403);
    const untyped = await fetch('/v2/users', { ...ada, method: 'QUERY', body: Buffer.from('{}') });
    expect(await untyped.json()).toMatchObject({ status: 400, code: 'MISSING_CONTENT_TYPE' });
  });

  it('responds with 204 to undefined', async () => {
    const { fetch } = await serveUsers(controller);
    expect((await fetch('/v2/users/1', { ...ada, method: 'DELETE' })).status).toBe(204);
  });

  it('sends streams, redirects and headers', async () => {
    const { fetch } = await serveUsers(controller);
    const stream = await fetch('/v2/users/parts/all', ada);
    expect(await stream.text()).toBe('one two');
    const old = await fetch('/v2/users/5/old', { ...ada, redirect: 'manual' });
    expect([old.status, old.headers.get('Location')]).toEqual([301, '/v2/users/5']);
    const cached = await fetch('/v2/users/5/cached', ada);
    expect([cached.headers.get('Cache-Control'), await cached.json()]).toEqual([
      'max-age=60',
      null,
    ]);
  });
});

@Controller()
class MethodsController {
  @Get('/one')
  get() {
    return 'get';
  }

  @Head('/two')
  head(@Ctx() ctx: Context) {
    ctx.set('X-Head', 'yes');
  }

  @Options('/two')
  options() {
    return 'options';
  }

  @All('/one')
  all(@Ctx() ctx: Context) {
    return ctx.method;
  }
}

const methods = defineController('', {
  routes: ({ get, head, options, all }) => ({
    get: get('/one', () => 'get'),
    head: head('/two', (ctx) => {
      ctx.set('X-Head', 'yes');
    }),
    options: options('/two', () => 'options'),
    all: all('/one', (ctx) => ctx.method),
  }),
});

@Controller('/visits')
@Service({ scope: 'request' })
class VisitsController {
  constructor(private readonly visit: Visit) {}

  @Get()
  read() {
    return this.visit.number;
  }
}

const visits = defineController('/visits', {
  scope: 'request',
  inject: { visit: Visit },
  routes: ({ get }) => ({ read: get('/', (_ctx, { visit }) => visit.number) }),
});

describe.each([
  ['classes', MethodsController, VisitsController],
  ['values', methods, visits],
])('%s', (_, ofMethods, ofVisits) => {
  it('handle every method', async () => {
    const { fetch } = await serve({ controllers: [ofMethods] });
    const read = async (path: string, method: string) => (await fetch(path, { method })).json();
    expect(await read('/one', 'GET')).toBe('get');
    expect(await read('/one', 'PUT')).toBe('PUT');
    expect(await read('/two', 'OPTIONS')).toBe('options');
    expect((await fetch('/two', { method: 'HEAD' })).headers.get('X-Head')).toBe('yes');
  });

  it('can have request-scoped instances', async () => {
    const { fetch } = await serve({ controllers: [ofVisits] });
    const first = await (await fetch('/visits')).json();
    expect(await (await fetch('/visits')).json()).toBe(Number(first) + 1);
  });
});
