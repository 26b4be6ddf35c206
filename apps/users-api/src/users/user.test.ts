import { describe, expect, it } from 'vitest';
import { createUser, updateUser } from './user.js';

const NOON = Date.UTC(2030, 0, 2, 12);
const ada = createUser({ name: 'Ada', email: 'ada@example.com' }, NOON);

describe('createUser', () => {
  it('assigns a random UUID and the same ISO time with milliseconds to both dates', () => {
    expect(ada).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      name: 'Ada',
      email: 'ada@example.com',
      createdAt: '2030-01-02T12:00:00.000Z',
      updatedAt: '2030-01-02T12:00:00.000Z',
    });
  });

  it('assigns a different id to each user', () => {
    expect(createUser(ada, NOON).id).not.toBe(ada.id);
  });

  it('returns a frozen user', () => {
    expect(Object.isFrozen(ada)).toBe(true);
  });
});

describe('updateUser', () => {
  it('replaces the given fields and refreshes updatedAt', () => {
    expect(updateUser(ada, { name: 'Ada L.' }, NOON + 5)).toEqual({
      ...ada,
      name: 'Ada L.',
      updatedAt: '2030-01-02T12:00:00.005Z',
    });
  });

  it('refreshes updatedAt even without changes', () => {
    expect(updateUser(ada, {}, NOON + 1)).toEqual({
      ...ada,
      updatedAt: '2030-01-02T12:00:00.001Z',
    });
  });

  it('accepts an empty string as a value', () => {
    expect(updateUser(ada, { email: '' }, NOON).email).toBe('');
  });

  it('keeps updatedAt when the clock has gone back', () => {
    expect(updateUser(ada, {}, NOON - 60_000).updatedAt).toBe(ada.updatedAt);
  });

  it('does not modify the given user', () => {
    updateUser(ada, { name: 'Grace' }, NOON + 1);
    expect(ada.name).toBe('Ada');
  });
});
