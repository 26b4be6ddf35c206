import { ControllerError } from '@fairlead/controllers';
import { ListenError } from '@fairlead/core';
import { ArgumentError } from './arguments.js';
import { WorkerStartError } from './cluster/worker-process.js';
import { ConfigError } from './config/config-error.js';
import { StoreError } from './users/store/store-error.js';

const EXPECTED = [
  ArgumentError,
  ConfigError,
  ControllerError,
  StoreError,
  WorkerStartError,
] as const;

/**
 * What a person is shown of an error that ended the program: the message alone where it says all
 * that they need.
 */
export function describeFailure(error: unknown): unknown {
  if (isExpected(error)) return `users-api: ${error.message}`;
  if (error instanceof ListenError)
    return `users-api: ${error.message} PORT and HOST say where to listen.`;
  return error;
}

function isExpected(error: unknown): error is Error {
  return EXPECTED.some((type) => error instanceof type);
}
