import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type AnyContext,
  type Context,
  createApp,
  createRouter,
  type Middleware,
  schemaClass,
} from '../src/index.js';

const User = z.object({ id: z.string(), tags: z.array(z.string()) });
const app = createApp();
const router = createRouter();

describe('a route with schemas', () => {
  const options = {
    params: z.object({ id: z.coerce.number() }),
    query: v.object({ page: v.optional(v.string(), '1') }),
    headers: z.object({ 'x-tenant': z.string() }),
    body: type({ name: 'string' }),
    response: User,
  } as const;

  it('has the types that the schemas produce', () => {
    router.post('/users/:id', options, (ctx) => {
      expectTypeOf(ctx.params).toEqualTypeOf<{ id: number }>();
      expectTypeOf(ctx.query).toEqualTypeOf<{ page: string }>();
      expectTypeOf(ctx.headers).toEqualTypeOf<{ 'x-tenant': string }>();
      expectTypeOf(ctx.body).toEqualTypeOf<{ name: string }>();
      return { id: String(ctx.params.id), tags: [] };
    });
    app.query('/users/:id', options, ({ body, params, query }) => {
      expectTypeOf(body).toEqualTypeOf<{ name: string }>();
      expectTypeOf(query).toEqualTypeOf<{ page: string }>();
      return { id: String(params.id), tags: [] };
    });
    app.put('/users/:id', options, async ({ body }) => {
      expectTypeOf(body.name).toEqualTypeOf<string>();
      return { id: '1', tags: [] as readonly string[] };
    });
  });

  it('has the types of the request without a schema', () => {
    router.get('/users/:id', { summary: 'Read' }, (ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<Context<{ readonly id: string }>>();
      return anything;
    });
    router.get('/users/:id', { query: z.object({}) }, (ctx) => {
      expectTypeOf(ctx.params).toEqualTypeOf<{ readonly id: string }>();
      expectTypeOf(ctx.body).toEqualTypeOf<unknown>();
    });
  });

  it('has the state that its middleware sets', () => {
    const signIn: Middleware<{ user: string }> = (_ctx, next) => next();
    const start: Middleware<{ at: number }> = (_ctx, next) => next();
    router.post('/', { body: User }, signIn, (ctx) => {
      expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
      expectTypeOf(ctx.body.id).toEqualTypeOf<string>();
    });
    router.post('/', { body: User }, signIn, start, (ctx) => {
      expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
      expectTypeOf(ctx.state.at).toEqualTypeOf<number>();
    });
    router.on('PURGE', '/:id', { body: User }, signIn, signIn, signIn, (ctx) => {
      expectTypeOf(ctx.params.id).toEqualTypeOf<string>();
      expectTypeOf(ctx.body.id).toEqualTypeOf<string>();
    });
  });

  it('has instances of a class that is the schema, and responds with its members', () => {
    class NewUser extends schemaClass(z.object({ first: z.string(), last: z.string() })) {
      get name() {
        return `${this.first} ${this.last}`;
      }
    }
    router.post('/', { body: NewUser, response: NewUser }, ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<NewUser>();
      return { first: body.name, last: '' };
    });
    router.get('/', { response: z.array(NewUser.schema) }, () => [{ first: 'Ada', last: '' }]);
    // @ts-expect-error: the last name is missing.
    router.get('/', { response: z.array(NewUser.schema) }, () => [{ first: 'Ada' }]);
  });

  it('may call functions that take any context, whatever the schemas produce', () => {
    const page = (ctx: AnyContext) => expectTypeOf(ctx.query).toEqualTypeOf<unknown>();
    const query = z.object({ page: z.number() });
    const params = z.object({ id: z.number() });
    router.post('/:id', { params, query, body: User, response: User }, (ctx) => {
      page(ctx);
      return ctx.body;
    });
    router.get('/:id', (ctx) => page(ctx));
  });

  it('may call functions that take any context', () => {
    const log = (ctx: Context) => ctx.path;
    router.post('/', { body: User }, (ctx) => log(ctx));
  });
});

describe('the options of a route', () => {
  const pass: Middleware<{ user: string }> = (_ctx, next) => next();

  it('have the error at the option that does not exist or has a wrong value', () => {
    app.post(
      '/',
      {
        body: User,
        // @ts-expect-error: the option is called errors.
        error: [404],
      },
      ({ body }) => body.id,
    );
    app.post(
      '/',
      {
        body: User,
        // @ts-expect-error: the option is called status.
        statsu: 201,
      },
      pass,
      ({ body, state }) => body.id + state.user,
    );
    app.post(
      '/',
      {
        body: User,
        // @ts-expect-error: a status is a number.
        status: '201',
      },
      pass,
      pass,
      ({ path }) => path,
    );
    router.define('/', ({ post }) => ({
      create: post(
        '/',
        {
          body: User,
          // @ts-expect-error: the option is called errors.
          error: [404],
        },
        ({ body }) => body.id,
      ),
      replace: post(
        '/',
        {
          body: User,
          // @ts-expect-error: the option is called status.
          statsu: 201,
        },
        pass,
        ({ body }) => body.id,
      ),
    }));
  });

  it('may have other members if they are a variable or an instance of a class', () => {
    class Options {
      readonly body = User;
      describe() {
        return 'Creates a user.';
      }
    }
    const options = { body: User, feature: 'users' };
    app.post('/', options, ({ body }) => expectTypeOf(body.id).toEqualTypeOf<string>());
    router.post('/', options, pass, ({ body, state }) => [
      expectTypeOf(body.id).toEqualTypeOf<string>(),
      expectTypeOf(state.user).toEqualTypeOf<string>(),
    ]);
    router.post('/', new Options(), ({ body }) => expectTypeOf(body.id).toEqualTypeOf<string>());
    router.define('/', ({ post }) => ({
      create: post('/', options, ({ body }) => expectTypeOf(body.id).toEqualTypeOf<string>()),
    }));
  });

  it('may be followed by a spread array of middleware', () => {
    const list: readonly Middleware[] = [];
    app.post('/', { body: User }, ...list, ({ body }) =>
      expectTypeOf(body.id).toEqualTypeOf<string>(),
    );
    router.get('/:id', ...list, ({ params }) => expectTypeOf(params.id).toEqualTypeOf<string>());
  });
});

describe('the response of a route', () => {
  it('must match the schema, returned or passed to ctx.json()', () => {
    // @ts-expect-error: the id is a number.
    router.get('/', { response: User }, () => ({ id: 1, tags: [] }));
    // @ts-expect-error: the tags are missing.
    router.get('/', { response: User }, async () => ({ id: '1' }));
    router.get('/', { response: User }, (ctx) => {
      ctx.json({ id: '1', tags: [] });
      // @ts-expect-error: the id is a number.
      ctx.json({ id: 1, tags: [] });
    });
    // @ts-expect-error: a number is no user.
    app.get('/', { response: { 200: User, 404: z.string() } }, () => 1);
    // @ts-expect-error: the id is a number.
    router.on('GET', '/', { response: User }, () => ({ id: 1, tags: [] }));
  });

  it('is of any type if no successful status has a schema', () => {
    app.get('/', { response: { 404: z.object({ code: z.string() }) } }, () => ({ ok: true }));
    app.get('/', { response: { 404: User, 500: User } }, () => 1);
    // @ts-expect-error the successful one has a schema
    app.get('/', { response: { 204: User, 404: z.string() } }, () => 1);
  });

  it('may be of any schema by status, a web response, or undefined', () => {
    const response = { 200: User, 404: z.object({ missing: z.string() }) };
    app.get('/:id', { response }, (ctx) => {
      if (ctx.params.id === '1') return { id: '1', tags: [] };
      if (ctx.params.id === '2') return Response.json({});
      if (ctx.params.id === '3') return ctx.redirect('/');
      return { missing: ctx.params.id };
    });
    app.get('/', { response }, (ctx) => ctx.html('<p>'));
  });

  it('may be a literal that the schema lists, wherever the handler is', () => {
    const Role = z.object({ role: z.enum(['admin', 'guest']) });
    const pass: Middleware = (_ctx, next) => next();
    router.get('/', { response: Role }, () => ({ role: 'admin' }));
    router.get('/', { response: Role }, async () => ({ role: 'admin' }));
    router.get('/', { response: Role }, pass, () => ({ role: 'admin' }));
    router.get('/', { response: Role }, pass, pass, (ctx) => ({
      role: ctx.path === '/' ? 'admin' : 'guest',
    }));
    router.get('/', { response: { 200: z.array(Role), 404: Role } }, () => [{ role: 'guest' }]);
    router.on('GET', '/', { response: Role }, pass, () => ({ role: 'admin' }));
    // @ts-expect-error: there is no such role.
    router.get('/', { response: Role }, () => ({ role: 'owner' }));
    // @ts-expect-error: a role is not any text.
    router.get('/', { response: Role }, (ctx) => ({ role: ctx.path }));
  });

  it('has the error at the member that does not match', () => {
    const Text = z.object({ id: z.string() });
    const Count = z.object({ id: z.number() });
    const pass: Middleware = (_ctx, next) => next();
    router.get('/', { query: Text, response: Count }, ({ query }) => ({
      // @ts-expect-error: the id is text.
      id: query.id,
    }));
    router.post('/', { body: Text, response: { 201: Count } }, pass, ({ body }) => ({
      // @ts-expect-error: the id is text.
      id: body.id,
    }));
    app.post('/', { body: Text, response: Count }, pass, pass, ({ body }) => ({
      // @ts-expect-error: the id is text.
      id: body.id,
    }));
    router.on('GET', '/', { query: Text, response: Count }, ({ query }) => ({
      // @ts-expect-error: the id is text.
      id: query.id,
    }));
    router.define('/', ({ get }) => ({
      find: get('/', { query: Text, response: Count }, ({ query }) => ({
        // @ts-expect-error: the id is text.
        id: query.id,
      })),
      list: get('/list', { query: Text, response: Count }, pass, ({ query }) => ({
        // @ts-expect-error: the id is text.
        id: query.id,
      })),
    }));
  });

  it('may be anything without a schema or with a JSON Schema', () => {
    app.get('/', { status: 201 }, () => 1);
    app.get('/', { response: { type: 'object' } }, () => 1);
  });
});

declare const anything: unknown;
