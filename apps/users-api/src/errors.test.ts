import { HttpError, ListenError, SetupError } from '@fairlead/core';
import { StoreError } from '@fairlead/store';
import { describe, expect, it } from 'vitest';
import { describeFailure, serializeError } from './errors.js';

describe('describeFailure', () => {
  it.each([
    new StoreError('STORE_FULL', 'Free some space.'),
    new SetupError('REUSE_PORT_UNSUPPORTED', 'Use another version.'),
  ])('reduces %o to its message', (error) => {
    expect(describeFailure(error)).toBe(`users-api: ${error.message}`);
  });

  it.each([
    [80, 'PORT and HOST set the address.'],
    [81, 'OPERATIONS_PORT and HOST set the address.'],
  ])('tells which variable sets port %i', (port, hint) => {
    const error = new ListenError(port, undefined, new Error('Refused'));
    expect(describeFailure(error, 81)).toBe(`users-api: ${error.message} ${hint}`);
  });

  it('keeps the stack of an unexpected error', () => {
    expect(describeFailure(new TypeError('A bug.'))).toMatch(/^TypeError: A bug\.\n {4}at /);
  });
});

describe('serializeError', () => {
  it('describes a 503 by the store error that caused it, without stacks when it is transient', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const cause = new StoreError('STORE_UNREACHABLE', 'The store is away.', refused);
    expect(serializeError(new HttpError(503, cause.message, { cause }))).toEqual({
      type: 'StoreError',
      message: 'The store is away.',
      code: 'STORE_UNREACHABLE',
      cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it('describes any other error with its stack', () => {
    const described = { type: 'Error', message: 'A bug.', stack: expect.any(String) };
    expect(serializeError(new Error('A bug.'))).toEqual(described);
  });
});
