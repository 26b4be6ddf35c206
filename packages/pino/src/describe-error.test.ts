import { describe, expect, it } from 'vitest';
import { describeError } from './describe-error.js';

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

  it('names the place and the statement by the members of other drivers, without parameters', () => {
    const fields = { severity: 'ERROR', code: '23505', routine: '_bt_check_unique' };
    const query = 'INSERT INTO users VALUES ($1)';
    const parameters = ['ada@example.com'];
    const place = { schema_name: 'public', table_name: 'users', constraint_name: 'users_email' };
    const error = Object.assign(new Error('Key (email)=(ada@example.com) exists.'), {
      ...fields,
      ...place,
      query,
      parameters,
      detail: 'Key (email)=(ada@example.com)',
    });
    const described = describeError(error, { stack: false });
    expect(described).toEqual({
      type: 'Error',
      message: 'PostgreSQL: SQLSTATE 23505, _bt_check_unique',
      code: '23505',
      schema: 'public',
      table: 'users',
      constraint: 'users_email',
      statement: query,
    });
  });

  it('keeps the message of an error with a query that is not a statement', () => {
    const error = Object.assign(new Error('No such page.'), { query: 'page=7' });
    expect(describeError(error, { stack: false })).toEqual({
      type: 'Error',
      message: 'No such page.',
    });
  });

  it('omits the stacks of an error and its causes on request', () => {
    const cause = new AggregateError([new Error('One.')], 'All.');
    expect(describeError(new Error('It failed.', { cause }), { stack: false })).toEqual({
      type: 'Error',
      message: 'It failed.',
      cause: {
        type: 'AggregateError',
        message: 'All.',
        errors: [{ type: 'Error', message: 'One.' }],
      },
    });
  });

  it('includes the error before the end of a scope with using, and the one at its end', () => {
    // What TypeScript throws where the class does not exist.
    const error = Object.assign(new Error('An error was suppressed during disposal.'), {
      name: 'SuppressedError',
      error: new Error('Closing failed.'),
      suppressed: new RangeError('Too far.'),
    });
    expect(describeError(error, { stack: false })).toEqual({
      type: 'SuppressedError',
      message: 'An error was suppressed during disposal.',
      errors: [
        { type: 'RangeError', message: 'Too far.' },
        { type: 'Error', message: 'Closing failed.' },
      ],
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
