import { describe, expect, it } from 'vitest';
import { createUser, updateUser } from './user.js';

const NOON = Date.UTC(2030, 0, 2, 12);
const ada = createUser({ name: 'Ada', email: 'ada@example.com' }, NOON);

describe('createUser', () => {
  it('gives a random UUID and one ISO time with milliseconds for both dates', () => {
    expect(ada).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      name: 'Ada',
      email: 'ada@example.com',
      createdAt: '2030-01-02T12:00:00.000Z',
      updatedAt: '2030-01-02T12:00:00.000Z',
    });
  });

  it('gives each user another id', () => {
    expect(createUser(ada, NOON).id).not.toBe(ada.id);
  });

  it('returns a frozen user', () => {
    expect(Object.isFrozen(ada)).toBe(true);
  });
});

describe('updateUser', () => {
  it('replaces the fields that are supplied and refreshes updatedAt', () => {
    expect(updateUser(ada, { name: 'Ada L.' }, NOON + 5)).toEqual({
      ...ada,
      name: 'Ada L.',
      updatedAt: '2030-01-02T12:00:00.005Z',
    });
  });

  it('refreshes updatedAt without any change', () => {
    expect(updateUser(ada, {}, NOON + 1)).toEqual({
      ...ada,
      updatedAt: '2030-01-02T12:00:00.001Z',
    });
  });

  it('takes an empty string for a value', () => {
    expect(updateUser(ada, { email: '' }, NOON).email).toBe('');
  });

  it('keeps updatedAt when the clock went back', () => {
    expect(updateUser(ada, {}, NOON - 60_000).updatedAt).toBe(ada.updatedAt);
  });

  it('leaves the user that it was given as it was', () => {
    updateUser(ada, { name: 'Grace' }, NOON + 1);
    expect(ada.name).toBe('Ada');
  });
});
