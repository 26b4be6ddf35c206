import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp, type HttpError, intended, type Middleware } from '@fairlead/core';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import {
  type CompressionOptions,
  CookieKeysError,
  type CookieOptions,
  type CsrfOptions,
  type CsrfTokenOptions,
  compression,
  createHealth,
  csrf,
  csrfTokens,
  type HealthOptions,
  type RequestIdOptions,
  type RequestLoggerOptions,
  requireMatch,
  setCookie,
  signedCookies,
  timeout,
} from '../src/index.js';
import { type OverloadOptions, overload } from '../src/overload.js';
import { runHandler } from './support/run-handler.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

const compressionOptions: Readonly<Record<keyof CompressionOptions, true>> = {
  threshold: true,
  encodings: true,
  levels: true,
  types: true,
  skip: true,
};
const cookieOptions: Readonly<Record<keyof CookieOptions, true>> = {
  maxAge: true,
  expires: true,
  domain: true,
  path: true,
  httpOnly: true,
  secure: true,
  sameSite: true,
  partitioned: true,
};
const csrfOptions: Readonly<Record<keyof CsrfOptions, true>> = {
  origins: true,
  tokens: true,
  withoutCredentials: true,
  skip: true,
};
const tokenOptions: Readonly<Record<keyof CsrfTokenOptions, true>> = {
  keys: true,
  session: true,
  header: true,
  field: true,
  name: true,
  secure: true,
};
const healthOptions: Readonly<Record<keyof HealthOptions, true>> = {
  checks: true,
  timeout: true,
  stopping: true,
  live: true,
  ready: true,
  interval: true,
  onChange: true,
  logger: true,
};
const overloadOptions: Readonly<Record<keyof OverloadOptions, true>> = {
  limit: true,
  wait: true,
  priority: true,
  skip: true,
  name: true,
};
const requestLoggerOptions: Readonly<Record<keyof RequestLoggerOptions, true>> = {
  logger: true,
  now: true,
  skip: true,
  serverTiming: true,
};
const requestIdOptions: Readonly<Record<keyof RequestIdOptions, true>> = {
  header: true,
  trust: true,
  create: true,
};

it.each([
  ['Compress responses', [compressionOptions]],
  ['Read and set cookies', [cookieOptions]],
  ['Reject requests from other sites', [csrfOptions, tokenOptions]],
  ['Report health', [healthOptions]],
  ['Stay responsive when overloaded', [overloadOptions]],
  ['Log requests', [requestLoggerOptions]],
  ['Identify requests', [requestIdOptions]],
])("the README's tables list every option: %s", (title, options) => {
  const section = readme.split('\n## ').find((text) => text.startsWith(`${title}\n`)) ?? '';
  const listed = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(options.flatMap(Object.keys));
});

it('docs/errors.md lists every error with its code, its status and whether it has a cause', async () => {
  const errors = [
    caught(() => compression({ threshold: -1 })),
    ...(await cookieErrors()),
    ...(await csrfErrors()),
    ...(await healthErrors()),
    ...(await matchErrors()),
    ...(await timeoutErrors()),
    ...(await overloadErrors()),
  ];
  expect(errors.filter((error) => error instanceof CookieKeysError)).toHaveLength(1);

  const rows = errorsOf('middleware').matchAll(
    /^\| `(\w+Error)` +\| `([<>A-Z_]+)` +\| (\d*) *\| (.*) \|$/gm,
  );
  expect(
    [...rows].map(([, name, code, status, cause = '']) => [
      name,
      code,
      status,
      cause.includes('has `cause`'),
    ]),
  ).toEqual(
    errors.map(({ name, code, status = '', cause }) => [
      name,
      code.replace('STORE', '<NAME>'),
      String(status),
      cause !== undefined,
    ]),
  );
});

/** Returns the errors of response cookies and of their keys. */
async function cookieErrors(): Promise<HttpError[]> {
  const failing: [string, string, CookieOptions][] = [
    ['', '', {}],
    ['a', '\n', {}],
    ['a', '', { path: '' }],
    ['__Host-a', '', {}],
    ['a', 'x'.repeat(5_000), {}],
  ];
  const errors: HttpError[] = [];
  await runHandler((ctx) => {
    errors.push(...failing.map((cookie) => caught(() => setCookie(ctx, ...cookie))));
  });
  return [...errors, caught(() => signedCookies([]))];
}

/** Returns the errors of rejected requests, and of an invalid option. */
async function csrfErrors(): Promise<HttpError[]> {
  const tokens = csrfTokens({ keys: ['k'.repeat(32)], session: () => undefined });
  const post = { method: 'POST', headers: { Cookie: 'session=1' } };
  return [await errorOf(csrf(), post), await errorOf(csrf({ tokens }), post)];
}

/** Returns the errors of a service that is stopping, and of one whose check fails. */
async function healthErrors(): Promise<HttpError[]> {
  const stopping = AbortSignal.abort();
  const checks = { store: () => false };
  return Promise.all(
    [createHealth({ stopping }), createHealth({ checks, onChange: () => undefined })].map(
      (health) => {
        const errors: HttpError[] = [];
        const app = createApp().use(keepErrors(errors)).route('/', health);
        return app.request('/health/ready').then(() => errors[0] as HttpError);
      },
    ),
  );
}

/** Returns the errors of a request with an old tag, and of one without a tag. */
async function matchErrors(): Promise<HttpError[]> {
  const check: Middleware = (ctx) => requireMatch(ctx, '"7"', { required: true });
  return [await errorOf(check, { headers: { 'If-Match': '"6"' } }), await errorOf(check, {})];
}

/** Returns the errors of requests that take too long. */
async function timeoutErrors(): Promise<HttpError[]> {
  const errors: HttpError[] = [];
  for (const status of [503, 504] as const) {
    const app = createApp().use(keepErrors(errors), intended(timeout(1, { status })));
    await app.use(() => new Promise(() => undefined)).request('/');
  }
  return errors;
}

/** Returns the errors of requests that may not run. */
async function overloadErrors(): Promise<HttpError[]> {
  const errors: HttpError[] = [];
  for (const priority of [() => 'low', () => 'urgent']) {
    const limit = Reflect.apply(overload, undefined, [{ limit: 1, wait: 0, priority }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const app = createApp().use(keepErrors(errors), limit, () => promise);
    const running = app.request('/');
    await app.request('/');
    resolve();
    await running;
  }
  return errors;
}

/** Returns the error that middleware throws for a request. */
async function errorOf(middleware: Middleware, init: RequestInit): Promise<HttpError> {
  const errors: HttpError[] = [];
  await createApp().use(keepErrors(errors), middleware).request('/', init);
  return errors[0] as HttpError;
}

/** Keeps what the next middleware throws. */
function keepErrors(errors: HttpError[]): Middleware {
  return async (ctx, next) => {
    ctx.send('');
    try {
      await next();
    } catch (error) {
      errors.push(error as HttpError);
    }
  };
}

/** Returns the error that a call throws. */
function caught(call: () => unknown): HttpError {
  try {
    call();
  } catch (error) {
    return error as HttpError;
  }
  throw new TypeError('The call did not throw.');
}
