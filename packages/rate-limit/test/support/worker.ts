import { createApp, errorHandler, listen } from '@fairlead/core';
import { createClient } from 'redis';
import { rateLimit } from '../../src/index.js';
import { createRedisStore } from '../../src/redis.js';

// A process that limits over the Redis server at the socket of its first argument.
const [, , path = '', points = ''] = process.argv;
const client = createClient({ socket: { path, tls: false } });
client.on('error', () => undefined);
await client.connect();
const limit = rateLimit({
  points: Number(points),
  duration: 600,
  name: 'shared',
  store: createRedisStore(client, { timeout: 10_000 }),
});
const app = createApp().use(errorHandler(), limit, (ctx) => ctx.send('hello'));
const { url } = await listen(app, 0, { host: '127.0.0.1' });
process.send?.(url);
