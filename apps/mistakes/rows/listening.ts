import { createServer } from 'node:http';
import { createApp, createRouter, listen, type Server } from '@fairlead/core';
import { area } from '../src/mistake.js';

const mistake = area('Listening and closing');

const app = () => createApp().get('/', () => 'hello');
const createMyApp = async () => app();

mistake("`listen(app, '8080')`", { compiler: "'string'", startup: 'Number()' }, () =>
  listen(app(), '8080'),
);

mistake('`listen(app, Number(process.env.PORT))`, which is not set', { startup: 'NaN' }, () =>
  listen(app(), Number(process.env.PORT)),
);

mistake(
  '`listen(app, { port })`, as in Fastify',
  { compiler: 'number', startup: /an object|an integer/ },
  () => listen(app(), { port: 0 }),
);

mistake('`listen(app)` without a port', { compiler: 'arguments', startup: 'undefined' }, () =>
  listen(app()),
);

mistake(
  '`listen(app, port, { hots })`',
  { compiler: "'hots'", startup: "Did you mean 'host'?" },
  () => listen(app(), 0, { hots: '127.0.0.1' }),
);

mistake(
  "`listen(app, port, '127.0.0.1')`, as in Express",
  { compiler: '127.0.0.1', startup: 'must be an object' },
  () => listen(app(), 0, '127.0.0.1'),
);

mistake(
  '`listen(app, port, callback)`, as in Express',
  { compiler: 'no properties in common', startup: 'must be an object' },
  () => listen(app(), 0, () => console.log('listening')),
);

mistake(
  '`listen(app, port, { timeout })`, an option of `close()`',
  { compiler: "'timeout'", startup: "has no option 'timeout'" },
  () => listen(app(), 0, { timeout: 5_000 }),
);

mistake(
  "`listen(app, port, { keepAliveTimeout: '72s' })`",
  { compiler: "'string'", startup: 'keepAliveTimeout' },
  () => listen(app(), 0, { keepAliveTimeout: '72s' }),
);

mistake('`listen(app, port, { tls: {} })` without a certificate', { startup: 'key, cert' }, () =>
  listen(app(), 0, { tls: {} }),
);

mistake('`listen(app, port, { tls: true })`', { compiler: "'true'", startup: 'tls' }, () =>
  listen(app(), 0, { tls: true }),
);

mistake(
  '`listen(port, app)`, the arguments swapped',
  { compiler: 'number', startup: /createApp\(\)/ },
  () => listen(0, app()),
);

mistake('`listen(router, port)`', { compiler: "'Router", startup: /createApp\(\)/ }, () =>
  listen(
    createRouter().get('/', () => 1),
    0,
  ),
);

mistake(
  '`listen(createMyApp, port)`, the function not called',
  { compiler: 'Application', startup: /createApp\(\)/ },
  () => listen(createMyApp, 0),
);

mistake(
  '`listen(createMyApp(), port)`, the promise not awaited',
  { compiler: 'Promise', startup: /[Aa]wait/ },
  () => listen(createMyApp(), 0),
);

mistake(
  '`app.listen(port)`, as in Express',
  { compiler: "'listen'", startup: 'app(...).listen is not a function' },
  () => app().listen(0),
);

mistake('a port that is in use', { startup: 'in use' }, async () => {
  const first = await listen(app(), 0);
  try {
    return await listen(app(), first.port);
  } finally {
    await first.close({ timeout: 0 });
  }
});

mistake('a port that is in use, the promise not awaited', { startup: 'in use' }, async () => {
  const first = await listen(app(), 0);
  void listen(app(), first.port);
  return first;
});

mistake('a host that does not exist', { startup: 'host' }, () =>
  listen(app(), 0, { host: 'no-such-host.invalid' }),
);

mistake('a route after `listen`', { startup: 'before' }, async () => {
  const early = app();
  const server = await listen(early, 0);
  try {
    early.get('/late', () => 1);
    return server;
  } finally {
    await server.close({ timeout: 0 });
  }
});

mistake('middleware after the first request', { startup: 'before' }, async () => {
  const early = app();
  await early.request('/');
  return early.use(() => undefined);
});

mistake('`listen` after `app.close()`', { startup: 'clos' }, async () => {
  const closed = app();
  await closed.close();
  return listen(closed, 0);
});

mistake(
  '`createServer(app)` of node:http, as in Express',
  { compiler: 'TS2769', never: 'node accepts the object as its options.' },
  () => void createServer(app()),
);

/** A server that is closed in the wrong way. */
async function serveUntil(close: (server: Server) => Promise<void>) {
  const server = await listen(app(), 0);
  const closeTwice = () => close(server).finally(() => server.close({ timeout: 0 }));
  return { ...server, close: closeTwice };
}

mistake(
  '`server.close(callback)`, as in node',
  { compiler: 'no properties in common', close: 'must be an object' },
  () => serveUntil(async (server) => server.close(() => undefined)),
);

mistake(
  '`server.close(5_000)`',
  { compiler: 'no properties in common', close: 'must be an object' },
  () => serveUntil(async (server) => server.close(5_000)),
);

mistake(
  '`server.close({ timout })`',
  { compiler: "'timout'", close: "Did you mean 'timeout'?" },
  () => serveUntil(async (server) => server.close({ timout: 5_000 })),
);

mistake("`server.close({ timeout: '5s' })`", { compiler: "'string'", close: 'milliseconds' }, () =>
  serveUntil(async (server) => server.close({ timeout: '5s' })),
);
