import { createApp, listen } from '@fairlead/core';

const app = createApp()
  .get('/', (ctx) => ctx.send(''))
  .get('/user/:id', (ctx) => ctx.send(ctx.params.id))
  .post('/user', (ctx) => ctx.send(''));

const server = await listen(app, Number(process.env.PORT ?? 3000));
console.log(`Listening on ${server.url}`);
