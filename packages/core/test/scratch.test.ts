import { it } from 'vitest';
import { Readable } from 'node:stream';
import { createApp, createRouter, errorHandler, json, listen, urlencoded } from '../src/index.js';
import { parseMediaType } from '../src/body/media-type.js';
import { connectRaw, exchange } from './support/raw.js';
import { serve } from './support/serve.js';

it('probe', async () => {
  for (const n of [4000, 8000, 16000]) {
    let t = performance.now();
    parseMediaType('application/json;charset=' + ' '.repeat(n) + 'x y');
    console.log('media', n, performance.now() - t);
  }
  for (const d of [1000, 2000, 4000, 8000, 100000]) {
    const v = JSON.parse('['.repeat(d) + ']'.repeat(d));
    try { JSON.stringify(v); console.log('ok', d); } catch (e) { console.log('deep', d, String(e)); }
  }
  const seen: string[] = [];
  const app = createApp().use(errorHandler(), json(), urlencoded(), async (ctx) => { seen.push(ctx.path); if (ctx.path !== '/sync') await null; ctx.send(ctx.path); });
  const { port } = await serve(app);
  // unread chunked body broken after answer
  const c = connectRaw(port);
  c.socket.write('POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  await c.responses(1);
  c.socket.write('zz\r\n');
  console.log('EXTRA', (await c.ended()).match(/HTTP\/1.1 \d+/g));
  console.log('EXPECT', await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
  seen.length = 0;
  console.log('AFTER REFUSAL', (await exchange(port, 'GET /a HTTP/1.1\r\n\r\nPOST /evil HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).match(/HTTP\/1.1 \d+/g), seen);
  seen.length = 0;
  const x = connectRaw(port);
  x.socket.write('POST /sync HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nabPOST /evil HTTP/1.1\r\nHost: a\r\n\r\n');
  console.log('EXPECT CONT', (await x.ended()).match(/HTTP\/1.1 \d+/g), seen);
  let t = performance.now();
  const form = 'a&'.repeat(500_000);
  const r = await exchange(port, `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`);
  console.log('FORM', r.slice(0, 20), performance.now() - t);
  console.log(await listen(createApp(), 0, { requestTimeout: 5000 }).then((s) => s.close(), String));
  console.log(await listen(createApp(), 0, { headersTimeout: 500000 }).then((s) => s.close(), String));
  // slow reader during drain
  const big = createApp().use((ctx) => ctx.send(Buffer.alloc(30_000_000)));
  const s = await listen(big, 0, { host: '127.0.0.1' });
  const k = connectRaw(s.port);
  k.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await new Promise((r) => k.socket.once('data', r));
  k.socket.pause();
  const closed = s.close();
  await new Promise((r) => setTimeout(r, 600));
  k.socket.resume();
  console.log('SLOW READER', (await k.ended()).length);
  await closed;
}, 60000);
