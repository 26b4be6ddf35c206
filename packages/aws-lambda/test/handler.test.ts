import 'reflect-metadata';
import { Controller, controllersPlugin, Get, Param, UseGuard } from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  json,
  RouteConflictError,
  raw,
  SetupError,
} from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { cases, codePoint } from '@fairlead/test-support/properties';
import type {
  ALBHandler,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLHandler,
} from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  createLambdaHandler,
  createStreamingHandler,
  currentInvocation,
  LambdaEventError,
  type LambdaOptions,
} from '../src/index.js';
import {
  albEvent,
  albMultiEvent,
  context,
  functionUrlEvent,
  httpApiEvent,
  restApiEvent,
} from './events.js';

/** Responds with what the application sees of the request. */
const inspect = (ctx: Context) => ({
  method: ctx.method,
  path: ctx.path,
  id: ctx.params.id,
  tags: ctx.searchParams.getAll('tag'),
  name: ctx.query.name,
  cookie: ctx.get('Cookie'),
  ip: ctx.ip,
  protocol: ctx.protocol,
  host: ctx.host,
});

const events = {
  'an HTTP API': httpApiEvent,
  'a function URL': functionUrlEvent,
  'a REST API': restApiEvent,
  'a load balancer': albEvent,
  'a load balancer with multi-value headers': albMultiEvent,
};
const allEvents = Object.entries(events);

/** Changes the method, the headers and the body of an event, in the way of its gateway. */
function change(
  event: (typeof events)[keyof typeof events],
  {
    method,
    headers = {},
    ...rest
  }: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | null;
    isBase64Encoded?: boolean;
  },
): object {
  const changed: Record<string, unknown> = { ...event, ...rest };
  if ('headers' in event) changed.headers = { ...event.headers, ...headers };
  if ('multiValueHeaders' in event) {
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
    changed.multiValueHeaders = { ...event.multiValueHeaders, ...Object.fromEntries(lists) };
  }
  if ('httpMethod' in event) changed.httpMethod = method ?? event.httpMethod;
  else if (method !== undefined) {
    const http = { ...event.requestContext.http, method };
    changed.requestContext = { ...event.requestContext, http };
  }
  return changed;
}

/** Invokes a handler, and returns its response as a client sees it. */
async function invoke(
  app: Parameters<typeof createLambdaHandler>[0],
  event: object,
  options?: LambdaOptions,
) {
  const result = await createLambdaHandler(app, options)(event, context);
  const bytes = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
  return { ...result, bytes, json: () => JSON.parse(bytes.toString()) };
}

describe('a request', () => {
  const app = createApp().get('/users/:id', inspect);
  const request = {
    method: 'GET',
    path: '/users/7',
    id: '7',
    tags: ['a', 'b'],
    name: 'A b',
    cookie: 'session=abc; theme=dark',
    ip: '205.255.255.176',
    protocol: 'https',
    host: httpApiEvent.headers.host,
  };

  it.each([
    ['an HTTP API', httpApiEvent, request],
    ['a function URL', functionUrlEvent, { ...request, host: functionUrlEvent.headers.host }],
    ['a REST API', restApiEvent, { ...request, host: restApiEvent.headers.Host }],
    [
      'a load balancer',
      albEvent,
      { ...request, tags: ['b'], protocol: 'http', host: albEvent.headers.host },
    ],
    [
      'a load balancer with multi-value headers',
      albMultiEvent,
      { ...request, protocol: 'http', host: albEvent.headers.host },
    ],
  ])('of %s reaches the application', async (_, event, expected) => {
    const { statusCode, json } = await invoke(app, event);
    expect(statusCode).toBe(200);
    expect(json()).toEqual(expected);
  });

  it('of a REST API has only single values when the event has no lists', async () => {
    const event = {
      ...restApiEvent,
      multiValueHeaders: null,
      multiValueQueryStringParameters: null,
    } as unknown as APIGatewayProxyEvent;
    const { json } = await invoke(app, event);
    expect(json()).toMatchObject({ tags: ['b'], name: 'A b', ip: '205.255.255.176' });
  });

  it('without headers has the host of the event', async () => {
    const event = { ...restApiEvent, headers: null, multiValueHeaders: null };
    const { json } = await invoke(app, event);
    expect(json()).toMatchObject({ host: restApiEvent.requestContext.domainName, ip: request.ip });
  });

  it.each([
    ['10.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:51123', '203.0.113.9'],
    ['[2001:db8::1]:51123', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['127.0.0.1, unknown', '0.0.0.0'],
    ['', '0.0.0.0'],
  ])('of a load balancer has the address at the end of X-Forwarded-For: %s', async (list, ip) => {
    const { json } = await invoke(app, change(albEvent, { headers: { 'x-forwarded-for': list } }));
    expect(json().ip).toBe(ip);
  });

  it('does not take its address from a header where the event has one', async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    const { json } = await invoke(app, change(httpApiEvent, { headers }));
    expect(json().ip).toBe('205.255.255.176');
  });

  it('of the test console has no address', async () => {
    const { requestContext } = restApiEvent;
    const identity = { ...requestContext.identity, sourceIp: 'test-invoke-source-ip' };
    const event = { ...restApiEvent, requestContext: { ...requestContext, identity } };
    expect((await invoke(app, event)).json().ip).toBe('0.0.0.0');
  });

  it('trusts the proxies before the gateway as usual', async () => {
    const behind = createApp({ proxy: 2 }).get('/users/:id', inspect);
    expect((await invoke(behind, restApiEvent)).json().ip).toBe('10.20.30.40');
  });

  it.each(allEvents)('of %s may have a body as text', async (_, event) => {
    const echo = createApp()
      .use(json())
      .post('/users/:id', (ctx) => ctx.body);
    const headers = { 'content-type': 'application/json', 'content-length': '999' };
    const body = JSON.stringify({ name: 'Åsa' });
    const changed = change(event, { method: 'POST', headers, body });
    expect((await invoke(echo, changed)).json()).toEqual({ name: 'Åsa' });
  });

  it.each(allEvents)('of %s may have a body in Base64', async (_, event) => {
    const echo = createApp()
      .use(raw())
      .put('/users/:id', (ctx) => ctx.body);
    const bytes = Buffer.from([0, 255, 128, 13, 10]);
    const changed = change(event, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    });
    expect((await invoke(echo, changed)).bytes).toEqual(bytes);
  });

  it.each(allEvents)('of %s may have no body, whatever its length says', async (_, event) => {
    const echo = createApp()
      .use(json())
      .post('/users/:id', (ctx) => ({ body: ctx.body === undefined }));
    const headers = { 'content-type': 'application/json', 'content-length': '5' };
    const changed = change(event, { method: 'POST', headers, body: null });
    expect((await invoke(echo, changed)).json()).toEqual({ body: true });
  });

  it.each(['GET', 'HEAD'])('%s loses its body', async (method) => {
    const { statusCode } = await invoke(app, change(albEvent, { method, body: 'x' }));
    expect(statusCode).toBe(200);
  });

  it('loses the headers of the connection to the gateway', async () => {
    const names = createApp().get('/users/:id', ({ req }) => Object.keys(req.headers).sort());
    const headers = {
      connection: 'upgrade',
      upgrade: 'websocket',
      expect: '100-continue',
      te: 'x',
    };
    const { json } = await invoke(names, change(httpApiEvent, { headers }));
    expect(json()).toEqual([
      ...Object.keys({ ...httpApiEvent.headers, connection: '', cookie: '' })
        .filter((name) => name !== 'content-length')
        .sort(),
    ]);
  });

  it('has each cookie once, although function URLs send them in two places', async () => {
    const echo = createApp().get('/users/:id', (ctx) => ctx.get('Cookie'));
    const headers = { cookie: 'session=abc; theme=dark' };
    const { json } = await invoke(echo, change(functionUrlEvent, { headers }));
    expect(json()).toBe('session=abc; theme=dark');
  });

  it('with a method that HTTP does not know is refused as over a socket', async () => {
    const { statusCode, json } = await invoke(app, change(albEvent, { method: 'FETCH' }));
    expect([statusCode, json().status]).toEqual([400, 400]);
  });

  it.each<[what: string, event: object, status: number]>([
    ['a long target', { ...httpApiEvent, rawQueryString: 'a'.repeat(8_192) }, 414],
    ['long headers', change(httpApiEvent, { headers: { 'x-long': 'a'.repeat(16_384) } }), 431],
    [
      'many headers',
      change(httpApiEvent, {
        headers: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, ''])),
      }),
      431,
    ],
  ])('with %s is refused as over a socket', async (_what, event, status) => {
    const { statusCode, json } = await invoke(app, event);
    expect([statusCode, json().status]).toEqual([status, status]);
  });

  it.each([
    ['a header', change(httpApiEvent, { headers: { 'x-name': 'Łódź' } }), 'X-Name'],
    ['a cookie', { ...httpApiEvent, cookies: ['Łódź'] }, 'Cookie'],
  ])('has the bytes of %s as over a socket', async (_, event, name) => {
    const echo = createApp().get('/users/:id', (ctx) => ctx.get(name));
    const { json } = await invoke(echo, event);
    expect(Buffer.from(json(), 'latin1').toString()).toBe('Łódź');
  });
});

describe('the path', () => {
  const app = createApp().get('/*rest', (ctx) => ({
    path: ctx.path,
    query: ctx.searchParams.size,
  }));
  const at = (rawPath: string, stage = '$default'): APIGatewayProxyEventV2 => ({
    ...httpApiEvent,
    rawPath,
    rawQueryString: '',
    requestContext: { ...httpApiEvent.requestContext, stage },
  });

  it.each([
    ['/a%2Fb', '/a%2Fb'],
    ['/a%252Fb', '/a%252Fb'],
    ['/a b', '/a%20b'],
    ['/ä', '/%C3%A4'],
    ['/a?b#c', '/a%3Fb%23c'],
    ['/a\\b', '/a%5Cb'],
    ['/a\tb', '/a%09b'],
    ['//evil.example/a', '//evil.example/a'],
    ['/@evil.example', '/@evil.example'],
    ['', '/'],
    ['a', '/a'],
    // As over a socket: unreserved characters are decoded, and no segment is removed.
    ['/a/%2e%2e/b', '/a/../b'],
    ['/a/../b', '/a/../b'],
    ['/./a/.%2E/b', '/./a/../b'],
    ['/\ud800', '/%EF%BF%BD'],
  ])('%s arrives as %s', async (rawPath, path) => {
    expect((await invoke(app, at(rawPath))).json()).toEqual({ path, query: 0 });
  });

  it('with a malformed escape is a 400', async () => {
    expect((await invoke(app, at('/%zz'))).statusCode).toBe(400);
  });

  it.each([
    ['/dev/users', 'dev', '/users'],
    ['/dev', 'dev', '/'],
    ['/devs', 'dev', '/devs'],
    ['/dev/dev', 'dev', '/dev'],
    ['/users', 'dev', '/users'],
    ['/dev/users', '$default', '/dev/users'],
  ])('%s of the stage %s of an HTTP API arrives as %s', async (rawPath, stage, path) => {
    expect((await invoke(app, at(rawPath, stage))).json().path).toBe(path);
  });

  it('of a REST API has no stage to remove', async () => {
    const event = { ...restApiEvent, path: '/prod/users' };
    expect((await invoke(app, event)).json().path).toBe('/prod/users');
  });

  it.each([
    ['/api/v1/users', '/users'],
    ['/api/v1', '/'],
    ['/api/v10', '/api/v10'],
    ['/users', '/users'],
    ['/api/v1/%2e%2e/admin', '/../admin'],
    ['/api/v1/../../admin', '/../../admin'],
    ['/%2e/api/v1/users', '/./api/v1/users'],
  ])('%s arrives without the base path: %s', async (path, expected) => {
    const event = { ...restApiEvent, path };
    expect((await invoke(app, event, { basePath: '/api/v1' })).json().path).toBe(expected);
  });

  it('keeps every parameter that a client encodes', async () => {
    const echo = createApp().get('/:id', ({ params }) => params);
    const handler = createLambdaHandler(echo);
    const segment = fc
      .oneof(fc.string({ unit: codePoint, minLength: 1 }), fc.constantFrom('.', '..'))
      .filter((text) => !text.includes('\0') && text.isWellFormed());
    await fc.assert(
      fc.asyncProperty(segment, async (id) => {
        const path = `/${encodeURIComponent(id)}`;
        for (const event of [at(path), { ...restApiEvent, path }, { ...albEvent, path }]) {
          expect(JSON.parse((await handler(event, context)).body)).toEqual({ id });
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('the query', () => {
  const app = createApp().get('/users/:id', (ctx) => [...ctx.searchParams]);

  it('keeps every pair that a client encodes', async () => {
    const text = fc.string({ unit: codePoint }).filter((value) => value.isWellFormed());
    const pairs = fc.array(fc.tuple(text, text), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pairs, async (list) => {
        // Events of other gateways have no order among different names.
        const grouped = Map.groupBy(list, ([name]) => name);
        const decoded = [...grouped].map(([name, all]) => [name, all.map(([, value]) => value)]);
        const encode = (one: string): string => new URLSearchParams({ one }).toString().slice(4);
        const encoded = [...grouped].map(([name, all]) => [
          encode(name),
          all.map(([, value]) => encode(value)),
        ]);
        const rawQueryString = new URLSearchParams(list).toString();
        const lists = (entries: unknown[][]) => ({
          multiValueQueryStringParameters: Object.fromEntries(entries),
        });
        const sort = (all: string[][]) => all.map((pair) => JSON.stringify(pair)).sort();
        for (const event of [
          { ...httpApiEvent, rawQueryString },
          { ...restApiEvent, ...lists(decoded) },
          { ...albMultiEvent, ...lists(encoded) },
        ]) {
          expect(sort((await invoke(app, event)).json())).toEqual(sort(list));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('does not end at a number sign', async () => {
    const event = { ...httpApiEvent, rawQueryString: 'a=1#b&c=2' };
    expect((await invoke(app, event)).json()).toEqual([
      ['a', '1#b'],
      ['c', '2'],
    ]);
  });
});

describe('a response', () => {
  it.each([
    ['an HTTP API', httpApiEvent],
    ['a function URL', functionUrlEvent],
  ])('to %s has one value for each header, and its cookies apart', async (_, event) => {
    const { statusCode, headers, cookies, multiValueHeaders } = await invoke(cookieApp(), event);
    expect({ statusCode, cookies, multiValueHeaders }).toEqual({
      statusCode: 201,
      cookies: ['a=1; Path=/', 'b=2; Path=/'],
    });
    expect(headers).toMatchObject({ 'x-list': 'one, two', location: '/users/7' });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it.each([
    ['a REST API', restApiEvent],
    ['a load balancer with multi-value headers', albMultiEvent],
  ])('to %s has lists of values only', async (_, event) => {
    const { headers, cookies, multiValueHeaders } = await invoke(cookieApp(), event);
    expect({ headers, cookies }).toEqual({});
    expect(multiValueHeaders).toMatchObject({
      'x-list': ['one, two'],
      location: ['/users/7'],
      'set-cookie': ['a=1; Path=/', 'b=2; Path=/'],
    });
  });

  it('to a load balancer has one header for each cookie', async () => {
    const { headers, cookies, multiValueHeaders } = await invoke(cookieApp(), albEvent);
    expect({ cookies, multiValueHeaders }).toEqual({});
    expect(headers).toMatchObject({
      'x-list': 'one, two',
      'set-cookie': 'a=1; Path=/',
      'Set-cookie': 'b=2; Path=/',
    });
  });

  it('has no cookies when the application sets none', async () => {
    const app = createApp().get('/users/:id', () => 1);
    expect(await invoke(app, httpApiEvent)).not.toHaveProperty('cookies');
    expect((await invoke(app, restApiEvent)).multiValueHeaders).not.toHaveProperty('set-cookie');
  });

  it('has no headers of the connection', async () => {
    const app = createApp().get('/users/:id', (ctx) => ctx.send(new Blob(['x']).stream()));
    const { headers } = await invoke(app, httpApiEvent);
    expect(Object.keys(headers ?? {}).sort()).toEqual(['content-type', 'date']);
  });

  it.each(allEvents)('to %s keeps every byte', async (_, event) => {
    const bodies = fc.uint8Array({ minLength: 1 });
    let body = new Uint8Array();
    const app = createApp().get('/users/:id', (ctx) => ctx.send(body));
    const handler = createLambdaHandler(app);
    await fc.assert(
      fc.asyncProperty(bodies, async (bytes) => {
        body = bytes;
        const result = await handler(event, context);
        const received = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
        expect(new Uint8Array(received)).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['text', 'Åsa', undefined, false],
    ['bytes that are text', Buffer.from('Åsa'), undefined, false],
    ['bytes that are not', Buffer.from([0xff]), undefined, true],
    ['a compressed body', Buffer.from('x'), 'gzip', true],
  ])('is text if its body is UTF-8: %s', async (_, body, encoding, isBase64Encoded) => {
    const app = createApp().get('/users/:id', (ctx) => {
      if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
      return ctx.send(body);
    });
    expect((await invoke(app, httpApiEvent)).isBase64Encoded).toBe(isBase64Encoded);
  });

  it('to HEAD has the headers of GET and no body', async () => {
    const app = createApp().get('/users/:id', () => 'hello');
    const head = await invoke(app, change(httpApiEvent, { method: 'HEAD' }));
    expect(head).toMatchObject({ statusCode: 200, body: '', isBase64Encoded: false });
    expect(head.headers).toMatchObject({ 'content-length': '7' });
  });

  it('without a body stays empty', async () => {
    const app = createApp().get('/users/:id', (ctx) => {
      ctx.status = 204;
    });
    const { statusCode, body, headers } = await invoke(app, httpApiEvent);
    expect({ statusCode, body }).toEqual({ statusCode: 204, body: '' });
    expect(headers).not.toHaveProperty('content-length');
  });

  it('to a failed request is a problem', async () => {
    const app = createApp({ onError: () => undefined }).get('/users/:id', () => {
      throw new Error('secret');
    });
    const { statusCode, json } = await invoke(app, restApiEvent);
    expect(statusCode).toBe(500);
    expect(json()).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      detail: 'Internal Server Error',
    });
  });

  it('whose body fails fails the invocation', async () => {
    const app = createApp({ onError: () => undefined }).get('/users/:id', (ctx) =>
      ctx.send(
        (async function* () {
          yield 'part';
          throw new Error('The source failed.');
        })(),
      ),
    );
    await expect(invoke(app, httpApiEvent)).rejects.toThrow();
  });

  it.each([1, 1_000, 100_000, 1_000_000])(
    'of %i bytes is returned after the listeners of onFinish() have run',
    async (size) => {
      const onFinish = vi.fn();
      const app = createApp().get('/users/:id', (ctx) => {
        ctx.onFinish(onFinish);
        return ctx.send(new Blob(['x'.repeat(size)]).stream());
      });
      await invoke(app, httpApiEvent);
      expect(onFinish).toHaveBeenCalledOnce();
    },
  );
});

function cookieApp() {
  return createApp().get('/users/:id', (ctx) => {
    ctx.status = 201;
    ctx.set('Location', '/users/7');
    ctx.append('X-List', ['one', 'two']);
    ctx.append('Set-Cookie', ['a=1; Path=/', 'b=2; Path=/']);
    return 'made';
  });
}

describe('an event', () => {
  const handler = createLambdaHandler(createApp().get('/', () => 1));

  it.each([
    [{ Records: [{ eventSource: 'aws:sqs', body: 'secret' }] }, 'records of aws:sqs'],
    [{ Records: [{ EventSource: 'aws:sns' }] }, 'records of aws:sns'],
    [{ source: 'aws.events', 'detail-type': 'Scheduled Event' }, 'an event of aws.events'],
    [{ type: 'REQUEST', methodArn: 'arn', ...restApiEvent }, 'a request to an authorizer'],
    [{ type: 'REQUEST', routeArn: 'arn', ...httpApiEvent }, 'a request to an authorizer'],
    [
      { requestContext: { connectionId: 'x', eventType: 'CONNECT', identity: {} } },
      'a WebSocket event',
    ],
    [
      { version: '2.0', path: '/', method: 'GET' },
      'an event with the members version, path, method',
    ],
    [{}, 'an empty event'],
    [null, 'null'],
    [undefined, 'undefined'],
    ['text', "'text'"],
  ])('that is no HTTP request is an error that names it: %j', async (event, name) => {
    await expect(handler(event as object, context)).rejects.toThrow(
      new LambdaEventError(
        `The Lambda handler received ${name} instead of an HTTP request. Invoke the function through API Gateway, a function URL or an Application Load Balancer, or handle other events before you call the handler.`,
      ),
    );
  });

  it.each([
    ['a header', change(httpApiEvent, { headers: { 'x-a': 'a\r\nb: c' } })],
    ['a name', change(httpApiEvent, { headers: { 'x a': 'b' } })],
    ['a method', change(httpApiEvent, { method: 'GET /' })],
    ['TRACE', change(httpApiEvent, { method: 'TRACE' })],
  ])('with an invalid request is an error: %s', async (_, event) => {
    await expect(handler(event, context)).rejects.toMatchObject({
      code: 'INVALID_LAMBDA_EVENT',
      cause: expect.any(TypeError),
    });
  });

  it('of any shape becomes a response or this error', async () => {
    const paths = [
      [],
      ['headers'],
      ['multiValueHeaders'],
      ['requestContext'],
      ['requestContext', 'http'],
      ['requestContext', 'identity'],
      ['queryStringParameters'],
      ['multiValueQueryStringParameters'],
      ['cookies'],
      ['body'],
      ['rawPath'],
      ['path'],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(events)),
        fc.constantFrom(...paths),
        fc.jsonValue({ maxDepth: 3 }),
        async (event, path, value) => {
          const broken: unknown = path.length === 0 ? value : structuredClone(event);
          let at: Record<string, unknown> = Object(broken);
          for (const name of path.slice(0, -1)) at = Object(at[name]);
          const [last] = path.slice(-1);
          if (last !== undefined) at[last] = value;
          const outcome = await handler(broken as object, context).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(LambdaEventError);
          else expect(outcome).toHaveProperty('statusCode');
        },
      ),
      { numRuns: cases(80) },
    );
  });
});

describe('currentInvocation()', () => {
  it('returns the event and the context of the request, also of concurrent ones', async () => {
    const app = createApp().get('/users/:id', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const invocation = currentInvocation();
      return [invocation?.context.awsRequestId, invocation?.event === httpApiEvent];
    });
    const handler = createLambdaHandler(app);
    const results = await Promise.all([
      handler(httpApiEvent, context),
      handler({ ...httpApiEvent }, { ...context, awsRequestId: 'other' }),
    ]);
    expect(results.map(({ body }) => JSON.parse(body))).toEqual([
      [context.awsRequestId, true],
      ['other', false],
    ]);
  });

  it('returns undefined elsewhere', () => {
    expect(currentInvocation()).toBeUndefined();
  });
});

describe('a class application', () => {
  it('runs with its guards and services', async () => {
    @Service()
    class Names {
      find(id: string) {
        return { id, request: currentInvocation()?.context.awsRequestId };
      }
    }
    const isSignedIn = (ctx: Context) => ctx.get('Authorization') === 'Bearer ada';
    @Controller('/users')
    @UseGuard(isSignedIn)
    class UsersController {
      constructor(private readonly names: Names) {}
      @Get('/:id')
      find(@Param('id') id: string) {
        return this.names.find(id);
      }
    }
    const router = createRouter();
    const app = createApp().use(errorHandler());
    const controllers = [UsersController];
    await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
    app.route('/', router);

    expect((await invoke(app, httpApiEvent)).statusCode).toBe(403);
    const headers = { authorization: 'Bearer ada' };
    const { json } = await invoke(app, change(httpApiEvent, { headers }));
    expect(json()).toEqual({ id: '7', request: context.awsRequestId });
  });
});

describe('the creation of a handler', () => {
  it('reports mistakes in the setup of the application', () => {
    const app = createApp()
      .route(
        '/',
        createRouter().get('/a', () => 1),
      )
      .route(
        '/',
        createRouter().get('/a', () => 2),
      );
    expect(() => createLambdaHandler(app)).toThrow(RouteConflictError);
  });

  it.each([createLambdaHandler, createStreamingHandler])(
    'refuses invalid arguments: %o',
    (create) => {
      const call = `${create.name}()`;
      const refusal = (message: string) => new SetupError('INVALID_OPTION', message);
      const app = createApp();
      const createWith = (value: unknown, options?: unknown) => () =>
        create(value as typeof app, options as LambdaOptions);
      expect(createWith(Promise.resolve(app))).toThrow(
        refusal(`${call} cannot use an instance of Promise as app. Await it.`),
      );
      expect(createWith({})).toThrow(
        refusal(`${call} cannot use an object as app. Pass an application from createApp().`),
      );
      expect(createWith(app, { base: '/api' })).toThrow(
        refusal(`${call} has no option 'base'. Remove it, or use basePath.`),
      );
      for (const basePath of ['api', '/', '/api/', '/a?b', 1]) {
        const shown = typeof basePath === 'string' ? `'${basePath}'` : basePath;
        expect(createWith(app, { basePath })).toThrow(
          refusal(
            `basePath of ${call} must be a path such as '/api', without a trailing slash: got ${shown}.`,
          ),
        );
      }
    },
  );
});

it('has the types of AWS', () => {
  const handler = createLambdaHandler(createApp());
  const handlers = [
    handler satisfies APIGatewayProxyHandlerV2,
    handler satisfies LambdaFunctionURLHandler,
    handler satisfies APIGatewayProxyHandler,
    handler satisfies ALBHandler,
  ];
  expect(handlers).toHaveLength(4);
});
