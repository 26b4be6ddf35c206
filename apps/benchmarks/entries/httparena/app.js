import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createApp, listen, text } from '@fairlead/core';
import { compression } from '@fairlead/middleware';
import { serveStatic } from '@fairlead/static';

const { DATA = '/data', PORT = '8080', WORKERS = String(availableParallelism()) } = process.env;

if (cluster.isPrimary && WORKERS !== '1') {
  for (let worker = 0; worker < Number(WORKERS); worker += 1) cluster.fork();
} else {
  const items = JSON.parse(readFileSync(join(DATA, 'dataset.json'), 'utf8'));

  const sendText = (ctx, body) => {
    ctx.set('Content-Type', 'text/plain');
    ctx.send(body);
  };
  const sum = (ctx) => {
    const { a = '0', b = '0' } = ctx.query;
    sendText(ctx, String(Number(a) + Number(b) + Number(ctx.body ?? 0)));
  };

  const app = createApp()
    .get('/baseline11', sum)
    .post('/baseline11', text(), sum)
    .get('/pipeline', (ctx) => sendText(ctx, 'ok'))
    .get('/json/:count', compression(), ({ params, query }) => {
      const multiplier = Number(query.m ?? 1);
      const selected = items.slice(0, Number(params.count));
      return {
        items: selected.map((item) => ({
          ...item,
          total: item.price * item.quantity * multiplier,
        })),
        count: selected.length,
      };
    })
    .post('/upload', async (ctx) => {
      let size = 0;
      for await (const chunk of ctx.bodyStream()) size += chunk.length;
      sendText(ctx, String(size));
    })
    .use('/static', serveStatic(join(DATA, 'static'), { precompressed: true }));

  const server = await listen(app, Number(PORT));
  console.log(`Listening on ${server.url}`);
}
