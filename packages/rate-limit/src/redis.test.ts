import { expect, it } from 'vitest';
import { createRedisStore } from './redis.js';

const client = { isReady: true, eval: async () => [1, 500] };

it.each<[unknown[], string]>([
  [
    [undefined],
    'createRedisStore() cannot use undefined. Pass a client from the npm package redis.',
  ],
  [[{}], 'createRedisStore() cannot use an object. Pass a client'],
  [[client, { prefx: '' }], "createRedisStore() has no option 'prefx'. Did you mean 'prefix'?"],
  [[client, { prefix: '' }], "prefix of createRedisStore() must be a non-empty string: got ''."],
  [
    [client, { timeout: 0 }],
    'timeout of createRedisStore() must be an integer number of milliseconds from 1',
  ],
])('createRedisStore() rejects %o', (args, message) => {
  expect(() => Reflect.apply(createRedisStore, undefined, args)).toThrow(
    expect.objectContaining({
      name: 'SetupError',
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    }),
  );
});

it('a store fails while its client is not connected', async () => {
  const store = createRedisStore({ ...client, isReady: false });
  await expect(store.add('a', 1, 1)).rejects.toThrow('The Redis client is not connected.');
});

it.each([undefined, 'OK', [], [1], ['x', 1]])(
  'a store fails when Redis sends %o',
  async (reply) => {
    const store = createRedisStore({ isReady: true, eval: async () => reply });
    await expect(store.add('a', 1, 1)).rejects.toThrow('Redis did not respond with two integers.');
  },
);
