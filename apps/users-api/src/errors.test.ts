import { ListenError, SetupError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { describeFailure } from './errors.js';
import { StoreError } from './users/store/store-error.js';

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
