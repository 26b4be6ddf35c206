import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { type Application, createApp, errorHandler, json } from '../src/index.js';
import { serve } from './support/serve.js';

/** Sends headers with `Expect: 100-continue`, and the body only after `100 Continue`. */
async function expectContinue(app: Application, body: string) {
  const { port } = await serve(app);
  const outgoing = request({
    port,
    method: 'POST',
    headers: {
      Expect: '100-continue',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    },
  });
  let wasAsked = false;
  outgoing.once('continue', () => {
    wasAsked = true;
    outgoing.end(body);
  });
  outgoing.flushHeaders();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = await incoming.toArray();
  outgoing.destroy();
  return {
    wasAsked,
    status: incoming.statusCode,
    connection: incoming.headers.connection,
    text: Buffer.concat(chunks).toString(),
  };
}

describe('a client that expects 100 Continue', () => {
  it('receives it when a parser reads the body', async () => {
    const app = createApp().use(json(), (ctx) => ctx.json(ctx.body));
    expect(await expectContinue(app, '{"a":1}')).toEqual({
      wasAsked: true,
      status: 200,
      connection: 'keep-alive',
      text: '{"a":1}',
    });
  });

  it('receives it from ctx.bodyStream()', async () => {
    const app = createApp().use(async (ctx) => {
      const chunks: Buffer[] = await ctx.bodyStream().toArray();
      ctx.send(Buffer.concat(chunks));
    });
    expect(await expectContinue(app, 'text')).toMatchObject({ wasAsked: true, text: 'text' });
  });

  it('does not receive it for a body that is too large', async () => {
    const app = createApp().use(errorHandler(), json({ limit: 5 }));
    expect(await expectContinue(app, '{"a":1}')).toMatchObject({
      wasAsked: false,
      status: 413,
      connection: 'close',
    });
  });

  it('does not receive it after the head of the response', async () => {
    const app = createApp().use(async (ctx) => {
      const res = ctx.takeOver();
      res.writeHead(200, { Connection: 'close' }).flushHeaders();
      res.end(Buffer.concat(await ctx.bodyStream().toArray()));
    });
    const { socket, ended } = connectRaw((await serve(app)).port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n');
    await once(socket, 'data');
    socket.write('abc');
    const response = await ended();
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*abc/);
    expect(response).not.toContain('100 Continue');
  });

  it('does not receive it for an unread body, and the connection closes', async () => {
    const app = createApp().use((ctx) => ctx.send('no need'));
    expect(await expectContinue(app, '{"a":1}')).toEqual({
      wasAsked: false,
      status: 200,
      connection: 'close',
      text: 'no need',
    });
  });
});
