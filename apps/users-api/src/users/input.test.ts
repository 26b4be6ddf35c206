import { describe, expect, it } from 'vitest';
import { readCreateInput, readUpdateInput } from './input.js';

const LIMITS = { name: 3, email: 5 };

describe('readCreateInput', () => {
  it('returns name and email and ignores other fields', () => {
    const body = { id: 'mine', name: 'Ada', email: 'a@b', createdAt: 'then', role: 'admin' };
    expect(readCreateInput(body, LIMITS)).toEqual({ name: 'Ada', email: 'a@b' });
  });

  it.each([
    undefined,
    null,
    [],
    'text',
    {},
    { name: 'Ada' },
    { email: 'a@b' },
    { name: '', email: 'a@b' },
    { name: 'Ada', email: '' },
    { name: 7, email: 'a@b' },
    { name: 'Ada', email: ['a@b'] },
  ])('rejects %j with 400', (body) => {
    expect(() => readCreateInput(body, LIMITS)).toThrow(
      expect.objectContaining({
        status: 400,
        code: 'VALIDATION_FAILED',
        message: 'name and email are required',
      }),
    );
  });

  it('replaces lone surrogates and U+0000, which not every store supports', () => {
    expect(readCreateInput({ name: 'a\ud800', email: '\0b' }, LIMITS)).toEqual({
      name: 'a\ufffd',
      email: '\ufffdb',
    });
  });

  it('lists an issue for each invalid field', () => {
    expect(() => readCreateInput({ name: 'Ada', email: 7 }, LIMITS)).toThrow(
      expect.objectContaining({
        details: { issues: [{ path: ['body', 'email'], message: 'must be a non-empty string' }] },
      }),
    );
  });
});

describe('length limits', () => {
  it.each([
    { name: 'Ada', email: 'a@b.c' },
    { name: '😀a', email: '😀😀a' },
  ])('accept %j', (body) => {
    expect(readCreateInput(body, LIMITS)).toEqual(body);
    expect(readUpdateInput(body, LIMITS)).toEqual(body);
  });

  it.each([
    ['create', readCreateInput],
    ['update', readUpdateInput],
  ])('reject longer values with 400 on %s, counting UTF-16 code units', (_, read) => {
    expect(() => read({ name: '😀😀', email: 'a@b.cd' }, LIMITS)).toThrow(
      expect.objectContaining({
        status: 400,
        code: 'VALIDATION_FAILED',
        message:
          'name must be at most 3 characters long, not 4; email must be at most 5 characters long, not 6',
        details: {
          issues: [
            { path: ['body', 'name'], message: 'must be at most 3 characters long, not 4' },
            { path: ['body', 'email'], message: 'must be at most 5 characters long, not 6' },
          ],
        },
      }),
    );
  });

  it('are checked even when another field is missing', () => {
    expect(() => readCreateInput({ name: 'Grace' }, LIMITS)).toThrow(
      expect.objectContaining({
        message: 'name and email are required',
        details: {
          issues: [
            { path: ['body', 'name'], message: 'must be at most 3 characters long, not 5' },
            { path: ['body', 'email'], message: 'must be a non-empty string' },
          ],
        },
      }),
    );
  });
});

describe('readUpdateInput', () => {
  it.each([
    [{}, {}],
    [{ name: 'Ada' }, { name: 'Ada' }],
    [{ email: '' }, { email: '' }],
    [
      { name: 'Ada', email: 'a@b', id: 'mine', updatedAt: 'then' },
      { name: 'Ada', email: 'a@b' },
    ],
  ])('returns the fields of %j as %j', (body, expected) => {
    expect(readUpdateInput(body, LIMITS)).toStrictEqual(expected);
  });

  it('replaces lone surrogates and U+0000', () => {
    expect(readUpdateInput({ name: '\udc00\0' }, LIMITS)).toStrictEqual({ name: '\ufffd\ufffd' });
  });

  it.each([undefined, null, [], 'text', 7])(
    'rejects %j, which is not an object, with 400',
    (body) => {
      expect(() => readUpdateInput(body, LIMITS)).toThrow(
        expect.objectContaining({ status: 400, message: expect.stringContaining('JSON object') }),
      );
    },
  );

  it('rejects values that are not strings with 400 and lists each field', () => {
    expect(() => readUpdateInput({ name: null, email: 7 }, LIMITS)).toThrow(
      expect.objectContaining({
        status: 400,
        code: 'VALIDATION_FAILED',
        message: 'name and email must be a string',
        details: {
          issues: [
            { path: ['body', 'name'], message: 'must be a string' },
            { path: ['body', 'email'], message: 'must be a string' },
          ],
        },
      }),
    );
  });
});
