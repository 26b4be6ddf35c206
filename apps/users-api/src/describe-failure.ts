import { inspect } from 'node:util';
import { ControllerError } from '@fairlead/controllers';
import { ListenError } from '@fairlead/core';
import { ArgumentError } from './arguments.js';
import { ConfigError } from './config/config.js';
import { StoreError } from './users/store/store-error.js';

const EXPECTED = [ArgumentError, ConfigError, ControllerError, StoreError] as const;

/**
 * Formats an error that ends the program. Expected errors are reduced to their message, which
 * explains how to fix them. Any other error has its stack.
 */
export function describeFailure(error: unknown): string {
  if (isExpected(error)) return `users-api: ${error.message}`;
  if (error instanceof ListenError)
    return `users-api: ${error.message} PORT and HOST set the address.`;
  return inspect(error);
}

function isExpected(error: unknown): error is Error {
  return EXPECTED.some((type) => error instanceof type);
}
