import { type Context, createApp, errorHandler, type Middleware } from '@fairlead/core';

/** The response of a handler, and the errors that `errorHandler` reported. */
export interface HandlerResult {
  readonly status: number;
  readonly setCookie: readonly string[];
  readonly errors: readonly unknown[];
  readonly text: string;
}

/**
 * Runs a handler behind `errorHandler`.
 *
 * @param cookie - The request's `Cookie` header.
 */
export async function runHandler(handler: Middleware, cookie = ''): Promise<HandlerResult> {
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

/** Returns the result of a function for a request with this `Cookie` header, or throws its error. */
export async function readWith<T>(cookie: string, read: (ctx: Context) => T): Promise<T> {
  const values: T[] = [];
  const { errors } = await runHandler((ctx) => values.push(read(ctx)), cookie);
  for (const error of errors) throw error;
  return values[0] as T;
}

/** Returns the `Cookie` header of a client that received these `Set-Cookie` lines. */
export function toCookieHeader(lines: readonly string[]): string {
  return lines.map((line) => line.slice(0, line.search(/;|$/))).join('; ');
}
