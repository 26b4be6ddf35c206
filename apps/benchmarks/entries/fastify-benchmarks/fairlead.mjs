import { createApp, listen } from '@fairlead/core';

const app = createApp().get('/', () => ({ hello: 'world' }));

const server = await listen(app, Number(process.env.PORT ?? 3000), { host: '127.0.0.1' });
console.log(`Listening on ${server.url}`);
