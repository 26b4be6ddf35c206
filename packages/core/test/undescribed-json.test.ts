import { Readable } from 'node:stream';
import fastJsonStringify from 'fast-json-stringify';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  type ApplicationOptions,
  type Context,
  content,
  createApp,
  json,
  type Middleware,
  type ResponseSchemas,
} from '../src/index.js';

const Public = z.object({ name: z.string() });
const Full = z.object({ name: z.string(), salary: z.number() });
const ada = { name: 'Ada' };
const full = { ...ada, salary: 7 };
const secret = { ...full, hash: 'x' };

interface Sending extends ApplicationOptions {
  readonly method?: string;
  readonly before?: Middleware;
}

/** Returns what a client receives of a route with these responses, and the message of the error. */
async function send(
  response: ResponseSchemas,
  handler: (ctx: Context) => unknown,
  { method = 'GET', before = (_ctx, next) => next(), ...options }: Sending = {},
) {
  const onError = vi.fn<(error: unknown) => void>();
  const app = createApp({ onError, ...options }).use(before);
  app.on('GET', '/users', { response } as object, (ctx: Context) => handler(ctx));
  const sent = await app.request('/users', { method });
  const error = Object(onError.mock.calls[0]?.[0]);
  return {
    status: sent.status,
    type: sent.headers.get('Content-Type'),
    body: await sent.text(),
    code: error.code,
    message: error.message,
  };
}

const as =
  (type: string, value: unknown = secret, status = 200) =>
  (ctx: Context) => {
    ctx.status = status;
    ctx.set('Content-Type', type);
    return value;
  };

const both = content({ 'application/vnd.admin+json': Full, 'application/json': Public });

describe('the schema of a media type applies to JSON of that type', () => {
  it.each<[string, ResponseSchemas, (ctx: Context) => unknown, unknown]>([
    ['a type that is not the first', both, as('application/json'), ada],
    ['the first type', both, as('application/vnd.admin+json'), full],
    ['the default, which is the first', both, () => secret, full],
    ['in upper case and with parameters', both, as('Application/JSON; Charset=UTF-8'), ada],
    [
      'that ctx.json() sends',
      both,
      (ctx) => {
        ctx.set('Content-Type', 'application/json');
        ctx.json(secret);
      },
      ada,
    ],
    [
      'of ctx.json() with an own serializer',
      both,
      (ctx) => {
        ctx.set('content-type', 'application/json');
        ctx.json(secret, JSON.stringify);
      },
      ada,
    ],
    [
      'of an earlier body that JSON replaces',
      content({ 'application/json': Public }),
      (ctx) => {
        ctx.html('<p>');
        ctx.json(secret);
      },
      ada,
    ],
    [
      'of a status',
      { 200: both, 201: content({ 'application/json': Full }) },
      as('application/json', secret, 201),
      full,
    ],
    ['of an error', { 200: Full, 404: both }, as('application/json', secret, 404), ada],
    [
      'of other JSON, if application/json is described',
      content({ 'application/json': Public }),
      as('application/hal+json'),
      ada,
    ],
    ['of any JSON, for a schema without media types', content(Public), as('text/json'), ada],
    ['application/*', content({ 'application/*': Public }), () => secret, ada],
    ['*/*', content({ 'text/csv': {}, '*/*': Public }), () => secret, ada],
    [
      'application/*+json',
      content({ 'application/*+json': Public, 'application/json': Full }),
      as('application/hal+json'),
      ada,
    ],
    [
      'with details',
      content({ 'application/json': { schema: Public, example: ada } }),
      () => secret,
      ada,
    ],
  ])('%s', async (_which, response, handler, expected) => {
    const { status, body } = await send(response, handler);
    expect(JSON.parse(body)).toEqual(expected);
    expect(status).toBeOneOf([200, 201, 404]);
    const checked = await send(response, handler, { checkResponses: true });
    expect(checked).toMatchObject({ status: 500, code: 'RESPONSE_SCHEMA' });
    expect(checked.message).toContain('hash: the schema does not describe it');
  });

  it('in compiled writers', async () => {
    const compileResponse = (schema: object) => fastJsonStringify(schema);
    const { body } = await send(both, as('application/json'), { compileResponse });
    expect(body).toBe('{"name":"Ada"}');
  });

  it('and is the type of ctx.json() by default', async () => {
    const hal = content({ 'application/hal+json': Public });
    const { type, body } = await send(hal, (ctx) => ctx.json(secret));
    expect([type, body]).toEqual(['application/hal+json', '{"name":"Ada"}']);
  });

  it.each<[string, Middleware]>([
    [
      'sets',
      async (ctx, next) => {
        await next();
        ctx.set('Content-Type', 'application/json');
      },
    ],
    [
      'had set',
      (ctx, next) => {
        ctx.set('Content-Type', 'application/json');
        return next();
      },
    ],
  ])('that middleware %s', async (_when, before) => {
    expect(await send(both, () => secret, { before })).toMatchObject({ body: '{"name":"Ada"}' });
  });

  it('unless nothing describes JSON of that type', async () => {
    const { status, body, code, message } = await send(
      both,
      as('application/hal+json; a=b', full),
      {},
    );
    // application/json describes other types.
    expect([status, body]).toEqual([200, '{"name":"Ada"}']);
    expect(code).toBeUndefined();
    expect(message).toBeUndefined();
    const admin = content({ 'application/vnd.admin+json': Full });
    expect(await send(admin, as('application/json'))).toMatchObject({
      status: 500,
      code: 'RESPONSE_SCHEMA',
      message:
        "The response 200 of GET /users is JSON of the type 'application/json', but content() describes only application/vnd.admin+json.\n" +
        "  Fix: send application/vnd.admin+json, with that Content-Type, or add 'application/json' to content().",
    });
  });
});

describe('a response that describes no JSON', () => {
  it.each<[string, ResponseSchemas, string]>([
    ['no body', content(null), 'no body'],
    ['no body of a status', { 200: content(null) }, 'no body'],
    ['an image', content('image/png'), 'only image/png'],
    ['text', content({ 'text/csv': z.string(), 'text/plain': {} }), 'only text/csv and text/plain'],
    ['any text', content('text/*'), 'only text/*'],
    ['JSON lines', content({ 'application/jsonl': Public }), 'only application/jsonl'],
    ['a sequence', content({ 'application/json-seq': Public }), 'only application/json-seq'],
    ['events', content({ 'text/event-stream': Public }), 'only text/event-stream'],
  ])('sends none: %s', async (_what, response, described) => {
    const error = {
      status: 500,
      code: 'RESPONSE_SCHEMA',
      message: expect.stringContaining(described),
    };
    const handlers = [
      () => full,
      async () => [full],
      (ctx: Context) => ctx.json(full),
      (ctx: Context) => ctx.json(full, JSON.stringify),
      () => 7,
      () => null,
    ];
    for (const handler of handlers) {
      const { body, ...failed } = await send(response, handler);
      expect(failed).toMatchObject(error);
      expect(body).not.toContain('Ada');
      expect(await send(response, handler, { checkResponses: true })).toMatchObject(error);
      expect(await send(response, handler, { responses: 'trust' })).toMatchObject({ status: 200 });
    }
  });

  it('names the route, the status and the fix', async () => {
    expect((await send(content(null), () => full)).message).toBe(
      "The response 200 of GET /users is JSON of the type 'application/json', but content() describes no body.\n" +
        "  Fix: send no body, or add 'application/json' to content().",
    );
  });

  it('sends text, bytes, streams and web Responses, which the application wrote', async () => {
    const bodies = ['a', Buffer.from('a'), new Blob(['a']), new Response('a')];
    for (const body of [...bodies, Readable.from(['a'])])
      expect(await send(content('text/csv'), () => body)).toMatchObject({ status: 200, body: 'a' });
  });

  it('still sends errors, redirects and nothing', async () => {
    const none = content(null);
    expect(await send(none, (ctx) => ctx.redirect('/'))).toMatchObject({ status: 302 });
    expect(
      await send(none, (ctx) => {
        ctx.status = 204;
      }),
    ).toMatchObject({ status: 204 });
    expect(
      await send(none, () => {
        throw Object.assign(new Error('x'));
      }),
    ).toMatchObject({ type: 'application/problem+json' });
  });
});

describe('JSON with a successful status that response does not describe', () => {
  const response = { 201: Public, 404: Public };
  const message =
    'The response of GET /users has the status 202, but its response describes only 201 and 404.\n' +
    '  Fix: add a schema for 202 to response, or change the status.';
  const accept = (ctx: Context) => {
    ctx.status = 202;
    return secret;
  };

  it.each<[string, (ctx: Context) => unknown]>([
    ['returned', accept],
    ['returned later', async (ctx) => accept(ctx)],
    ['sent by ctx.json()', (ctx) => ctx.json(accept(ctx))],
    [
      'that gets its status later',
      (ctx) => {
        ctx.json(ada);
        ctx.status = 202;
      },
    ],
  ])('is a 500: %s', async (_how, handler) => {
    const error = { status: 500, code: 'RESPONSE_SCHEMA', message };
    for (const method of ['GET', 'HEAD'])
      expect(await send(response, handler, { method })).toMatchObject(error);
    expect(
      await send(response, handler, { checkResponses: true, responses: 'trust' }),
    ).toMatchObject(error);
    expect(await send(response, handler, { compileResponse: fastJsonStringify })).toMatchObject(
      error,
    );
  });

  it('is a 500, if middleware sets the status', async () => {
    const before: Middleware = async (ctx, next) => {
      await next();
      ctx.status = 200;
    };
    expect(await send(response, () => secret, { before })).toMatchObject({
      status: 500,
      code: 'RESPONSE_SCHEMA',
    });
  });

  it('is sent in an application that trusts responses', async () => {
    const trust = { responses: 'trust' } as const;
    expect(await send(response, accept, trust)).toMatchObject({
      status: 202,
      body: JSON.stringify(secret),
    });
  });

  it.each<[string, ResponseSchemas, number]>([
    ['an error', { 200: Public }, 400],
    ['a redirect', { 200: Public }, 303],
    ['a status without content', { 200: Public }, 205],
    ['a route that describes only errors', { 404: Public }, 202],
  ])('may be sent as %s', async (_what, described, status) => {
    expect(await send(described, as('application/json', full, status))).toMatchObject({ status });
  });

  it('may have another schema, which applies to a status that is set later', async () => {
    const handler = (ctx: Context) => {
      ctx.json(secret);
      ctx.status = 200;
    };
    const described = { 201: Full, 200: Public };
    expect(await send(described, handler)).toMatchObject({ status: 200, body: '{"name":"Ada"}' });
    expect(
      await send(described, (ctx) => {
        ctx.status = 404;
        ctx.json(secret);
        ctx.status = 200;
      }),
    ).toMatchObject({ body: '{"name":"Ada"}' });
    expect(
      await send({ 200: Public }, (ctx) => {
        ctx.json(secret);
        ctx.status = 404;
      }),
    ).toMatchObject({ status: 404, body: '{"name":"Ada"}' });
  });

  it('cannot change once the body is encoded', async () => {
    const before: Middleware = async (ctx, next) => {
      await next();
      ctx.replaceBody(Buffer.from('zipped'));
      ctx.status = 202;
    };
    expect(await send({ 200: Full, 202: Public }, () => secret, { before })).toMatchObject({
      status: 500,
      message: expect.stringContaining('Fix: set the status and the Content-Type before the body.'),
    });
  });
});

it('a request body is validated by the schema of its own type of JSON only', async () => {
  const body = content({ 'application/vnd.admin+json': Full, 'application/vnd.user+json': Public });
  const app = createApp({ onError: () => undefined })
    .use(json())
    .post('/', { body }, (ctx) => ctx.body)
    .post('/both', { body: both }, (ctx) => ctx.body);
  const post = async (path: string, type: string) => {
    const init = { method: 'POST', headers: { 'Content-Type': type }, body: JSON.stringify(full) };
    const sent = await app.request(path, init);
    return [sent.status, sent.status === 200 ? await sent.json() : undefined];
  };
  expect(await post('/', 'application/vnd.user+json')).toEqual([200, ada]);
  expect(await post('/', 'application/json')).toEqual([415, undefined]);
  expect(await post('/', 'application/hal+json')).toEqual([415, undefined]);
  expect(await post('/both', 'application/json')).toEqual([200, ada]);
  expect(await post('/both', 'application/hal+json')).toEqual([200, ada]);
});
