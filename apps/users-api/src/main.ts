import { ControllerError } from '@fairlead/controllers';
import { listen } from '@fairlead/core';
import { createUsersApp } from './app.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { describeStore, openStore } from './users/store/open.js';
import { StoreError } from './users/store/store-error.js';
import type { UserStore } from './users/store/user-store.js';

/** How long requests in flight may take to end once the service is told to stop, in milliseconds. */
const CLOSE_TIMEOUT = 10_000;

try {
  await start();
} catch (error) {
  console.error(describe(error));
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const store = openStore(config.store);
  try {
    await serve(config, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(config: Config, store: UserStore): Promise<void> {
  const app = await createUsersApp({
    store,
    includeStack: config.includeStack,
    log: (line) => console.log(line),
    onError: (error) => console.error(error),
  });
  const host = config.host === undefined ? {} : { host: config.host };
  const server = await listen(app, config.port, host).catch(async (error) => {
    await app.close();
    throw error;
  });
  console.log(`users-api listens on ${server.url}, store ${describeStore(config.store)}`);
  stopOnSignal(async () => {
    await server.close({ timeout: CLOSE_TIMEOUT });
    await app.close();
    await store.close();
  });
}

/** What a person is shown: the message alone where it says all that they need. */
function describe(error: unknown): unknown {
  if (isBindError(error)) return `users-api: ${error.message} PORT and HOST say where to listen.`;
  const isExpected =
    error instanceof ConfigError || error instanceof StoreError || error instanceof ControllerError;
  return isExpected ? `users-api: ${error.message}` : error;
}

/** Whether listen() failed: its error has that of a system call as its cause. */
function isBindError(error: unknown): error is Error {
  return error instanceof Error && error.cause instanceof Error && 'syscall' in error.cause;
}

/** Stops the service at the first SIGTERM or SIGINT, and ends the process at the second. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
