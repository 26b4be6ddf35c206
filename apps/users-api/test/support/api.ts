import { listen } from '@fairlead/core';
import { createLogger } from '@fairlead/pino';
import { afterAll, inject, onTestFinished } from 'vitest';
import { createUsersApp, type UsersAppOptions } from '../../src/app.js';
import { Config } from '../../src/config.js';
import type { User } from '../../src/users/user.js';
import { STORE_NAMES, STORES } from './stores.js';
import type { AtEnd } from './temporary-folder.js';

/** Where each variant of the API is mounted. */
const MOUNTS = {
  functional: '/api/users',
  class: '/api/v1/users',
  value: '/api/v2/users',
} as const;

declare module 'vitest' {
  interface ProvidedContext {
    /** The variants of the API in this run. A store can't tell them apart, so the gate runs each over one store. */
    variants: readonly (keyof typeof MOUNTS)[];
  }
}

/** Every variant of this run over every store of this run, for `describe.each`. */
export const APIS = inject('variants').flatMap((variant) =>
  STORE_NAMES.map((store) => ({ variant, store, mount: MOUNTS[variant] })),
);

/** Every variant over one store: which store there is changes nothing in the format of responses. */
export const WIRE_APIS = APIS.filter(({ store }) => store === STORE_NAMES[0]);

/** Name and email that a create accepts. */
export const ADA = { name: 'Ada', email: 'ada@example.com' };

/** A client of one mount of a running service. */
export interface Api {
  /** Sends a request to a path below the mount; `''` is the collection. */
  send(method: string, path?: string, init?: RequestInit): Promise<Response>;
  /** Sends a value as JSON. */
  sendJson(method: string, path: string, value: unknown): Promise<Response>;
  /** Creates a user and returns it. */
  create(input?: { name: string; email: string }): Promise<User>;
}

/** Options of {@link createApps}. */
export interface TestOptions extends Partial<Omit<UsersAppOptions, 'config'>> {
  readonly config?: Partial<Config>;
}

/** Builds an application for the running test: by default in memory, without a log, metrics and stacks. */
export async function createApps(
  options: TestOptions = {},
  atEnd: AtEnd = onTestFinished,
): ReturnType<typeof createUsersApp> {
  const defaults = { ...new Config({ METRICS: 'off' }), includeStack: false };
  const config = { ...defaults, ...options.config };
  const { store = await STORES.memory(Date.now, atEnd) } = options;
  const logger = createLogger({ level: 'silent' });
  const apps = await createUsersApp({ logger, ...options, config, store });
  atEnd(() => apps.app.close());
  return apps;
}

/** Starts a service on a free port for the running test; it is stopped when the test ends. */
export async function startService(
  options: TestOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const { app } = await createApps(options, atEnd);
  const server = await listen(app, 0, { host: '127.0.0.1' });
  atEnd(() => server.close({ timeout: 0 }));
  return server.url;
}

/** Starts a service over a new store and returns a client of one of its mounts. */
export async function openApi(
  { store, mount }: (typeof APIS)[number],
  atEnd: AtEnd = onTestFinished,
): Promise<Api> {
  const service = await startService({ store: await STORES[store](Date.now, atEnd) }, atEnd);
  return clientOf(`${service}${mount}`);
}

/**
 * Starts a service over a new store for all tests of the suite that calls this.
 *
 * @returns Gives the client of one of its mounts to a test, whose store need not be empty.
 */
export function shareApi(which: (typeof APIS)[number]): () => Promise<Api> {
  const cleanUps: (() => void | Promise<void>)[] = [];
  let api: Promise<Api> | undefined;
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });
  return () => {
    api ??= openApi(which, (cleanUp) => void cleanUps.push(cleanUp));
    return api;
  };
}

/** Reads a response's body as the JSON that the test expects it to be. */
export async function bodyOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** Makes a client of the mount at this URL. */
export function clientOf(mount: string): Api {
  const send: Api['send'] = (method, path = '', init = {}) =>
    fetch(`${mount}${path}`, { ...init, method });
  const sendJson: Api['sendJson'] = (method, path, value) =>
    send(method, path, {
      body: JSON.stringify(value),
      headers: { 'content-type': 'application/json' },
    });
  return {
    send,
    sendJson,
    async create(input = ADA) {
      return (await bodyOf<{ data: User }>(await sendJson('POST', '', input))).data;
    },
  };
}
