import { defineController } from '@fairlead/controllers';
import { createApp, type Middleware } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { secured } from '@fairlead/openapi';
import { createTransactions, idempotency } from '@fairlead/transactions';
import { redisIdempotency } from '@fairlead/transactions/redis';
import { serveControllers, using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Transactions');

/** A database without a server. */
function open() {
  return createTransactions({
    client: {},
    transact: (work) => work({}),
    query: async () => [{}],
  });
}

mistake(
  '`idempotency(db)` without whose key it is',
  { compiler: 'arguments', startup: 'needs the option principal' },
  () => using(idempotency(open())),
);

/** A client of Redis without a server. */
const redis = { eval: async () => [] };

mistake(
  '`redisIdempotency(client)` without whose key it is',
  { compiler: 'arguments', startup: 'needs the option principal' },
  () => using(redisIdempotency(redis)),
);

mistake(
  '`redisIdempotency()` with keys that end before their requests',
  { startup: 'the key would end before its request' },
  () => using(redisIdempotency(redis, { principal: () => '', lifetime: 30_000 })),
);

mistake(
  '`idempotency()` before the middleware that authenticates',
  { startup: 'idempotency() runs before signIn() in POST /orders' },
  () => {
    const signIn: Middleware = (_ctx, next) => next();
    const scheme = { type: 'http', scheme: 'bearer' } as const;
    const once = idempotency(open(), { principal: () => '' });
    return createApp().post('/orders', once, secured(signIn, { name: 'bearer', scheme }), () => 1);
  },
);

mistake(
  'a POST route of a controller outside of the transactions that other routes have',
  { warning: 'add may write without a transaction' },
  () => {
    const db = open();
    class Orders {
      static readonly inject = ['db'] as const;
      constructor(readonly db: unknown) {}
    }
    const controller = defineController('/orders', {
      inject: { orders: Orders },
      routes: ({ post }) => ({
        add: post('/', () => 1),
        cancel: post('/cancel', { middleware: [db.transaction()] }, () => 1),
      }),
    });
    const container = createContainer().register('db', { useValue: db });
    return serveControllers([controller], { container });
  },
);
