import { createApp, createRouter, type Middleware } from '@fairlead/core';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import { type Session, type SessionStore, session } from '../src/index.js';
import { createRedisStore } from '../src/redis.js';

interface Account {
  user: string;
  visits?: number;
}

const middleware = session<Account>({ keys: [] });

describe('session', () => {
  it('types ctx.state.session in later middleware and handlers', () => {
    expectTypeOf(middleware).toEqualTypeOf<Middleware<{ session: Session<Account> }>>();
    createApp()
      .use(middleware)
      .use((ctx, next) => {
        expectTypeOf(ctx.state.session).toEqualTypeOf<Session<Account>>();
        return next();
      })
      .get('/', ({ state }) => {
        expectTypeOf(state.session.get('user')).toEqualTypeOf<string | undefined>();
        expectTypeOf(state.session.get('visits')).toEqualTypeOf<number | undefined>();
        expectTypeOf(state.session.id).toEqualTypeOf<string | undefined>();
      });
  });

  it('types the session in a route', () => {
    createRouter().get('/', middleware, ({ state }) => {
      expectTypeOf(state.session).toEqualTypeOf<Session<Account>>();
    });
  });

  it('rejects other members and values', () => {
    const set = (current: Session<Account>): void => {
      current.set('user', undefined);
      // @ts-expect-error The member is a string.
      current.set('user', 7);
      // @ts-expect-error There is no such member.
      current.set('usr', 'ada');
      // @ts-expect-error There is no such member.
      current.get('usr');
    };
    expectTypeOf(set).toBeFunction();
  });

  it('accepts clients, pools, clusters and sentinels of the package redis', () => {
    const create = (): SessionStore[] => [
      createRedisStore(createClient()),
      createRedisStore(createClientPool()),
      createRedisStore(createCluster({ rootNodes: [] })),
      createRedisStore(createSentinel({ name: 'main', sentinelRootNodes: [] })),
    ];
    expectTypeOf(create).toBeFunction();
  });

  it('accepts any member without a type', () => {
    const current = session({ keys: [] });
    expectTypeOf(current).toEqualTypeOf<
      Middleware<{ session: Session<Record<string, unknown>> }>
    >();
  });
});
