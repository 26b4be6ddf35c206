import 'reflect-metadata';
import { globSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as own from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  HttpError,
  json,
  listen,
  type Middleware,
  UnauthorizedError,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { eventStream } from '@fairlead/middleware';
import { createAdaptorServer } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { bodyParser } from '@koa/bodyparser';
import Router, { type RouterContext } from '@koa/router';
import * as nest from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import express from 'express';
import fastify, { type FastifyReply } from 'fastify';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import Koa from 'koa';
import * as rc from 'routing-controllers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { workspace } from './support/project.js';

const boom = (status?: number) => Object.assign(new Error('boom'), { status, statusCode: status });
const fail = (error: Error) => {
  throw error;
};
const Name = z.object({ name: z.string(), nick: z.string() });

/** The names of what has run, in order. */
const order: string[] = [];
const note = (name: string) => order.push(name) > 0;

const tagAfter: Middleware = async (ctx, next) => {
  await next();
  ctx.set('ETag', '"a"');
};

async function* greet() {
  yield { event: 'greeting', data: 'hello' };
}

function createFunctions() {
  const guarded = createRouter()
    .use(() => fail(new UnauthorizedError()))
    .get('/a', () => 'a');
  return createApp({ onError: () => {} })
    .use(json())
    .get('/users', () => [])
    .post('/users', (ctx) => ({ body: ctx.body ?? 'none' }))
    .post('/valid', { body: Name }, ({ body }) => body)
    .get('/users/:id', ({ params }) => params)
    .get('/users/me', () => 'me')
    .get('/error', () => fail(boom()))
    .get('/error-409', () => fail(boom(409)))
    .get('/error-503', () => fail(new HttpError(503, 'boom')))
    .get('/text', () => 'text')
    .get('/html', () => '<p>')
    .get('/null', () => null)
    .get('/nothing-set', () => undefined)
    .get('/query', ({ query }) => query)
    .get('/files/*path', ({ params }) => params)
    .get('/path/:id', ({ path }) => ({ path }))
    .get('/error-after', tagAfter, () => fail(boom()))
    .get(
      '/returned',
      () => ({ by: 'middleware' }),
      () => 'handler',
    )
    .get('/response', () => Response.json({ a: 1 }, { status: 201 }))
    .get('/events', () => eventStream(greet()))
    .route('/guarded', guarded)
    .route(
      '/late',
      createRouter()
        .route('/', guarded)
        .get('/b', () => 'b'),
    );
}

function createExpress() {
  const guarded = express.Router();
  guarded.use((_req, res) => void res.sendStatus(401));
  guarded.get('/a', (_req, res) => void res.send('a'));
  const app = express();
  app.use(express.json());
  app.get('/users', (_req, res) => void res.json([]));
  app.post('/users', (req, res) => void res.json({ body: req.body ?? 'none' }));
  app.get('/error', () => fail(boom()));
  app.get('/error-503', () => fail(boom(503)));
  app.get('/text', (_req, res) => void res.send('text'));
  app.get('/query', (req, res) => void res.json(req.query));
  app.get('/files/*path', (req, res) => void res.json(req.params));
  app.get('/path/:id', (req, res) => void res.json({ path: req.path }));
  app.use('/guarded', guarded);
  return createServer(app);
}

function createKoa() {
  const router = new Router();
  const get = (path: string, respond: (ctx: RouterContext) => unknown) =>
    router.register(path, ['get', 'post'], (ctx) => {
      ctx.body = respond(ctx);
    });
  get('/users', ({ request, method }) =>
    method === 'GET' ? [] : { body: request.body ?? 'none' },
  );
  get('/error', () => fail(boom()));
  get('/text', () => 'text');
  get('/html', () => '<p>');
  get('/null', () => null);
  get('/files/{*path}', ({ params }) => params);
  router.get('/nothing-set', () => {});
  const app = new Koa();
  app.silent = true;
  app.use(bodyParser()).use(router.routes()).use(router.allowedMethods());
  return createServer(app.callback());
}

async function createFastify() {
  const app = fastify();
  app.get('/users', async () => []);
  app.post('/users', async (request) => ({ body: request.body ?? 'none' }));
  const properties = { name: { type: 'string' }, nick: { type: 'string' } };
  const body = { type: 'object', required: ['name', 'nick'], properties };
  app.post('/valid', { schema: { body } }, async (request) => request.body);
  const converted = {
    type: 'object',
    properties: { age: { type: 'number' }, role: { default: 'user' } },
    additionalProperties: false,
  };
  app.post('/converted', { schema: { body: converted } }, async (request) => request.body);
  app.get('/users/:id', async (request) => request.params);
  const onSend = async (_request: unknown, reply: FastifyReply) => void reply.header('ETag', '"a"');
  app.get('/error', { onSend }, async () => fail(boom()));
  app.get('/error-409', async () => fail(boom(409)));
  app.get('/error-503', async () => fail(boom(503)));
  app.get('/text', async () => 'text');
  await app.ready();
  return app.server;
}

function createHono() {
  const guarded = new Hono().use(async (c) => c.text('', 401)).get('/a', (c) => c.text('a'));
  const app = new Hono()
    .get('/users', (c) => c.json([]))
    .post('/users', async (c) => c.json({ body: await c.req.json() }))
    .post('/valid', zValidator('json', Name), (c) => c.json(c.req.valid('json')))
    .get('/users/:id', (c) => c.json(c.req.param()))
    .get('/users/me', (c) => c.json('me'))
    .get('/error', () => fail(boom()))
    .get('/error-503', () => fail(new HTTPException(503, { message: 'boom' })))
    .get('/query', (c) => c.json([c.req.query('tag'), c.req.queries('tag')]))
    .get(
      '/returned',
      (c) => c.json({ by: 'middleware' }),
      (c) => c.text('handler'),
    )
    .get('/events', (c) =>
      streamSSE(c, (stream) => stream.writeSSE({ event: 'greeting', data: 'hello' })),
    )
    .route('/guarded', guarded);
  app.use('/error-after', async (c, next) => {
    await next();
    c.header('ETag', `"${c.error?.message}"`);
  });
  app.get('/error-after', () => fail(boom()));
  app.route(
    '/late',
    new Hono().route('/', guarded).get('/b', (c) => c.text('b')),
  );
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}

class Nick {
  @IsString() name!: string;
  @IsString() nick!: string;
}

async function createNest() {
  const guard = (name: string): nest.CanActivate => ({ canActivate: () => note(name) });
  const interceptor: nest.NestInterceptor = {
    intercept: (_context, next) => {
      note('interceptor');
      return next.handle();
    },
  };

  @nest.Controller()
  class UsersController {
    @nest.Get('users') list() {
      return [];
    }
    @nest.Post('users') create(@nest.Body() body: unknown) {
      return { body: body ?? 'none' };
    }
    @nest.Post('valid') valid(@nest.Body(new nest.ValidationPipe()) body: Nick) {
      return body;
    }
    @nest.Get('error') error() {
      throw new nest.NotFoundException('boom');
    }
    @nest.Get('error-503') error503() {
      throw new nest.HttpException('boom', 503);
    }
    @nest.Get('text') text() {
      return 'text';
    }
    @nest.Get('null') none() {
      return null;
    }
    @nest.Get('undefined') nothing() {}
    @nest.Get('bytes') bytes() {
      return Buffer.from('a');
    }
    @nest.Get('order')
    @nest.UseGuards(guard('first'))
    @nest.UseGuards(guard('second'))
    @nest.UseInterceptors(interceptor)
    order(@nest.Query('a', { transform: () => note('pipe') }) _a: unknown) {
      return order.splice(0);
    }
  }
  Reflect.defineMetadata('design:paramtypes', [Nick], UsersController.prototype, 'valid');

  @nest.Module({ controllers: [UsersController] })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: false });
  await app.init();
  return createServer(app.getHttpAdapter().getInstance());
}

function createRoutingControllers() {
  const before = (name: string) => (_request: unknown, _response: unknown, next: () => void) => {
    note(name);
    next();
  };

  @rc.JsonController()
  class UsersController {
    @rc.Get('/users') list() {
      return [];
    }
    @rc.Post('/users') create(@rc.Body() body: unknown) {
      return { body };
    }
    @rc.Post('/valid') valid(@rc.Body({ validate: true, type: Nick }) body: Nick) {
      return body;
    }
    @rc.Get('/error') error() {
      throw new rc.NotFoundError('boom');
    }
    @rc.Get('/error-503') error503() {
      throw new rc.HttpError(503, 'boom');
    }
    @rc.Get('/text') text() {
      return 'text';
    }
    @rc.Get('/null') none() {
      return null;
    }
    @rc.Get('/undefined') nothing() {}
    @rc.Get('/query') query(@rc.QueryParams() query: unknown) {
      return query;
    }
    @rc.Get('/order')
    @rc.UseBefore(before('first'))
    @rc.UseBefore(before('second'))
    order() {
      return order.splice(0);
    }
  }

  return createServer(rc.createExpressServer({ controllers: [UsersController] }));
}

function createClasses() {
  @own.Controller()
  class UsersController {
    @own.Get('/users') list() {
      return [];
    }
    @own.Post('/users') create(@own.Body() body: unknown) {
      return { body };
    }
    @own.Post('/valid') valid(@own.Body({ schema: Name }) body: unknown) {
      return body;
    }
    @own.Get('/error') error() {
      throw new HttpError(404, 'boom');
    }
    @own.Get('/error-503') error503() {
      throw new HttpError(503, 'boom');
    }
    @own.Get('/text') text() {
      return 'text';
    }
    @own.Get('/null') none() {
      return null;
    }
    @own.Get('/undefined') nothing() {}
    @own.Get('/bytes') bytes() {
      return Buffer.from('a');
    }
    @own.Get('/query') query(@own.Query() query: unknown) {
      return query;
    }
    @own.Get('/order')
    @own.UseGuard(() => note('first'))
    @own.UseGuard(() => note('second'))
    @own.UseInterceptor((_ctx, next) => {
      note('interceptor');
      return next();
    })
    order(@own.Query('a', { default: '', transform: () => note('transform') }) _a: unknown) {
      return order.splice(0);
    }
  }

  const router = createRouter();
  own.registerController(router, UsersController, { container: createContainer() });
  return createApp({ onError: () => {} })
    .use(json())
    .route('/', router);
}

/** What a client sends: the method and target, and the body and its type. */
type Sent = readonly [target: string, body?: string, type?: string];

const LARGE = `{"a":"${'a'.repeat(900 * 1024)}"}`;
const FORM = 'application/x-www-form-urlencoded';

/** Returns what a client notices of a response. */
function send(port: number, [target, body, type = 'application/json']: Sent): Promise<string> {
  const [method, path] = target.split(' ');
  const headers = body === undefined ? {} : { 'Content-Type': type };
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path, headers }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      const { allow, etag, 'keep-alive': idle, 'content-type': media } = response.headers;
      const seen = [response.statusCode, allow && 'Allow', etag && 'ETag', media?.split(';')[0]];
      resolve([...seen, text, idle].filter((one) => one !== undefined && one !== '').join(' '));
    });
    sent.on('error', reject).end(body);
  });
}

const ports: Record<string, number> = {};
const stops: (() => unknown)[] = [];

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());

beforeAll(async () => {
  for (const [name, server] of Object.entries({
    Express: createExpress(),
    Koa: createKoa(),
    Fastify: await createFastify(),
    Hono: createHono(),
    NestJS: await createNest(),
    'routing-controllers': createRoutingControllers(),
  })) {
    await new Promise<void>((resolve) => server.listen(0, resolve));
    ports[name] = (server.address() as AddressInfo).port;
    stops.push(() => server.close().closeAllConnections());
  }
  for (const [name, app] of Object.entries({
    functions: createFunctions(),
    classes: createClasses(),
  })) {
    const server = await listen(app, 0);
    ports[name] = server.port;
    stops.push(() => server.close());
  }
});

afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Returns the first cells of the rows below a heading of a page. */
function rowsOf(page: string, heading: string): string[] {
  const text = readFileSync(join(workspace, 'docs', page), 'utf8');
  const section = text.slice(text.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => row.slice(2).split(' | ')[0] ?? '');
}

/** A request, what the other framework responds, and what Fairlead responds. */
type Case = readonly [sent: Sent, peer: string | RegExp, fairlead: string | RegExp];
type Rows = Readonly<Record<string, readonly Case[]>>;

const PROBLEM = /^\d+ application\/problem\+json/;

const EXPRESS: Rows = {
  "an error that your code doesn't catch": [
    [['GET /error'], /^500 text\/html .*Error: boom<br>.*at /s, /^500 application\/problem\+json/],
  ],
  'an error with a status of 500 or more': [
    [['GET /error-503'], /^503 .*boom/s, /^503 application\/problem\+json (?!.*boom)/],
  ],
  'a path without a route': [[['GET /none'], '404 text/html', PROBLEM]],
  'an unknown path or another method, below a router with a guard': [
    [['GET /guarded/b'], '401', '404'],
    [['DELETE /guarded/a'], '401', '405'],
    [['OPTIONS /guarded/a'], '401', '204'],
  ],
  'a string that the handler sends': [
    [['GET /text'], /^200 ETag text\/html text /, '200 application/json "text"'],
  ],
  '`?tag=a&tag=b`': [[['GET /query?tag=a&tag=b'], '{"tag":["a","b"]}', '{"tag":"a"}']],
  'an idle connection': [[['GET /users'], 'timeout=5', 'timeout=72']],
};

const KOA: Rows = {
  'any error': [
    [['GET /none'], '404 text/plain Not Found', PROBLEM],
    [['GET /error'], '500 text/plain Internal Server Error', PROBLEM],
  ],
  'a handler that sets a string': [
    [['GET /text'], '200 text/plain text', '200 application/json "text"'],
    [['GET /html'], '200 text/html <p>', '200 application/json "<p>"'],
  ],
  'a handler that sets `null`': [[['GET /null'], /^204 timeout/, '200 application/json null']],
  'a handler that sets nothing': [[['GET /nothing-set'], '404', /^500 .*NO_RESPONSE/]],
  'a form': [[['POST /users', 'a=1', FORM], '{"body":{"a":"1"}}', /^415/]],
  'a request without a body': [[['POST /users'], '{"body":{}}', '{"body":"none"}']],
};

const FASTIFY: Rows = {
  'any error': [
    [['GET /none'], /"error":"Not Found","statusCode":404/, PROBLEM],
    [['POST /users', '{'], /"statusCode":400,"code":"\w+","error":"Bad Request"/, PROBLEM],
  ],
  'an error with a status of 500 or more': [
    [['GET /error'], '"message":"boom"', /^500 (?!.*boom)/],
    [['GET /error-503'], '"message":"boom"', /^503 (?!.*boom)/],
  ],
  'an invalid request': [
    [['POST /valid', '{}'], /^400 (?!.*nick)/, /^400 .*"body","name".*"body","nick"/],
  ],
  'an error with a `statusCode`': [[['GET /error-409'], /^409/, /^500/]],
  'a string that a handler returns': [
    [['GET /text'], 'text/plain text', 'application/json "text"'],
  ],
  '`/users/1/` for the route `/users/:id`': [[['GET /users/1/'], /^404/, /^200 .*{"id":"1"}/]],
  'a body of `text/plain`': [[['POST /users', 'a', 'text/plain'], '{"body":"a"}', /^415/]],
};

const HONO: Rows = {
  'any error': [
    [['GET /none'], '404 text/plain 404 Not Found', PROBLEM],
    [['GET /error'], '500 text/plain Internal Server Error', PROBLEM],
    [['GET /error-503'], '503 text/plain boom', PROBLEM],
  ],
  'an `HTTPException` of 500 or more': [[['GET /error-503'], 'boom', /^503 (?!.*boom)/]],
  'a request that a validator rejects': [
    [['POST /valid', '{}'], /^400 .*{"success":false,"error":{/, /"issues":\[.*"path".*"message"/],
  ],
  'malformed JSON that `c.req.json()` reads': [[['POST /users', '{'], /^500/, /^400/]],
  'JSON that is sent as `text/plain`': [
    [['POST /users', '{"a":1}', 'text/plain'], '{"body":{"a":1}}', /^415/],
  ],
  'a JSON body of more than 1 MiB': [[['POST /users', `[${LARGE},${LARGE}]`], /^200/, /^413/]],
  '`/users/1/` for the route `/users/:id`': [[['GET /users/1/'], /^404/, /^200 .*{"id":"1"}/]],
  'an unknown path below a router with a guard': [[['GET /guarded/b'], /^401/, /^404/]],
};

const NESTJS: Rows = {
  'any error': [
    [['GET /error'], /^404 .*"message":"boom","error":"Not Found","statusCode":404/, PROBLEM],
  ],
  'an invalid request': [
    [['POST /valid', '{}'], /"message":\["name .*","nick .*"\]/, /"issues":\[.*"path".*"message"/],
  ],
  'an `HttpException` of 500 or more': [[['GET /error-503'], 'boom', /^503 (?!.*boom)/]],
  'a POST': [[['POST /users', '{}'], /^201/, /^200/]],
  'a method that returns `undefined`': [[['GET /undefined'], /^200 timeout/, /^204/]],
  'a method that returns `null`': [[['GET /null'], /^200 timeout/, /^200 application\/json null/]],
  'a method that returns a string': [[['GET /text'], 'text/html text', 'application/json "text"']],
  'a method that returns a `Buffer`': [
    [['GET /bytes'], '{"type":"Buffer","data":[97]}', /^200 application\/octet-stream a/],
  ],
  'a form': [[['POST /users', 'a[b]=1', FORM], '{"body":{"a":{"b":"1"}}}', /^415/]],
};

const ROUTING_CONTROLLERS: Rows = {
  'an error of a method': [
    [['GET /error'], /"name":"NotFoundError","message":"boom","stack"/, PROBLEM],
  ],
  'an error with a status of 500 or more, or without one': [
    [['GET /error-503'], 'boom', /^503 (?!.*boom)/],
  ],
  'an invalid body': [
    [['POST /valid', '{}'], /"errors":\[{.*"constraints"/, /"issues":\[.*"path".*"message"/],
  ],
  'a method that returns `undefined`': [[['GET /undefined'], /^404/, /^204/]],
  'a method that returns `null`': [[['GET /null'], /^204/, /^200 application\/json null/]],
  'a method that returns a string': [[['GET /text'], 'json "text"', 'json "text"']],
  '`?a[b]=1`, `?a[]=1`': [
    [['GET /query?a[b]=1'], '{"a":{"b":"1"}}', '{"a[b]":"1"}'],
    [['GET /query?a[]=1'], '{"a":["1"]}', '{"a[]":"1"}'],
  ],
  'a request without a body': [[['POST /users'], '{"body":{}}', /^400/]],
};

/** Returns the cases of all rows, for `it.each`. */
function casesOf<T extends readonly [sent: Sent, ...unknown[]]>(
  rows: Readonly<Record<string, readonly T[]>>,
) {
  return Object.entries(rows).flatMap(([row, cases]) =>
    cases.map((one) => ({ row, target: one[0][0], one })),
  );
}

const ask = (server: string, sent: Sent) => send(ports[server] ?? 0, sent);

describe.each([
  ['Express', 'functions', 'express.md', EXPRESS],
  ['Koa', 'functions', 'koa.md', KOA],
  ['Fastify', 'functions', 'fastify.md', FASTIFY],
  ['Hono', 'functions', 'hono.md', HONO],
  ['NestJS', 'classes', 'nestjs.md', NESTJS],
  ['routing-controllers', 'classes', 'routing-controllers.md', ROUTING_CONTROLLERS],
] as const)('what clients of %s notice', (peer, style, page, rows) => {
  it('has a test for each row of the page', () => {
    expect(Object.keys(rows)).toEqual(rowsOf(`coming-from/${page}`, 'What clients notice'));
  });

  it.each(casesOf<Case>(rows))('$row: $target', async ({ one: [sent, theirs, ours] }) => {
    expect(await ask(peer, sent)).toMatch(theirs);
    expect(await ask(style, sent)).toMatch(ours);
  });
});

/** What Fairlead responds, and most others don't. */
const MOST: Readonly<Record<string, readonly (readonly [sent: Sent, fairlead: RegExp])[]>> = {
  'a known path with another method': [[['DELETE /users'], /^405 Allow/]],
  '`OPTIONS` on a known path': [[['OPTIONS /users'], /^204 Allow/]],
  '`/Users` for the route `/users`': [[['GET /Users'], /^404/]],
  'a JSON body': [
    [['POST /users', LARGE], /^200/],
    [['POST /users', '"text"'], /^200 .*"text"/],
    [['POST /users', '7'], /^200 .*7/],
  ],
  'a JSON body with the key `__proto__`': [
    [['POST /users', '{"__proto__":{}}'], /^400 .*FORBIDDEN_KEY/],
  ],
  'a conditional GET': [[['GET /users'], /^200 (?!ETag)/]],
  'an idle connection': [[['GET /users'], /timeout=72$/]],
};

describe('what clients of most frameworks notice', () => {
  const peers = ['Express', 'Koa', 'Fastify', 'NestJS', 'routing-controllers'];
  const heading = 'What clients of most frameworks notice';

  it('has a test for each row of the page', () => {
    expect(Object.keys(MOST)).toEqual(rowsOf('coming-from.md', heading));
  });

  it.each(casesOf(MOST))('$row: $target', async ({ one: [sent, ours] }) => {
    expect(await ask('functions', sent)).toMatch(ours);
    const responses = await Promise.all(peers.map((peer) => ask(peer, sent)));
    const different = responses.filter((response) => !ours.test(response));
    expect(different.length).toBeGreaterThan(peers.length / 2);
  });
});

describe('what the pages say of code', () => {
  it.each<[server: string, rule: string, sent: Sent, expected: string | RegExp]>([
    ['Express', 'passes a list for a wildcard', ['GET /files/a/b'], '{"path":["a","b"]}'],
    ['Koa', 'decodes %2F in a wildcard', ['GET /files/a%2Fb'], '{"path":"a/b"}'],
    ['functions', 'get a string for a wildcard', ['GET /files/a%2Fb/c'], '{"path":"a%2Fb/c"}'],
    ['functions', 'get a path with decoded letters', ['GET /path/%41%20b'], '"/path/A%20b"'],
    ['Fastify', 'runs onSend for errors', ['GET /error'], /^500 ETag/],
    ['Fastify', 'converts', ['POST /converted', '{"age":"7","x":1}'], '{"age":7,"role":"user"}'],
    ['Hono', 'does not know other methods', ['DELETE /users'], '404 text/plain'],
    ['Hono', 'does not respond to OPTIONS', ['OPTIONS /users'], '404 text/plain'],
    ['Hono', 'accepts __proto__', ['POST /users', '{"__proto__":{}}'], /^200/],
    ['Hono', 'closes idle connections sooner', ['GET /users'], 'timeout=5'],
    ['Hono', 'runs the first route that matches', ['GET /users/me'], '{"id":"me"}'],
    ['functions', 'prefer the route without parameters', ['GET /users/me'], '"me"'],
    ['Hono', 'runs code after next() for errors, with c.error', ['GET /error-after'], /^500 ETag/],
    ['functions', 'skip code after next() for errors', ['GET /error-after'], /^500 (?!ETag)/],
    ['Hono', 'sends what middleware returns', ['GET /returned'], '{"by":"middleware"}'],
    ['functions', 'reject what middleware returns', ['GET /returned'], /^500 .*NO_RESPONSE/],
    ['functions', 'send a returned Response', ['GET /response'], '201 application/json {"a":1}'],
    ['Hono', 'runs middleware of a router for later routes', ['GET /late/b'], /^401/],
    ['functions', 'run it for the routes of the router only', ['GET /late/b'], /^200/],
    ['Hono', 'streams events', ['GET /events'], 'event: greeting\ndata: hello\n'],
    ['functions', 'stream events', ['GET /events'], 'event: greeting\ndata: hello\n'],
    ['Hono', 'returns all values with queries()', ['GET /query?tag=a&tag=b'], '["a",["a","b"]]'],
    ['NestJS', 'runs guards from bottom to top', ['GET /order'], '["second","first",'],
    ['NestJS', 'runs interceptors before pipes', ['GET /order'], ',"interceptor","pipe"]'],
    ['NestJS', 'passes undefined for a missing body', ['POST /users'], '{"body":"none"}'],
    ['routing-controllers', 'runs from bottom to top', ['GET /order'], '["second","first"]'],
    ['classes', 'run guards from top to bottom', ['GET /order'], '["first","second",'],
    ['classes', 'run interceptors after transforms', ['GET /order'], '"transform","interceptor"]'],
  ])('%s %s', async (server, _rule, sent, expected) => {
    expect(await ask(server, sent)).toMatch(expected);
  });
});

describe('the names of Fairlead', () => {
  const reports = globSync('packages/*/api/*.md', { cwd: workspace });
  const api = reports.map((report) => readFileSync(join(workspace, report), 'utf8')).join('\n');

  // It moves one router at a time, and has no table of names.
  const others = { cwd: workspace, exclude: ['**/express-router-by-router.md'] };
  it.each(globSync('docs/coming-from/*.md', others))('exist: %s', (page) => {
    const text = readFileSync(join(workspace, page), 'utf8');
    const [table = ''] = (text.split('\n## Names\n')[1] ?? '').split('\n## ');
    const cells = table.split('\n').map((row) => row.split(' | ')[1] ?? '');
    const names = cells.flatMap((cell) =>
      [...cell.matchAll(/\B@([A-Z]\w+)\(|\b(?:ctx|app|router|container)\.(\w+)/g)].map(
        ([, decorator, member]) => decorator ?? member,
      ),
    );
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(api))).toEqual([]);
  });
});
