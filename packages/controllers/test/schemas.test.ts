import {
  type Application,
  type ApplicationOptions,
  type Context,
  createApp,
  createRouter,
  intended,
  json,
  type Next,
  NotFoundError,
  schemaClass,
} from '@fairlead/core';
import { describe as describeValue } from '@fairlead/core/extend';
import { createContainer, Service } from '@fairlead/di';
import fastJsonStringify from 'fast-json-stringify';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  Body,
  type CanActivate,
  Controller,
  Ctx,
  controllersPlugin,
  createCustomParamDecorator,
  createRouteMetadata,
  describeRoutes,
  Get,
  Header,
  Param,
  Patch,
  type PluginLogger,
  Post,
  Put,
  Query,
  registerController,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { schema } from './support/schema.js';

const Id = z.object({ id: z.coerce.number().int() });
const Page = z.object({ page: z.coerce.number().default(1), tag: z.array(z.string()).optional() });
const Tenant = z.object({ 'x-tenant': z.string().min(2) });
const NewUser = z.object({ name: z.string().min(1), address: z.object({ city: z.string() }) });
const User = z.object({ id: z.number(), name: z.string() });
const Missing = z.object({ missing: z.number() });

const compileResponse = (definition: object) => fastJsonStringify(definition);

@Controller('/users')
class UsersController {
  @Post('/:id', { response: { 201: User, 404: Missing } })
  create(
    @Param({ schema: Id }) { id }: z.infer<typeof Id>,
    @Query({ schema: Page }) { page, tag = [] }: z.infer<typeof Page>,
    @Header({ schema: Tenant }) _tenant: z.infer<typeof Tenant>,
    @Body({ schema: NewUser }) { name }: z.infer<typeof NewUser>,
    @Ctx() ctx: Context,
  ) {
    if (id === 404) {
      ctx.status = 404;
      return { missing: id };
    }
    return { id, name: [name, page, ...tag].join(' '), secret: true };
  }
}

function classes(options: ApplicationOptions = {}): Application {
  const app = createApp({ onError: vi.fn(), ...options }).use(json());
  const router = createRouter();
  registerController(router, UsersController, { container: createContainer() });
  return app.route('/', router);
}

function functions(options: ApplicationOptions = {}): Application {
  const app = createApp({ onError: vi.fn(), ...options }).use(json());
  const schemas = { params: Id, query: Page, headers: Tenant, body: NewUser };
  const response = { 201: User, 404: Missing };
  return app.post('/users/:id', { ...schemas, response }, (ctx) => {
    const { id } = ctx.params;
    if (id === 404) {
      ctx.status = 404;
      return { missing: id };
    }
    const { page, tag = [] } = ctx.query;
    return { id, name: [ctx.body.name, page, ...tag].join(' '), secret: true };
  });
}

function post(app: Application, path: string, body: unknown, tenant = 'acme') {
  return app.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Tenant': tenant },
    body: JSON.stringify(body),
  });
}

const ada = { name: 'Ada', address: { city: 'London' } };

describe.each([
  ['classes', classes],
  ['functions', functions],
])('schemas of routes as %s', (_style, appWith) => {
  it('convert all inputs, and write the response of each status', async () => {
    const app = appWith({ compileResponse });
    const created = await post(app, '/users/7?tag=a&tag=b', ada);
    const missing = await post(app, '/users/404', ada);

    expect([created.status, await created.json()]).toEqual([201, { id: 7, name: 'Ada 1 a b' }]);
    expect([missing.status, await missing.json()]).toEqual([404, { missing: 404 }]);
  });

  it.each([400, 422] as const)('report all issues of a request with status %i', async (status) => {
    const app = appWith({ validationStatus: status });
    const response = await post(app, '/users/x?page=y', { name: '', address: {} }, 'a');
    const { issues, ...problem } = (await response.json()) as { issues: object[] };

    expect(problem).toMatchObject({ status, code: 'VALIDATION_FAILED' });
    expect(problem).toMatchObject({ detail: 'The request is not valid. See issues.' });
    expect(issues).toMatchObject([
      { source: 'param', path: ['param', 'id'] },
      { source: 'query', path: ['query', 'page'] },
      { source: 'header', path: ['header', 'x-tenant'] },
      { source: 'body', path: ['body', 'name'] },
      { source: 'body', path: ['body', 'address', 'city'] },
    ]);
  });

  it('remove members that the response schema does not describe', async () => {
    expect(await (await post(appWith(), '/users/7', ada)).json()).toEqual({ id: 7, name: 'Ada 1' });
    expect(await (await post(appWith(), '/users/404', ada)).json()).toEqual({ missing: 404 });
  });

  it('check responses on demand', async () => {
    const onError = vi.fn();
    const app = appWith({ onError, checkResponses: true });

    expect((await post(app, '/users/7', ada)).status).toBe(500);
    expect(onError.mock.calls[0]?.[0].message).toContain('secret: the schema does not describe it');
    expect((await post(app, '/users/404', ada)).status).toBe(404);
    expect(onError).toHaveBeenCalledOnce();
  });
});

const Failing = createCustomParamDecorator(() => {
  throw new NotFoundError('No such tenant.');
});
const later = schema<string>(async (value) =>
  value === undefined ? { issues: [{ message: 'later' }] } : { value: `later ${value}` },
);

@Controller('/values')
class ValuesController {
  @Get('/page')
  page(@Query('page', { schema: z.coerce.number().default(1) }) page: number) {
    return { page };
  }

  @Get('/needed')
  needed(@Query('page', { schema: z.string() }) page: string) {
    return { page };
  }

  @Get('/chain')
  chain(
    @Query('page', { schema: z.coerce.number().min(1), transform: (page) => page.toFixed(1) })
    page: string,
  ) {
    return { page };
  }

  @Get('/set')
  set(
    @Query('required', { schema: z.string(), required: true }) required: string,
    @Query('optional', { schema: z.string(), required: false }) optional?: string,
    @Query('fallback', { schema: z.coerce.number(), default: '3' }) fallback?: number,
  ) {
    return { required, optional, fallback };
  }

  @Get('/all')
  all(@Query('tag', { all: true, schema: z.array(z.string()).default([]) }) tags: string[]) {
    return { tags };
  }

  @Get('/later')
  later(
    @Query('a', { schema: later }) a: string,
    @Query('b', { schema: later }) b: string,
    @Query('c', { required: true }) c: string,
  ) {
    return { a, b, c };
  }

  @Get('/missing')
  missing(
    @Query('a', { required: true }) a: string,
    @Header('X-Tenant', { required: true }) tenant: string,
  ) {
    return { a, tenant };
  }

  @Get('/functions')
  functions(
    @Query('a', { required: true }) a: string,
    @Query('b', { transform: failing }) b: string,
    @Failing tenant: string,
  ) {
    return { a, b, tenant };
  }
}

function failing(): never {
  throw new Error('not called');
}

async function read(path: string) {
  const router = createRouter();
  registerController(router, ValuesController, { container: createContainer() });
  const response = await createApp({ onError: vi.fn() }).route('/values', router).request(path);
  return (await response.json()) as { readonly issues?: object[] };
}

/** Mounted at `/values`, below the controller's own prefix. */
const get = (path: string) => read(`/values/values${path}`);

describe('a schema of a parameter', () => {
  it('decides about an absent value', async () => {
    expect(await get('/page')).toEqual({ page: 1 });
    expect(await get('/page?page=2')).toEqual({ page: 2 });
    expect(await get('/needed')).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ source: 'query', path: ['query', 'page'] }],
    });
  });

  it('gives its output to the transform', async () => {
    expect(await get('/chain?page=2')).toEqual({ page: '2.0' });
    expect(await get('/chain?page=0')).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('does not decide if required or default is set', async () => {
    expect(await get('/set?required=a')).toEqual({ required: 'a', fallback: 3 });
    expect(await get('/set')).toMatchObject({
      code: 'MISSING_PARAMETER',
      issues: [{ source: 'query', path: ['query', 'required'], message: 'is required' }],
    });
  });

  it('gets every value with all', async () => {
    expect(await get('/all?tag=a&tag=b')).toEqual({ tags: ['a', 'b'] });
    expect(await get('/all')).toEqual({ tags: [] });
  });

  it('may be asynchronous', async () => {
    expect(await get('/later?a=1&b=2&c=3')).toEqual({ a: 'later 1', b: 'later 2', c: '3' });
    expect((await get('/later')).issues).toEqual([
      { source: 'query', path: ['query', 'a'], message: 'later' },
      { source: 'query', path: ['query', 'b'], message: 'later' },
      { source: 'query', path: ['query', 'c'], message: 'is required' },
    ]);
  });
});

describe('missing parameters', () => {
  it('are one error that lists all of them', async () => {
    expect(await get('/missing')).toMatchObject({
      code: 'MISSING_PARAMETER',
      error: 'Parameters are missing. See issues.',
      issues: [
        { source: 'query', path: ['query', 'a'], message: 'is required' },
        { source: 'header', path: ['header', 'X-Tenant'], message: 'is required' },
      ],
    });
  });

  it('keep transforms and custom parameters from running', async () => {
    expect(await get('/functions?b=1')).toMatchObject({ code: 'MISSING_PARAMETER' });
    expect(await get('/functions?a=1')).toMatchObject({ detail: 'No such tenant.' });
  });
});

class Person extends schemaClass(z.object({ first: z.string(), last: z.string() })) {
  get name() {
    return `${this.first} ${this.last}`;
  }
}

class Search extends schemaClass(z.object({ limit: z.coerce.number().default(10) })) {}

// biome-ignore lint/complexity/noStaticOnlyClass: it is what is tested
class Positive {
  static readonly '~standard' = schema<number>((value) =>
    Number(value) > 0 ? { value: Number(value) } : { issues: [{ message: 'must be positive' }] },
  )['~standard'];
}

class Plain {
  readonly city: string = '';
}

interface Shape {
  readonly city: string;
}

class BasePeople {
  create(@Body() person: Person) {
    return { name: person.name, isPerson: person instanceof Person };
  }
}

@Controller('/people')
class PeopleController extends BasePeople {
  @Post()
  override create(@Body() person: Person) {
    return super.create(person);
  }

  @Post('/optional')
  optional(@Body({ required: false }) person?: Person) {
    return { name: person?.name ?? 'nobody' };
  }

  @Get('/search')
  search(@Query() search: Search, @Query('page') page: Positive) {
    return { ...search, isSearch: search instanceof Search, page };
  }
}

@Controller('/plain')
class PlainController {
  @Post()
  create(@Body() plain: Plain, @Body('at') at: Date, @Body() shape: Shape, @Ctx() ctx: Context) {
    return { plain, at, shape, path: ctx.path };
  }

  @Post('/again')
  @Get('/again')
  again(@Query('q') _query: string, @Body('address') address: Plain) {
    return address;
  }

  @Post('/valid')
  valid(
    @Body({ schema: z.object({ city: z.string() }) }) plain: Plain,
    @Body({ transform: (body: Plain) => body }) again: Plain,
  ) {
    return { plain, again };
  }
}

/** A class that the method validates. */
class Checked {
  readonly city: string = '';
}
intended(Checked);

async function install(...controllers: readonly (new () => object)[]) {
  const warn = vi.fn<PluginLogger['warn']>();
  const logger: PluginLogger = { debug: () => {}, warn };
  const router = createRouter();
  const app = createApp({ onError: vi.fn() }).use(json());
  await app.plugin(
    controllersPlugin({ router, controllers, logger, container: createContainer() }),
  );
  return { app: app.route('/', router), warn };
}

describe('a parameter whose type is a class', () => {
  it('is validated by the class if that is a schema', async () => {
    const { app, warn } = await install(PeopleController);
    const created = await post(app, '/people', { first: 'Ada', last: 'Lovelace' });
    const refused = await post(app, '/people', { first: 'Ada' });
    const optional = await app.request('/people/optional', { method: 'POST' });
    const found = await app.request('/people/search?page=2');
    const lost = await app.request('/people/search?page=0');

    expect(await created.json()).toEqual({ name: 'Ada Lovelace', isPerson: true });
    expect(await refused.json()).toMatchObject({
      status: 400,
      issues: [{ source: 'body', path: ['body', 'last'] }],
    });
    expect(await optional.json()).toEqual({ name: 'nobody' });
    expect(await found.json()).toEqual({ limit: 10, isSearch: true, page: 2 });
    expect(await lost.json()).toMatchObject({ issues: [{ message: 'must be positive' }] });
    expect(warn).not.toHaveBeenCalled();
  });

  it('is no warning if it is intended', async () => {
    @Controller('/checked')
    class CheckedController {
      @Post()
      create(@Body() _body: Checked) {}
    }
    const { warn } = await install(CheckedController);

    expect(warn).not.toHaveBeenCalled();
  });

  it('is a warning at the start if nothing validates it', async () => {
    const { warn } = await install(PlainController);

    expect(warn.mock.calls).toEqual([
      [
        '[controllers] nothing validates parameters whose type is a class: parameter 0 of PlainController.create (Plain), parameter 1 of PlainController.again (Plain).\n' +
          '  Fix: pass a schema, as in @Body({ schema }); make the class a schema, as in class NewUser extends schemaClass(schema) {}; or use an interface or a type instead of the class. If the method validates it, pass the class to intended().',
      ],
      [expect.stringContaining('the bodies of parameter 2 of PlainController.create, whose types')],
    ]);
  });
});

describe('a body whose type the compiler erased', () => {
  interface Erased {
    readonly name: string;
  }

  @Controller('/erased')
  class ErasedController {
    @Post()
    create(@Body() _body: Erased) {}

    @Put()
    replace(@Body() _body: readonly Erased[]) {}

    @Patch()
    update(@Body({ schema: z.object({}) }) _body: object, @Body('note') _note: unknown) {}
  }

  @Controller('/other')
  class OtherController {
    @Post()
    create(@Body() _body: Erased) {}
  }

  it('is a warning if another body has a schema, unless the controller is intended', async () => {
    const { warn } = await install(ErasedController);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      "[controllers] nothing validates the bodies of parameter 0 of ErasedController.create, parameter 0 of ErasedController.replace, whose types the compiler erased, although other bodies have schemas.\n  Fix: pass a schema, as in @Body({ schema }). A class from schemaClass() as the type needs an import without 'type', and neither Partial nor an array. If the method validates the body, pass the controller to intended().",
    );
    expect((await install(OtherController)).warn).not.toHaveBeenCalled();
    expect((await install(intended(ErasedController))).warn).not.toHaveBeenCalled();
  });
});

describe('the options of a route', () => {
  const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
  const isKnown = describeValue(() => true, { security: bearer });

  class Admin implements CanActivate {
    canActivate() {
      return true;
    }
  }
  describeValue(Admin, { security: { name: 'admin', scheme: { type: 'mutualTLS' } } });

  @Controller('/documented')
  class DocumentedController {
    @Post('/:id', { status: 202, summary: 'Write', operationId: 'write', hidden: true })
    @UseGuard(isKnown, Admin, 'token')
    write(
      @Param('id') id: string,
      @Query('page', { schema: z.coerce.number().default(1) }) page: number,
      @Query('sort', { schema: z.string() }) sort: string,
      @Query('limit', { default: '10' }) limit: string,
      @Header('X-Tenant') tenant: string | undefined,
      @Body() body: Person,
      @Ctx() ctx: Context,
    ) {
      return { id, page, sort, limit, tenant, body, path: ctx.path };
    }

    @Get()
    read() {}
  }

  it('tell tools its inputs, security, errors and documentation', () => {
    const router = createRouter();
    const container = createContainer();
    container.register('token', { useValue: () => true });
    registerController(router, DocumentedController, { container });
    const [write, plain] = router.routes;

    expect(write?.options).toMatchObject({
      status: 202,
      summary: 'Write',
      operationId: 'write',
      hidden: true,
      security: [bearer, { name: 'admin' }],
      errors: [401, 403],
    });
    expect(
      write?.options.inputs?.map(({ source, name, schema: validator, required }) => [
        source,
        name,
        validator !== undefined,
        required,
      ]),
    ).toEqual([
      ['param', 'id', false, true],
      ['query', 'page', true, false],
      ['query', 'sort', true, true],
      ['query', 'limit', false, false],
      ['header', 'X-Tenant', false, false],
      ['body', undefined, true, true],
    ]);
    expect(write?.options.inputs?.at(-1)?.schema).toBe(Person);
    expect(plain?.options).toEqual({});
  });

  it('tell tools what secures them if the container has it for a token', () => {
    const Open = createRouteMetadata<boolean>('Open', { guard: Admin, exempts: (open) => open });
    @Controller('/tokens')
    @UseGuard('known', 'admin')
    class TokensController {
      @Get()
      list() {}

      @Get('/open')
      @Open(true)
      open() {}
    }
    const router = createRouter();
    const container = createContainer()
      .register('known', { useValue: isKnown })
      .register('admin', { useClass: Admin }, { scope: 'request' });
    registerController(router, TokensController, { container });
    const app = createApp({ access: 'declared' }).route('/', router);

    expect(router.routes.map(({ options }) => options.security)).toEqual([
      [bearer, { name: 'admin', scheme: { type: 'mutualTLS' } }],
      [bearer],
    ]);
    expect(describeRoutes(app).map(({ guards }) => guards)).toEqual([
      ["'known'", "'admin'"],
      ["'known'"],
    ]);
    expect(() => app.seal()).not.toThrow();
  });

  it('tell tools what secures them, in middleware of any form, and their own errors', () => {
    const session = {
      name: 'session',
      scheme: { type: 'apiKey', in: 'cookie', name: 'id' },
    } as const;
    @Service()
    class SessionMiddleware {
      use(_ctx: Context, next: Next) {
        return next();
      }
    }
    describeValue(SessionMiddleware, { security: session });
    @Controller('/sessions')
    class SessionsController {
      @Get('/', { errors: [503, 401] })
      @UseMiddleware(SessionMiddleware)
      list() {}

      @Get('/:id', { errors: { 403: ['NOT_OWNER'], 404: ['GONE'] } })
      @UseMiddleware(SessionMiddleware)
      find() {}
    }
    const router = createRouter();
    registerController(router, SessionsController, { container: createContainer() });

    expect(router.routes[0]?.options).toMatchObject({
      security: [session],
      errors: [401, 403, 503],
    });
    expect(router.routes[1]?.options.errors).toEqual({
      401: [],
      403: ['NOT_OWNER'],
      404: ['GONE'],
    });
  });
});
