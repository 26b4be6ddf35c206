import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { type Context, createApp, errorHandler, type Middleware } from '../src/index.js';
import { sender } from './support/send.js';

const hello: Middleware = (ctx) => ctx.json({ hello: 'world' });

async function getResponse(handler: Middleware, method = 'GET') {
  const send = await sender(createApp().use(errorHandler({ onError: () => undefined }), handler));
  return send(method, '/');
}

describe('a body', () => {
  it.each<[string, (ctx: Context) => void, string, string]>([
    [
      'json',
      (ctx) => ctx.json({ name: 'Zoë' }),
      'application/json; charset=utf-8',
      '{"name":"Zoë"}',
    ],
    [
      'json',
      (ctx) => ctx.json(7, (value) => `{"seven":${value}}`),
      'application/json; charset=utf-8',
      '{"seven":7}',
    ],
    ['json', (ctx) => ctx.json(null), 'application/json; charset=utf-8', 'null'],
    ['html', (ctx) => ctx.html('<p>é</p>'), 'text/html; charset=utf-8', '<p>é</p>'],
    ['send', (ctx) => ctx.send('日本'), 'text/plain; charset=utf-8', '日本'],
    ['send', (ctx) => ctx.send(''), 'text/plain; charset=utf-8', ''],
    ['send', (ctx) => ctx.send(Buffer.from('ÿ')), 'application/octet-stream', 'ÿ'],
  ])('of ctx.%s() sets its type and its length in bytes', async (_, respond, type, text) => {
    const reply = await getResponse(respond);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe(text);
    expect(reply.headers).toMatchObject({
      'content-type': type,
      'content-length': String(Buffer.byteLength(text)),
    });
  });

  it('keeps a Content-Type set by the handler, before or after', async () => {
    const before = await getResponse((ctx) => {
      ctx.set('content-type', 'application/vnd.user+json');
      ctx.json({});
    });
    const after = await getResponse((ctx) => {
      ctx.json({});
      ctx.set('content-type', 'application/vnd.user+json');
      ctx.json([]);
    });
    expect(before.headers['content-type']).toBe('application/vnd.user+json');
    expect(after.headers['content-type']).toBe('application/vnd.user+json');
  });

  it.each([undefined, null, 7, {}, [], new Map()])('of ctx.send() cannot be %o', async (body) => {
    const onError = vi.fn();
    const app = createApp({ onError }).use((ctx) => ctx.send(body as never));
    expect((await app.request('/')).status).toBe(500);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(
        /^ctx\.send\(\) received .*\. Pass text, bytes or a stream, or call ctx\.json\(value\)\.$/,
      ),
    });
  });

  it('replaces an earlier one and its type', async () => {
    const reply = await getResponse((ctx) => {
      ctx.html('<p>');
      ctx.json(1);
    });
    expect(reply.text).toBe('1');
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('that is a stream is destroyed once the stream that replaces it has closed', async () => {
    const first = new Readable({ read: () => undefined });
    const reply = await getResponse((ctx) => {
      ctx.send(first);
      ctx.send(Readable.from(['second']));
    });
    expect(reply.text).toBe('second');
    expect(first.destroyed).toBe(true);
  });

  it('of JSON is serialized immediately', async () => {
    const reply = await getResponse((ctx) => {
      const user = { name: 'Ada' };
      ctx.json(user);
      user.name = 'Bob';
    });
    expect(reply.json()).toEqual({ name: 'Ada' });
  });

  it('of JSON can use a custom serializer', async () => {
    const reply = await getResponse((ctx) => ctx.json(7n, (value) => `{"total":${value}}`));
    expect(reply.json()).toEqual({ total: 7 });
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([[undefined], [() => 1], [1n], [Symbol('a')]])('of JSON rejects %s', async (value) => {
    const errors: unknown[] = [];
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }))
      .use((ctx) => ctx.json(value));
    const send = await sender(app);
    expect((await send('GET', '/')).status).toBe(500);
    expect(errors).toEqual([expect.any(TypeError)]);
  });
});

describe('a status', () => {
  it('alone is a response', async () => {
    const reply = await getResponse((ctx) => {
      ctx.status = 202;
    });
    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(reply.headers['content-length']).toBe('0');
  });

  it('is 200 by default', async () => {
    const reply = await getResponse((ctx) => ctx.json([ctx.status, ctx.answered]));
    expect(reply.json()).toEqual([200, false]);
  });

  it.each([0, 100, 199, 600, 200.5, Number.NaN, '200'])('cannot be %j', async (status) => {
    const reply = await getResponse((ctx) => {
      expect(() => {
        ctx.status = status as number;
      }).toThrow(new RangeError(`Invalid ctx.status: ${status}. Use an integer from 200 to 599.`));
      ctx.json(ctx.status);
    });
    expect(reply.json()).toBe(200);
  });

  it.each([
    [204, undefined],
    [205, '0'],
    [304, undefined],
  ])('of %i has no body', async (status, length) => {
    const reply = await getResponse((ctx) => {
      ctx.status = status;
      ctx.set('ETag', '"1"');
      ctx.json({ large: true });
    });
    expect(reply).toMatchObject({ status, text: '' });
    expect(reply.headers.etag).toBe('"1"');
    expect(reply.headers['content-length']).toBe(length);
    expect(reply.headers).not.toHaveProperty('content-type');
    expect(reply.headers).not.toHaveProperty('transfer-encoding');
  });
});

describe('a recorded response', () => {
  it('can be changed by upstream middleware, after await next()', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        ctx.status = 203;
        ctx.set('X-Elapsed', '1');
      })
      .use((ctx) => ctx.json('response'));
    const send = await sender(app);
    const reply = await send('GET', '/');
    expect(reply).toMatchObject({ status: 203, text: '"response"' });
    expect(reply.headers['x-elapsed']).toBe('1');
  });

  it('can be replaced by upstream middleware', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        ctx.send('above');
      })
      .use((ctx) => ctx.json('below'));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('above');
  });

  it('is sent once, after the pipeline has run', async () => {
    const sent: boolean[] = [];
    const reply = await getResponse(async (ctx) => {
      ctx.json(1);
      sent.push(ctx.res.headersSent);
      await Promise.resolve();
      sent.push(ctx.res.headersSent);
      ctx.json(2);
    });
    expect(sent).toEqual([false, false]);
    expect(reply.text).toBe('2');
  });

  it('is not sent when the raw response was taken over', async () => {
    const reply = await getResponse((ctx) => {
      ctx.json('not sent');
      ctx.takeOver().writeHead(201, { 'X-Raw': '1' }).end('raw');
    });
    expect(reply).toMatchObject({ status: 201, text: 'raw' });
    expect(reply.headers['x-raw']).toBe('1');
  });

  it('reports a takeover until a body is recorded', async () => {
    const states: boolean[] = [];
    const reply = await getResponse((ctx) => {
      states.push(ctx.takenOver);
      ctx.takeOver();
      states.push(ctx.takenOver);
      ctx.json('recorded');
      states.push(ctx.takenOver);
    });
    expect(states).toEqual([false, true, false]);
    expect(reply.text).toBe('"recorded"');
  });

  it('is not sent when the raw response is written later', async () => {
    const reply = await getResponse((ctx) => {
      const res = ctx.takeOver();
      setImmediate(() => res.end('later'));
    });
    expect(reply).toMatchObject({ status: 200, text: 'later' });
  });
});

describe('a HEAD request', () => {
  it('gets the status and headers of GET, without the body', async () => {
    const handler: Middleware = (ctx) => {
      ctx.set('ETag', '"1"');
      ctx.status = 201;
      ctx.json({ name: 'Zoë' });
    };
    const [get, head] = [await getResponse(handler), await getResponse(handler, 'HEAD')];
    expect(head.text).toBe('');
    expect(head.status).toBe(get.status);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
  });
});

describe('ctx.responseBody', () => {
  it('is the last recorded body, and undefined before', async () => {
    const seen: unknown[] = [];
    const app = createApp().use((ctx) => {
      seen.push(ctx.responseBody);
      ctx.status = 201;
      seen.push(ctx.responseBody);
      ctx.send('first');
      ctx.json({ a: 1 });
      seen.push(ctx.responseBody);
    });
    await app.request('/');
    expect(seen).toEqual([undefined, undefined, '{"a":1}']);
  });
});

it('a recorded response that the raw one replaces, without an end, closes the connection with an error', async () => {
  const errors: unknown[] = [];
  const app = createApp({ onError: (error) => void errors.push(error) }).use((ctx, next) => {
    const result = next();
    ctx.res.writeHead(201);
    return result;
  }, hello);
  await expect(app.request('/')).rejects.toThrow();
  expect(errors).toEqual([
    new Error(
      'The response to GET / cannot be sent, because something has written to ctx.res. Write only to ctx.takeOver(), and in Express middleware before next(), with res.end().',
    ),
  ]);
});
