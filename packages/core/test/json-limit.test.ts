import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { type BodyOptions, createApp, errorHandler, json } from '../src/index.js';
import { type SendOptions, sender } from './support/send.js';
import { serve } from './support/serve.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const echo = (options?: BodyOptions) =>
  createApp()
    .use(errorHandler(), json(options))
    .use((ctx) => ctx.json(ctx.body));

async function post(limit: number | string, body: SendOptions['body'] & {}) {
  const send = await sender(echo({ limit }));
  return send('POST', '/', { body, headers: JSON_TYPE });
}

describe('the limit', () => {
  it('is 1 MiB by default', async () => {
    const send = await sender(echo());
    const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
    const within = await send('POST', '/', { headers: JSON_TYPE, body: text(1024 ** 2) });
    const past = await send('POST', '/', { headers: JSON_TYPE, body: text(1024 ** 2 + 1) });
    expect([within.status, past.status]).toEqual([200, 413]);
  });

  it.each([
    ['with Content-Length', '"1234"'],
    ['in chunks', [Buffer.from('"12'), Buffer.from('34"')]],
  ])('rejects one byte too many %s', async (_, body) => {
    const reply = await post(5, body);
    expect(reply.status).toBe(413);
    expect(reply.json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      detail: 'The body exceeds the limit of 5 bytes.',
    });
  });

  it.each([
    ['with Content-Length', '"1234"'],
    ['in chunks', [Buffer.from('"12'), Buffer.from('34"')]],
  ])('accepts a body of exactly the limit %s', async (_, body) => {
    const reply = await post('6b', body);
    expect(reply.json()).toBe('1234');
  });

  it('counts bytes, not characters', async () => {
    const reply = await post(5, '"ëëë"');
    expect(reply.status).toBe(413);
  });

  it('rejects a Content-Length past it before the body arrives', async () => {
    const { port } = await serve(echo({ limit: 5 }));
    const connection = connectRaw(port);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    connection.socket.write(`${head}Content-Length: 1000000\r\n\r\n`);
    const [response] = await connection.responses(1);
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('that is invalid makes json() throw', () => {
    expect(() => json({ limit: 'lots' })).toThrow(
      "limit of json() must be a whole number of bytes, or a string such as '64kb' or '1mb': got 'lots'.",
    );
  });
});

describe('a keep-alive connection', () => {
  const request = (body: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it.each([
    ['400', '{"a":'],
    ['413', `"${'x'.repeat(200_000)}"`],
  ])('handles the next request after a %s', async (status, refused) => {
    const { port } = await serve(echo({ limit: 100 }));
    const connection = connectRaw(port);
    connection.socket.write(request(refused));
    await connection.responses(1);
    connection.socket.write(request('"next"'));
    const [first, second] = await connection.responses(2);
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(second).toMatch(/^HTTP\/1\.1 200 .*"next"$/s);
  });

  it('handles the next request when no parser has read the body', async () => {
    const { port } = await serve(createApp().use((ctx) => ctx.send(ctx.method)));
    const connection = connectRaw(port);
    connection.socket.write(request('"unread"') + request('"unread"'));
    const responses = await connection.responses(2);
    expect(responses.map((response) => response.split('\r\n\r\n')[1])).toEqual(['POST', 'POST']);
  });
});
