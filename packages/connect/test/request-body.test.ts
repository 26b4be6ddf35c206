import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import {
  Controller,
  controllersPlugin,
  defineController,
  Post,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  json,
  listen,
  type Middleware,
  raw,
  text,
  urlencoded,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { multipart } from '@fairlead/multipart';
import busboy from 'busboy';
import express from 'express';
import { createProxyMiddleware, fixRequestBody } from 'http-proxy-middleware';
import multer from 'multer';
import getRawBody from 'raw-body';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectMiddleware, connect } from '../src/index.js';
import { EXPRESS } from './support/express.js';

/** Responds with the bytes that a function reads from a request. */
const echo = (read: (req: IncomingMessage) => Promise<Buffer | string>): Middleware =>
  connect(async (req, res, next) => {
    try {
      const bytes = await read(req);
      res.end(bytes);
    } catch (error) {
      next(error);
    }
  });

/** The ways to read a request. */
const READERS: [string, (req: IncomingMessage) => Promise<Buffer | string>][] = [
  [
    "on('data')",
    (req) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        req.on('end', () => resolve(Buffer.concat(chunks))).on('error', reject);
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
      }),
  ],
  [
    'read()',
    async (req) => {
      const chunks: Buffer[] = [];
      const ended = once(req, 'end');
      req.on('readable', () => {
        for (let chunk = req.read(); chunk !== null; chunk = req.read()) chunks.push(chunk);
      });
      await ended;
      return Buffer.concat(chunks);
    },
  ],
  ['pipe()', (req) => buffer(req.pipe(new PassThrough()))],
  [
    'pipeline()',
    async (req) => {
      const copy = new PassThrough();
      const [bytes] = await Promise.all([buffer(copy), pipeline(req, copy)]);
      return bytes;
    },
  ],
  ['for await', (req) => buffer(req)],
  ['setEncoding()', (req) => readText(req.setEncoding('utf8'))],
  ['toWeb()', (req) => new Response(Readable.toWeb(req) as ReadableStream).text()],
  ['raw-body', (req) => getRawBody(req)],
];

const BODIES: [string, Middleware, type: string, body: string][] = [
  ['json()', json(), 'application/json', '{"a": 1}'],
  ['urlencoded()', urlencoded(), 'application/x-www-form-urlencoded', 'a=1&b=%20'],
  ['text()', text(), 'text/plain', 'Grüße'],
  ['raw()', raw(), 'application/octet-stream', 'bytes'],
];

/** Serves an application, and returns a function that sends bodies over one connection. */
async function serve(app: ReturnType<typeof createApp>) {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async (body: string | Buffer, headers: Record<string, string>) => {
    const sent = request(server.url, { method: 'POST', agent, headers }).end(body);
    const [response]: IncomingMessage[] = await once(sent, 'response');
    if (response === undefined) throw new TypeError('There is no response.');
    return [response.statusCode, await readText(response)];
  };
}

describe.each(BODIES)(
  'after %s, middleware reads the same bytes',
  (_parser, parser, type, body) => {
    it.each(READERS)('with %s', async (_reader, read) => {
      const send = await serve(createApp().use(parser).use(echo(read)));
      const headers = { 'Content-Type': type };
      // The second request shows that the first one leaves its connection usable.
      expect(await send(body, headers)).toEqual([200, body]);
      expect(await send(body, headers)).toEqual([200, body]);
    });
  },
);

const HEADERS = { 'Content-Type': 'application/json' };

it('the bytes of an encoded body are decoded, and the headers describe them', async () => {
  const app = createApp()
    .use(json())
    .use(
      connect(async (req, res) => {
        const { 'content-encoding': encoding = 'none', 'content-length': length } = req.headers;
        res.end(`${encoding} ${length} ${await readText(req)}`);
      }),
    );
  const send = await serve(app);
  const headers = { ...HEADERS, 'Content-Encoding': 'gzip' };
  expect(await send(gzipSync('{"a":1}'), headers)).toEqual([200, 'none 7 {"a":1}']);
});

it('an empty body of unknown length ends', async () => {
  const app = createApp()
    .use(json())
    .use(echo((req) => buffer(req)));
  const send = await serve(app);
  expect(await send('', { ...HEADERS, 'Transfer-Encoding': 'chunked' })).toEqual([200, '']);
});

it('several middleware read it, one after another, and the handler has the parsed body', async () => {
  const lengths: number[] = [];
  const count = connect(async (req, _res, next) => {
    lengths.push((await buffer(req)).length);
    next();
  });
  const app = createApp()
    .use(json())
    .use(count, count)
    .post('/', count, (ctx) => ({ body: ctx.body }));
  const send = await serve(app);
  expect(await send('{"a":1}', HEADERS)).toEqual([200, '{"body":{"a":1}}']);
  expect(lengths).toEqual([7, 7, 7]);
});

it('middleware that does not read it leaves it to the handler', async () => {
  const pass = connect((_req, _res, next) => next());
  const app = createApp()
    .use(json(), pass)
    .post('/', pass, async (ctx) => [ctx.body, await ctx.request.json()]);
  const send = await serve(app);
  expect(await send('[1]', HEADERS)).toEqual([200, '[[1],[1]]']);
});

it.each(EXPRESS)('parsers of %s see req.body, and read nothing', async (_, create) => {
  const old = create().use(create.text({ type: () => true }), create.raw({ type: () => true }));
  old.post('/', (req, res) => void res.json(req.body));
  const edit = connect((req, _res, next) => {
    Object.assign(Object(Reflect.get(req, 'body')), { edited: true });
    next();
  });
  const app = createApp().use(json(), edit, connect(create.json())).use(connect(old));
  expect(await (await serve(app))('{"a":1}', HEADERS)).toEqual([200, '{"a":1,"edited":true}']);
});

it('a parser keeps no bytes if no middleware of Express follows it', async () => {
  const pass = connect((_req, _res, next) => next());
  const app = createApp()
    .use(pass, json())
    .post('/', (ctx) => ({ isKept: ctx.rawBody !== undefined }));
  expect(await (await serve(app))('{}', HEADERS)).toEqual([200, '{"isKept":false}']);
});

const reading = echo((req) => buffer(req));

@Controller('/')
class EchoController {
  @Post()
  @UseMiddleware(json(), reading)
  echo() {
    return 'not called';
  }
}

const echoValue = defineController('/', {
  middleware: [json(), reading],
  routes: ({ post }) => ({ echo: post('/', () => 'not called') }),
});

/** Creates an application with one controller. */
async function createControlled(controller: typeof EchoController | typeof echoValue) {
  const router = createRouter();
  const app = createApp();
  const container = createContainer();
  await app.plugin(controllersPlugin({ router, controllers: [controller], container }));
  return app.route('/', router);
}

it.each<[string, () => Promise<ReturnType<typeof createApp>>]>([
  [
    'a router',
    async () =>
      createApp().route(
        '/',
        createRouter()
          .use(json(), reading)
          .post('/', () => ''),
      ),
  ],
  ['a route', async () => createApp().post('/', json(), reading, () => '')],
  [
    'a route below the parser',
    async () =>
      createApp()
        .use(json())
        .post('/', reading, () => ''),
  ],
  ['the prefix of the parser', async () => createApp().use('/', json(), reading)],
  ['notFound', async () => createApp({ notFound: reading }).use(json())],
  ['a class', () => createControlled(EchoController)],
  ['a controller as a value', () => createControlled(echoValue)],
])('middleware reads the body in %s', async (_, create) => {
  const [, body] = await (await serve(await create()))('{"a":1}', HEADERS);
  expect(body).toBe('{"a":1}');
});

describe('a proxy passes the body on', () => {
  const upstream = async () => {
    const server = createServer(async (req, res) => void res.end(`got ${await readText(req)}`));
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it.each<[string, Middleware[], object]>([
    ['without a parser', [], {}],
    ['after json()', [json()], {}],
    ['after json(), with fixRequestBody', [json()], { on: { proxyReq: fixRequestBody } }],
    [
      'after express.json(), with fixRequestBody',
      [connect(express.json())],
      { on: { proxyReq: fixRequestBody } },
    ],
  ])('%s', async (_, before, options) => {
    const proxy = createProxyMiddleware({ target: await upstream(), ...options });
    const send = await serve(createApp().use(...before, connect(proxy)));
    expect(await send('{"a":1}', HEADERS)).toEqual([200, 'got {"a":1}']);
  });
});

const BOUNDARY = 'b';
const FORM = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\n\r\nhi\r\n--${BOUNDARY}--\r\n`;
const FORM_HEADERS = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Middleware of libraries that read forms with files. */
const UPLOADS: [string, ConnectMiddleware][] = [
  ['multer', multer().any() as never],
  [
    'busboy',
    (req, _res, next) => {
      const files: { originalname: string | undefined }[] = [];
      const parser = busboy({ headers: req.headers });
      parser.on('file', (_field, file, { filename: originalname }) => {
        files.push({ originalname });
        file.resume();
      });
      parser.on('error', next).on('close', () => {
        Object.assign(req, { files });
        next();
      });
      req.pipe(parser);
    },
  ],
];

describe.each(UPLOADS)('%s', (_name, middleware) => {
  const names = connect((req: { files?: { originalname: string }[] } & IncomingMessage, res) => {
    res.end(String(req.files?.map(({ originalname }) => originalname)));
  });

  it.each<[string, Middleware[]]>([
    ['first', []],
    ['after json()', [json()]],
    ['after raw()', [raw({ type: 'multipart/form-data' })]],
  ])('reads a form %s', async (_name, before) => {
    const send = await serve(createApp().use(...before, connect(middleware), names));
    expect(await send(FORM, FORM_HEADERS)).toEqual([200, 'a.txt']);
  });
});

describe('a body whose bytes are gone fails at once, with the fix', () => {
  const hidden: Middleware = (ctx, next) => raw({ type: 'multipart/form-data' })(ctx, next);
  const readPart: Middleware = async (ctx, next) => {
    const stream = ctx.bodyStream();
    await once(stream, 'readable');
    stream.read(2);
    return next();
  };
  const readers: [string, Middleware][] = [
    ...READERS.filter(([name]) => !/toWeb|raw-body/.test(name)).map(
      ([name, read]): [string, Middleware] => [name, echo(read)],
    ),
    ...UPLOADS.map(([name, middleware]): [string, Middleware] => [name, connect(middleware)]),
    ['http-proxy-middleware', connect(createProxyMiddleware({ target: 'http://127.0.0.1:1' }))],
  ];

  it.each(
    readers.flatMap(([reader, read]) => [
      [reader, 'multipart()', multipart(), read] as const,
      [reader, 'a parser in a function', hidden, read] as const,
      [reader, 'a part of it was read', readPart, read] as const,
    ]),
  )('%s after %s', async (_reader, _name, before, read) => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(before, read);
    const send = await serve(app);
    const [status] = await send(FORM, FORM_HEADERS);
    expect([status, errors]).toEqual([
      500,
      [
        expect.objectContaining({
          code: 'BODY_ALREADY_READ',
          message: expect.stringContaining('rawBody: true'),
        }),
      ],
    ]);
  });

  it('does not fail if nothing reads it', async () => {
    const pass = connect((req, _res, next) => {
      req.on('end', () => undefined).on('close', () => undefined);
      req.resume();
      next();
    });
    const send = await serve(createApp().use(multipart(), pass, (ctx) => ctx.send('sent')));
    expect(await send(FORM, FORM_HEADERS)).toEqual([200, 'sent']);
  });
});

it('a parser after middleware that has read a part fails at once', async () => {
  const errors: unknown[] = [];
  const part = connect((req, _res, next) => {
    req.once('readable', () => {
      req.read(2);
      req.pause();
      next();
    });
  });
  const app = createApp({ onError: (error) => void errors.push(error) })
    .use(part, json())
    .post('/', ({ body }) => ({ body }));
  expect((await (await serve(app))('{"a":1}', HEADERS))[0]).toBe(500);
  expect(errors).toEqual([expect.objectContaining({ code: 'BODY_ALREADY_READ' })]);
});

it('a client that waits for 100 Continue gets it when middleware reads the body', async () => {
  const server = await listen(createApp().use(reading), 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  const sent = request(server.url, {
    method: 'POST',
    headers: { ...HEADERS, Expect: '100-continue' },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.end('{"a":1}');
  const [response] = await once(sent, 'response');
  expect(await readText(response)).toBe('{"a":1}');
});
