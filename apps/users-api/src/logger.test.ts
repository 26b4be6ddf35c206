import { HttpError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { describeError } from './logger.js';
import { StoreError } from './users/store/store-error.js';

describe('describeError', () => {
  it('includes type, message, code, frames and causes', () => {
    const cause = new RangeError('Too far.');
    const error = Object.assign(new Error('It failed.', { cause }), { code: 'E_FAILED' });
    expect(describeError(error)).toEqual({
      type: 'Error',
      message: 'It failed.',
      code: 'E_FAILED',
      stack: expect.stringMatching(/^ {4}at /),
      cause: {
        type: 'RangeError',
        message: 'Too far.',
        stack: expect.stringMatching(/^ {4}at /),
      },
    });
  });

  it('omits properties of drivers and messages of PostgreSQL, which may quote values', () => {
    const error = Object.assign(new Error('invalid input: "ada@example.com"'), {
      severity: 'ERROR',
      code: '22P02',
      routine: 'string_to_uuid',
      detail: 'Key (email)=(ada@example.com)',
      parameters: ['ada@example.com'],
    });
    const described = describeError(new Error('The store failed.', { cause: error }));
    expect(described).toMatchObject({
      cause: { message: 'PostgreSQL: SQLSTATE 22P02, string_to_uuid' },
    });
    expect(JSON.stringify(described)).not.toContain('ada@example.com');
  });

  it('describes a 503 by the store error that caused it, without stacks when it is transient', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const cause = new StoreError('STORE_UNREACHABLE', 'The store is away.', refused);
    expect(describeError(new HttpError(503, cause.message, { cause }))).toEqual({
      type: 'StoreError',
      message: 'The store is away.',
      code: 'STORE_UNREACHABLE',
      cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it('keeps a multi-line message out of the stack', () => {
    expect(describeError(new Error('one\ntwo'))).toMatchObject({
      stack: expect.not.stringContaining('two'),
    });
  });

  it('describes a value that is not an Error without repeating it', () => {
    expect(describeError('ada@example.com')).toEqual({
      type: 'string',
      message: 'thrown value is not an Error',
    });
  });

  it('stops at the maximum depth in a cycle of causes', () => {
    const error = new Error('Round and round.');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/Round/g)).toHaveLength(6);
  });

  it('includes at most five errors of an AggregateError', () => {
    const errors = Array.from({ length: 9 }, (_, index) => new Error(`${index}`));
    expect(describeError(new AggregateError(errors, 'All.'))).toMatchObject({
      errors: ['0', '1', '2', '3', '4'].map((message) => ({ message })),
    });
  });
});
