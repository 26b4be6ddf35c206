import { Readable } from 'node:stream';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, sendEvents } from '../src/index.js';
import { serve } from './support/serve.js';

describe('sendEvents()', () => {
  it('sends each event, with one field per line', async () => {
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          yield { data: 'a\nb', event: 'note', id: '1', retry: 500 };
          yield { data: '' };
        })(),
      ),
    );
    const response = await app.request('/');
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(await response.text()).toBe(
      'event: note\nid: 1\nretry: 500\ndata: a\ndata: b\n\ndata: \n\n',
    );
  });

  it.each(['\n', '\r\n', '\r'])('writes a line of its own after the line end %j', async (end) => {
    const app = createApp().use((ctx) => sendEvents(ctx, Readable.from([{ data: `a${end}b` }])));
    expect(await (await app.request('/')).text()).toBe('data: a\ndata: b\n\n');
  });

  it('ends the source when the client disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          try {
            yield { data: 'first' };
            await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
          } finally {
            ended.resolve();
          }
        })(),
      ),
    );
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.once('data', () => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect(ended.promise).resolves.toBeUndefined();
  });
});
