import type { ServerResponse } from 'node:http';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, createRouter, errorHandler, json, type Middleware } from '../src/index.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

async function getResponse(handler: Middleware) {
  const send = await sender(createApp().use(errorHandler({ onError: () => undefined }), handler));
  return send('GET', '/');
}

describe('response headers', () => {
  it('with several values are sent as several lines', async () => {
    const reply = await getResponse((ctx) => {
      ctx.append('Set-Cookie', 'a=1');
      ctx.append('Set-Cookie', ['b=2', 'c=3']);
      ctx.send('');
    });
    expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2', 'c=3']);
  });

  it('are sent in the case in which they were set', async () => {
    const { port } = await serve(
      createApp().use((ctx) => {
        ctx.set('x-CASE', '1');
        ctx.send('');
      }),
    );
    const connection = connectRaw(port);
    connection.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await connection.responses(1)).toEqual([expect.stringContaining('\r\nx-CASE: 1\r\n')]);
  });

  it('cannot override the length or framing of the body', async () => {
    const reply = await getResponse((ctx) => {
      ctx.set('Content-Length', 99);
      ctx.set('Transfer-Encoding', 'chunked');
      ctx.send('four');
    });
    expect(reply.text).toBe('four');
    expect(reply.headers['content-length']).toBe('4');
    expect(reply.headers).not.toHaveProperty('transfer-encoding');
  });

  it('that contain CR or LF are rejected and not sent', async () => {
    const app = createApp()
      .use(errorHandler({ onError: () => undefined }), json())
      .use((ctx) => {
        ctx.set('X-Name', String(ctx.body));
        ctx.send('');
      });
    const send = await sender(app);
    const headers = { 'Content-Type': 'application/json' };
    const reply = await send('POST', '/', { headers, body: '"a\\r\\nSet-Cookie: b=1"' });
    expect(reply.status).toBe(500);
    expect(reply.headers).not.toHaveProperty('set-cookie');
    expect(reply.headers).not.toHaveProperty('x-name');
  });
});

describe('ctx.redirect()', () => {
  it.each([
    [undefined, 302],
    [301, 301],
    [308, 308],
  ])('with the status %s sends %i, Location and an empty body', async (status, sent) => {
    const reply = await getResponse((ctx) => ctx.redirect('/users/7?a=b', status));
    expect(reply).toMatchObject({ status: sent, text: '' });
    expect(reply.headers.location).toBe('/users/7?a=b');
    expect(reply.headers['content-length']).toBe('0');
    expect(reply.headers).not.toHaveProperty('content-type');
  });

  it.each([
    [200, 302],
    [201, 302],
    [299, 302],
    [300, 300],
    [303, 303],
    [399, 399],
    [400, 302],
  ])('for a route with the status %i sends %i by default', async (status, sent) => {
    const router = createRouter()
      .get('/', { status }, (ctx) => ctx.redirect('/a'))
      .get('/given', { status }, (ctx) => ctx.redirect('/a', 307));
    const send = await sender(createApp().use(errorHandler()).route('/', router));
    expect(await send('GET', '/')).toMatchObject({ status: sent, text: '' });
    expect((await send('GET', '/given')).status).toBe(307);
  });

  it('percent-encodes the target', async () => {
    const reply = await getResponse((ctx) => ctx.redirect('/日本?a=%20 b'));
    expect(reply.headers.location).toBe('/%E6%97%A5%E6%9C%AC?a=%20%20b');
  });

  it('removes an earlier body', async () => {
    const reply = await getResponse((ctx) => {
      ctx.json({});
      ctx.redirect('/');
    });
    expect(reply.text).toBe('');
    expect(reply.headers).not.toHaveProperty('content-type');
  });

  it.each(['/a\r\nSet-Cookie: b=1', '/a\nb', '/a\0b'])('rejects the target %j', async (url) => {
    const reply = await getResponse((ctx) => ctx.redirect(url));
    expect(reply.status).toBe(500);
    expect(reply.headers).not.toHaveProperty('location');
    expect(reply.headers).not.toHaveProperty('set-cookie');
  });

  it.each([200, 299, 400, 301.5])('rejects the status %d', async (status) => {
    const reply = await getResponse((ctx) => {
      expect(() => ctx.redirect('/', status)).toThrow(
        new RangeError(`Invalid redirect status: ${status}. Use an integer from 300 to 399.`),
      );
      ctx.json(ctx.responseHeaders.has('Location'));
    });
    expect(reply.json()).toBe(false);
  });
});

describe('a response whose methods are replaced', () => {
  /** Responds with JSON after middleware has changed the raw response. */
  const getWrapped = (wrap: (res: ServerResponse) => void) =>
    getResponse((ctx) => {
      wrap(ctx.res);
      ctx.status = 201;
      ctx.append('Set-Cookie', ['a=1', 'b=2']);
      ctx.json({ a: 1 });
    });

  it('passes each header to setHeader', async () => {
    const names: string[] = [];
    const reply = await getWrapped((res) => {
      const { setHeader } = res;
      res.setHeader = (name, value) => {
        names.push(name);
        return setHeader.call(res, name.replace('Set-Cookie', 'X-Cookie'), value);
      };
    });
    expect(names).toEqual(['Set-Cookie', 'Content-Type', 'Content-Length']);
    expect(reply.headers).toMatchObject({ 'x-cookie': 'a=1, b=2' });
  });

  it('shows its status and headers to writeHead', async () => {
    const reply = await getWrapped((res) => {
      const { writeHead } = res;
      res.writeHead = ((status: number, ...headers: unknown[]) => {
        res.setHeader('X-Seen', `${status}, ${headers.length}, ${res.getHeader('set-cookie')}`);
        return writeHead.call(res, status);
      }) as typeof writeHead;
    });
    expect(reply.status).toBe(201);
    expect(reply.headers['x-seen']).toBe('201, 0, a=1,b=2');
  });

  it('lets end change its headers', async () => {
    const reply = await getWrapped((res) => {
      const { end } = res;
      res.end = ((...args: Parameters<typeof end>) => {
        res.setHeader('X-Ended', String(res.headersSent));
        return end.apply(res, args);
      }) as typeof end;
    });
    expect(reply.headers).toMatchObject({ 'x-ended': 'false', 'set-cookie': ['a=1', 'b=2'] });
    expect(reply.json()).toEqual({ a: 1 });
  });
});
