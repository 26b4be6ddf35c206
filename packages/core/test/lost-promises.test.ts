import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp, HttpError, NotFoundError } from '../src/index.js';

const findNote = async () => {
  throw new NotFoundError('There is no such note.');
};

let unhandled: unknown[];
let errors: unknown[];
const listen = (reason: unknown) => void unhandled.push(reason);
const onError = (error: unknown) => void errors.push(error);

beforeEach(() => {
  unhandled = [];
  errors = [];
  process.on('unhandledRejection', listen);
});

afterEach(() => {
  process.off('unhandledRejection', listen);
});

describe('a promise in a body is a 500 that names the fix, and its rejection does not end the process', () => {
  const response = z.object({ name: z.string() });

  it.each<[string, ReturnType<typeof createApp>]>([
    ['as a member', createApp({ onError }).get('/', () => ({ data: findNote() }))],
    ['in a list', createApp({ onError }).get('/', () => [[findNote()], findNote()])],
    ['of ctx.json()', createApp({ onError }).get('/', (ctx) => ctx.json(findNote()))],
    [
      'beside others',
      createApp({ onError }).get('/', () => ({ one: findNote(), two: findNote() })),
    ],
    [
      'from toJSON(), with a schema',
      createApp({ onError }).get('/', { response: response as object }, () => ({
        toJSON: findNote,
      })),
    ],
  ])('%s', async (_where, app) => {
    const { status } = await app.request('/');
    await setImmediate();

    expect(status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('is a Promise. Await it.') }),
    ]);
    expect(unhandled).toEqual([]);
  });

  it.each<[string, ReturnType<typeof createApp>]>([
    ['beside a BigInt', createApp({ onError }).get('/', () => ({ data: findNote(), id: 1n }))],
    [
      'beside what the schema refuses',
      createApp({ onError, checkResponses: true }).get(
        '/',
        { response: response as object },
        () => ({
          name: findNote(),
        }),
      ),
    ],
    [
      'that was thrown',
      createApp({ onError }).get('/', () => {
        throw findNote();
      }),
    ],
    [
      'in the details of an error',
      createApp({ onError }).get('/', () => {
        throw new HttpError(409, 'Conflict', { details: { note: findNote() } });
      }),
    ],
    [
      'from format()',
      createApp({
        onError,
        format: async () => {
          throw new Error('format');
        },
      }).get('/', () => {
        throw new NotFoundError('There is no such note.');
      }),
    ],
  ])('also %s', async (_where, app) => {
    const { status } = await app.request('/');
    await setImmediate();

    expect(status).toBe(500);
    expect(errors).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });
});

describe('what toJSON() returns is a 500 where JSON would lose it', () => {
  it.each<[string, unknown, string]>([
    ['a promise', { toJSON: async () => ({ name: 'Ada' }) }, 'it is a Promise. Await it.'],
    [
      'a Map',
      { toJSON: () => new Map([['name', 'Ada']]) },
      'it is a Map. Convert it with Object.fromEntries().',
    ],
    [
      'a member of it',
      { user: { toJSON: () => ({ name: Promise.resolve('Ada') }) } },
      "'user.name' is a Promise. Await it.",
    ],
    [
      'of a function',
      { user: Object.assign(() => 1, { toJSON: () => new Set([1]) }) },
      "'user' is a Set. Convert it to an array.",
    ],
  ])('%s', async (_what, value, message) => {
    const { status } = await createApp({ onError })
      .get('/', () => value)
      .request('/');

    expect(status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ]);
  });

  it('but an object without content is sent', async () => {
    const value = { none: { toJSON: () => ({}) }, at: new Date(0), empty: {} };
    const response = await createApp({ onError })
      .get('/', () => value)
      .request('/');

    expect(await response.json()).toEqual({ none: {}, at: '1970-01-01T00:00:00.000Z', empty: {} });
  });
});
