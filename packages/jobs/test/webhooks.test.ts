import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Controller, controllersPlugin, Post, UseMiddleware } from '@fairlead/controllers';
import { createApp, createRouter, json, text as textParser } from '@fairlead/core';
import { createDocument } from '@fairlead/openapi';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createJobs } from '../src/index.js';
import { isPublic } from '../src/webhook-request.js';
import {
  createWebhookSecret,
  defineWebhooks,
  type WebhookSignatureOptions,
  type WebhooksOptions,
  webhookSignature,
} from '../src/webhooks.js';
import { openNotes } from './memory-backend.js';

const SECRET = createWebhookSecret();

/** Starts an endpoint. Returns its URL. */
async function startEndpoint(
  respond: (req: IncomingMessage, res: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=abc`;
}

/** Sends a webhook to a URL, by a job that runs once. */
async function sendTo(url: string, options: Partial<WebhooksOptions> = {}, secrets = [SECRET]) {
  const { backend, added, run } = openNotes();
  const errors: unknown[] = [];
  const jobs = createJobs(backend, { onError: (error) => errors.push(error) });
  const local = { allowPrivate: true, allowHttp: true };
  const endpointOf = (one: string) => (one === 'ada' ? { url, secrets } : undefined);
  const webhooks = defineWebhooks(jobs, { endpointOf, ...local, ...options });
  await jobs.start();
  await webhooks.enqueue({ subscriber: 'ada', type: 'order.paid', data: { amount: 1.5 } });
  const failure = await run('webhooks', added[0]?.payload);
  return {
    message: failure === undefined ? undefined : String(failure.error),
    isFinal: failure?.isFinal,
    logged: errors.map((error) => String(Reflect.get(Object(error), 'cause'))),
  };
}

describe('a webhook', () => {
  it('is signed as the library of Standard Webhooks verifies it', async () => {
    const received: unknown[] = [];
    const url = await startEndpoint(async ({ headers, method, url: path }, res) => {
      const body = await text(res.req);
      received.push(method, path, headers['content-type'], headers['webhook-id']);
      received.push(new Webhook(SECRET).verify(body, headers as Record<string, string>));
      res.writeHead(204).end();
    });
    const old = createWebhookSecret();
    expect((await sendTo(url, {}, [old, SECRET])).message).toBeUndefined();
    expect(received).toEqual([
      'POST',
      '/hook?token=abc',
      'application/json',
      '7',
      {
        type: 'order.paid',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: { amount: 1.5 },
      },
    ]);
  });

  it('is sent again after an error, and no redirect is followed', async () => {
    let hits = 0;
    const url = await startEndpoint((req, res) => {
      hits += 1;
      res.writeHead(302, { Location: String(req.url) }).end();
    });
    expect(await sendTo(url)).toEqual({
      message: "Error: The endpoint of 'ada' responded with 302. Redirects are not followed.",
      isFinal: false,
      logged: [expect.not.stringContaining('token')],
    });
    expect(hits).toBe(1);
    const broken = await startEndpoint((_req, res) => void res.writeHead(500).end());
    expect(await sendTo(broken)).toMatchObject({
      message: "Error: The endpoint of 'ada' responded with 500.",
      isFinal: false,
    });
    const closed = await startEndpoint((req) => void req.destroy());
    expect(await sendTo(closed)).toMatchObject({
      message: expect.stringMatching(/^Error: The webhook to 'ada' was not delivered: Error: /),
      isFinal: false,
    });
  });

  it('is sent again after a 101, because it asks for no other protocol', async () => {
    const url = await startEndpoint((_req, { socket }) => {
      socket?.end('HTTP/1.1 101 \r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    });
    expect(await sendTo(url)).toMatchObject({
      message:
        "Error: The webhook to 'ada' was not delivered: Error: the connection was closed without a response",
      isFinal: false,
    });
  });

  it('ends with a 410, of which the application is told', async () => {
    const url = await startEndpoint((_req, res) => void res.writeHead(410).end());
    const gone: string[] = [];
    const onGone = (subscriber: string) => gone.push(subscriber);
    expect(await sendTo(url, { onGone })).toMatchObject({
      message: "UnrecoverableError: The endpoint of 'ada' responded with 410.",
      isFinal: true,
    });
    expect(gone).toEqual(['ada']);
    // It is sent again, because the application does not know it yet.
    const fails = await sendTo(url, { onGone: () => Promise.reject(new Error('no database')) });
    expect(fails).toMatchObject({ message: 'Error: no database', isFinal: false });
  });

  it('waits for a response no longer than its timeout, and for no body', async () => {
    const silent = await startEndpoint(() => undefined);
    expect((await sendTo(silent, { timeout: 50 })).message).toBe(
      "Error: The webhook to 'ada' was not delivered: The operation was aborted due to timeout",
    );
    const closed = Promise.withResolvers<void>();
    const endless = await startEndpoint((_req, res) => {
      res.write('a'.repeat(100_000));
      res.on('close', closed.resolve);
    });
    expect((await sendTo(endless)).message).toBeUndefined();
    await closed.promise;
  });

  it.each([
    ['http://127.0.0.1/', { allowHttp: false }, 'a URL of http: is not allowed'],
    ['ftp://example.com/', {}, 'a URL of ftp: is not allowed'],
    ['https://ada:secret@example.com/', {}, 'a URL with a password is not allowed'],
    ['https://127.0.0.1/', {}, 'the address 127.0.0.1 is not public'],
    ['https://2130706433/', {}, 'the address 127.0.0.1 is not public'],
    ['https://0x7f.1/', {}, 'the address 127.0.0.1 is not public'],
    ['https://[::1]/', {}, 'the address ::1 is not public'],
    ['https://[::ffff:10.0.0.1]/', {}, 'the address ::ffff:a00:1 is not public'],
    ['https://169.254.169.254/latest/meta-data', {}, 'the address 169.254.169.254 is not public'],
    ['nothing', {}, 'endpointOf() returned no valid URL'],
  ])('is not sent to %s', async (url, options, problem) => {
    const sent = await sendTo(url, { allowPrivate: false, allowHttp: true, ...options });
    expect(sent).toMatchObject({
      message: `UnrecoverableError: Cannot send a webhook to 'ada': ${problem}.`,
      isFinal: true,
    });
  });

  it('is not sent to a name of a private address', async () => {
    let hits = 0;
    const url = await startEndpoint((_req, res) => {
      hits += 1;
      res.end();
    });
    const named = url.replace('127.0.0.1', 'localhost');
    expect(await sendTo(named, { allowPrivate: false })).toMatchObject({
      message: expect.stringContaining('the host localhost has no public address'),
      isFinal: false,
    });
    expect(hits).toBe(0);
    expect((await sendTo(named)).message).toBeUndefined();
    expect(hits).toBe(1);
  });

  it('is not sent without a subscriber or valid secrets', async () => {
    const secrets = ['whsec_c2hvcnQ='];
    const sent = await sendTo('https://example.com', {}, secrets);
    expect(sent).toMatchObject({
      message: expect.stringContaining('endpointOf() returned no valid secrets'),
      isFinal: true,
      logged: [expect.not.stringContaining('c2hvcnQ')],
    });
    const { message } = await sendTo('https://example.com', { endpointOf: () => undefined });
    expect(message).toBe("UnrecoverableError: There is no subscriber 'ada' anymore.");
  });
});

it.each([
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['172.15.255.255', true],
  ['172.16.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['fd00::1', false],
  ['fe80::1%lo', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a00:1', false],
  ['2001::1', false],
  ['2001:4860:4860::8888', true],
  ['2002:a00:1::1', false],
  ['2001:db8::1', false],
])('isPublic(%s) is %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});

/** Signs a webhook by the library of Standard Webhooks. */
function signed(body: string, { secret = SECRET, at = new Date(), id = 'msg_1' } = {}) {
  const seconds = String(Math.floor(at.getTime() / 1_000));
  return {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
  };
}

const BODY = '{ "type": "paid", "amount": 1.0 }';

describe('webhookSignature()', () => {
  const verify = webhookSignature({ secrets: [createWebhookSecret(), SECRET] });

  @Controller('/class')
  class Hooks {
    @Post()
    @UseMiddleware(webhookSignature({ secrets: [SECRET] }))
    receive() {
      return 'ok';
    }
  }

  const router = createRouter()
    .use(verify)
    .post('/body', ({ body }) => body);
  const create = () => createApp({ onError: () => undefined });
  const apps = {
    'of a route': create().post('/', verify, ({ body }) => body),
    'of a router': create().route(
      '/',
      createRouter()
        .use(verify)
        .post('/', ({ body }) => body),
    ),
    'of an application': create()
      .use(verify)
      .post('/', ({ body }) => body),
    'after a parser of the application': create()
      .use(json())
      .post('/', verify, ({ body }) => body),
    'after a parser of its router': create().route(
      '/',
      createRouter()
        .use(json())
        .post('/', webhookSignature({ secrets: [SECRET] }), ({ body }) => body),
    ),
  };

  it.each(Object.entries(apps))('%s accepts what the library signs', async (_name, app) => {
    expect(warningsOf(app)).toEqual([]);
    const response = await app.request('/', signed(BODY));
    expect([response.status, await response.json()]).toEqual([200, { type: 'paid', amount: 1 }]);
  });

  it('works in a class', async () => {
    const app = create();
    const classes = createRouter();
    app.route('/', classes);
    await app.plugin(controllersPlugin({ router: classes, controllers: [Hooks] }));
    expect((await app.request('/class', signed(BODY))).status).toBe(200);
    expect((await app.request('/class', { method: 'POST' })).status).toBe(401);
  });

  it.each<[string, RequestInit]>([
    ['a changed body', { ...signed(BODY), body: BODY.replace('1.0', '1.1') }],
    ['no signature', { method: 'POST', body: '{}' }],
    ['another secret', signed(BODY, { secret: createWebhookSecret() })],
    ['an old one', signed(BODY, { at: new Date(Date.now() - 400_000) })],
    ['one of the future', signed(BODY, { at: new Date(Date.now() + 400_000) })],
    [
      'another id',
      { ...signed(BODY), headers: { ...signed(BODY).headers, 'webhook-id': 'msg_2' } },
    ],
  ])('rejects %s', async (_name, init) => {
    const response = await apps['of a route'].request('/', init);
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'INVALID_SIGNATURE' }),
    ]);
  });

  it('rejects a body that it cannot read', async () => {
    const init = signed('<paid/>');
    const headers = { ...init.headers, 'Content-Type': 'application/xml' };
    expect((await apps['of a route'].request('/', { ...init, headers })).status).toBe(415);
    const app = create()
      .use(textParser({ type: '*/*' }))
      .post('/', verify, () => 'ok');
    expect((await app.request('/', init)).status).toBe(200);
  });

  it('fails as a mistake of the application when the bytes are lost', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/',
      async (ctx, next) => {
        ctx.body = await ctx.request.json();
        return next();
      },
      verify,
      () => 'ok',
    );
    expect((await app.request('/', signed(BODY))).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'RAW_BODY_LOST' })]);
  });

  it('is the security of its routes in documents', () => {
    const { paths } = createDocument(create().route('/hooks', router), {
      info: { title: 'Hooks', version: '1' },
    });
    const { post } = JSON.parse(JSON.stringify(paths))['/hooks/body'];
    expect(post.security).toEqual([{ webhookSignature: [] }]);
    expect(Object.keys(post.responses)).toContain('401');
  });

  it('and defineWebhooks() refuse wrong options', async () => {
    const check = (options: object) =>
      expect(() => webhookSignature(options as WebhookSignatureOptions));
    check({}).toThrow('webhookSignature() needs the option secrets.');
    check({ secrets: ['whsec_c2hvcnQ='] }).toThrow('secrets of webhookSignature()');
    check({ secrets: [] }).toThrow('secrets of webhookSignature()');
    check({ secret: SECRET }).toThrow("Did you mean 'secrets'?");
    const jobs = createJobs(openNotes().backend);
    const define = (options: object) =>
      expect(() => defineWebhooks(jobs, options as WebhooksOptions));
    define({}).toThrow('defineWebhooks() needs the option endpointOf.');
    define({ endpointOf: () => undefined, timout: 1 }).toThrow("Did you mean 'timeout'?");
    define({ endpointOf: () => undefined, timeout: 86_400_000 }).toThrow(
      'timeout of defineWebhooks() must be an integer number of milliseconds from 1 to 86370000',
    );
    const webhooks = defineWebhooks(jobs, { endpointOf: () => undefined });
    const message = { subscriber: 'ada', type: '', data: 1 };
    await expect(webhooks.enqueue(message)).rejects.toThrow(
      "A webhook cannot have '' as its type.",
    );
  });
});
