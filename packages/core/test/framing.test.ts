import { exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp } from '../src/index.js';
import { serve } from './support/serve.js';

describe('a Content-Length that a handler sets', () => {
  it.each([204, 304])('is not sent with %i', async (status) => {
    const app = createApp().use((ctx) => {
      ctx.status = status;
      ctx.set('Content-Length', 5);
    });
    const { port } = await serve(app);
    const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).not.toMatch(/^content-length:/im);
    expect(text).toMatch(/\r\n\r\n$/);
  });

  it('is 0 with 205, even if the handler set another', async () => {
    const app = createApp().use((ctx) => {
      ctx.status = 205;
      ctx.set('Content-Length', 5);
    });
    const { port } = await serve(app);
    const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(text.match(/^content-length: .*$/gim)).toEqual(['Content-Length: 0']);
  });
});
