import { ListenError, SetupError } from '@fairlead/core';
import { StoreError } from '@fairlead/store';
import { describe, expect, it } from 'vitest';
import { describeFailure, serializeError } from './errors.js';

/** Splits a text into its first line and the rest. */
function split(text: string): readonly string[] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), text.slice(end + 1)];
}

const LOCATION = expect.stringMatching(/^ {2}At: src\/errors\.test\.ts:\d+:\d+$/);

describe('describeFailure', () => {
  it.each([
    new StoreError('STORE_FULL', 'Free some space.'),
    new SetupError('INVALID_OPTION', 'Use another version.'),
  ])('reduces %o to its message and its location', (error) => {
    expect(split(describeFailure(error))).toEqual([`users-api: ${error.message}`, LOCATION]);
  });

  it.each([
    [80, 'PORT and HOST set the address.'],
    [81, 'OPERATIONS_PORT and HOST set the address.'],
  ])('tells which variable sets port %i', (port, hint) => {
    const error = new ListenError(port, undefined, new Error('Refused'));
    const expected = `users-api: ${error.message} ${hint}`;
    expect(split(describeFailure(error, 81))).toEqual([expected, LOCATION]);
  });

  it('refers to --help for a wrong argument', () => {
    const error = Object.assign(new TypeError('Wrong.'), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
    expect(split(describeFailure(error))).toEqual(['users-api: Wrong. See --help.', LOCATION]);
  });

  it('keeps the stack of an unexpected error', () => {
    expect(describeFailure(new TypeError('A bug.'))).toMatch(
      /^users-api: TypeError: A bug\.\n {4}at /,
    );
  });
});

describe('serializeError', () => {
  it('describes a transient error of the store without stacks', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const error = new StoreError('STORE_UNREACHABLE', 'The store is away.', refused);
    expect(serializeError(error)).toEqual({
      type: 'StoreError',
      message: 'The store is away.',
      code: 'STORE_UNREACHABLE',
      cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it.each([new Error('A bug.'), new StoreError('STORE_FAILED', 'A bug.')])(
    'describes %s with its stack',
    (error) => {
      expect(serializeError(error)).toMatchObject({ message: 'A bug.', stack: expect.any(String) });
    },
  );
});
