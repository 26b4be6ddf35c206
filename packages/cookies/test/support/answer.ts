import { type Context, createApp, errorHandler, type Middleware } from '@fairlead/core';

/** What a handler has made of a request. */
export interface Answered {
  readonly status: number;
  readonly setCookie: readonly string[];
  /** What `errorHandler` was told. */
  readonly errors: readonly unknown[];
  readonly text: string;
}

/**
 * Runs one handler behind `errorHandler`.
 *
 * @param cookie - The request's `Cookie` header.
 */
export async function answer(handler: Middleware, cookie = ''): Promise<Answered> {
  const errors: unknown[] = [];
  const app = createApp().use(
    errorHandler({ onError: (error) => errors.push(error) }),
    (ctx, next) => {
      ctx.send('');
      return next();
    },
    handler,
  );
  const response = await app.request('/', { headers: { Cookie: cookie } });
  return {
    status: response.status,
    setCookie: response.headers.getSetCookie(),
    errors,
    text: await response.text(),
  };
}

/** What a function reads of a request with this `Cookie` header; throws what it throws. */
export async function readWith<T>(cookie: string, read: (ctx: Context) => T): Promise<T> {
  const values: T[] = [];
  const { errors } = await answer((ctx) => values.push(read(ctx)), cookie);
  for (const error of errors) throw error;
  return values[0] as T;
}

/** The `Cookie` header of a client that keeps these `Set-Cookie` lines. */
export function toCookieHeader(lines: readonly string[]): string {
  return lines.map((line) => line.slice(0, line.search(/;|$/))).join('; ');
}
