import {
  type Application,
  type Context,
  createApp,
  createRouter,
  intended,
  type Next,
} from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it } from 'vitest';
import { rateLimit, rateLimitGuard } from '../src/index.js';

const handler = () => 1;
const create = (points: number, name?: string) =>
  rateLimit({ points, duration: 60, ...(name !== undefined && { name }) });

describe('two limits of one route with the same name', () => {
  it('cause a warning', () => {
    const app = createApp().use(create(100)).get('/sign-in', create(5), handler);
    expect(warningsOf(app)).toEqual([
      expect.stringContaining(
        "rateLimit() has the same name 'default' as another one before it, so its headers and its state replace those of the other, for example for GET /sign-in. Pass another name, such as name: 'sign-in', or pass its result to intended().",
      ),
    ]);
  });

  it('cause a warning if one is a guard', () => {
    const guard = rateLimitGuard({ points: 5, duration: 900 });
    const app = createApp()
      .use(create(100))
      .get(
        '/',
        describeFunction(() => 1, { runs: [guard] }),
      );
    expect(warningsOf(app)).toEqual([
      expect.stringContaining("rateLimitGuard() has the same name 'default' as another one"),
    ]);
  });

  it.each<[string, () => Application]>([
    [
      'their names differ',
      () => createApp().use(create(100)).get('/', create(5, 'sign-in'), handler),
    ],
    [
      'they are for different routes',
      () => createApp().get('/a', create(100), handler).get('/b', create(5), handler),
    ],
    [
      'it is intended',
      () =>
        createApp()
          .use(create(100))
          .get('/', intended(create(5)), handler),
    ],
    [
      'it is one for two routers',
      () => {
        const one = create(5);
        const router = () => createRouter().use(one).get('/', handler);
        return createApp().route('/a', router()).route('/b', router());
      },
    ],
  ])('cause none if %s', (_, start) => {
    expect(warningsOf(start())).toEqual([]);
  });
});

it.each([rateLimit, rateLimitGuard])('refuses a cost of more points than there are', (limit) => {
  expect(() => limit({ points: 5, duration: 60, cost: 10 })).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(
        'rejects every request, because each costs 10 of 5 points. Pass a lower cost, or more points.',
      ),
    }),
  );
  expect(() => limit({ points: 5, duration: 60, cost: 5 })).not.toThrow();
});

describe('a limit before the routes of probes', () => {
  const health = () =>
    createRouter().get(
      '/live',
      describeFunction(() => 1, { forOperators: 'probes' }),
    );

  it('causes a warning, unless it may skip them', () => {
    expect(warningsOf(createApp().use(create(5)).route('/', health()))).toEqual([
      expect.stringContaining(
        'rateLimit() counts probes, which receive a 429 at the limit: GET /live. Mount its router before rateLimit(), pass skip, or pass the result of rateLimit() to intended().',
      ),
    ]);
    const skipping = rateLimit({ points: 5, duration: 60, skip: () => true });
    expect(warningsOf(createApp().use(skipping).route('/', health()))).toEqual([]);
  });
});

describe('a limit with `after`', () => {
  const signedIn = describeFunction((_: Context, next: Next) => next(), {
    role: 'middleware',
    name: 'signedIn',
  });
  const options = {
    points: 5,
    duration: 60,
    skip: ({ state }: Context) => state.user === undefined,
    after: ['signedIn', 'SignedIn'],
  };

  it('causes no warning after one of the names', () => {
    const app = createApp().use(signedIn, rateLimit(options)).get('/', handler);
    expect(warningsOf(app)).toEqual([]);
  });

  it.each<[string, () => Application]>([
    ['before them', () => createApp().use(rateLimit(options), signedIn).get('/', handler)],
    ['without them', () => createApp().use(rateLimit(options)).get('/', handler)],
  ])('causes a warning %s', (_, start) => {
    expect(warningsOf(start())).toEqual([
      expect.stringMatching(/^rateLimit\(\) reads what signedIn or SignedIn provides/),
    ]);
  });
});
