import type { Context } from '../context/context.js';
import { SetupError } from '../errors/setup-error.js';
import type { Middleware } from '../pipeline/middleware.js';

/** Options of {@link cors}. */
export interface CorsOptions {
  /**
   * Origins that may read answers: `'*'` for every one (the default), a list, or a function that
   * decides. An origin is scheme, host and port, such as `https://app.example.com`.
   */
  readonly origin?: '*' | readonly string[] | ((origin: string, ctx: Context) => boolean);
  /** Whether requests may carry cookies and credentials; default false, and never with `'*'`. */
  readonly credentials?: boolean;
  /** Methods that a preflight allows; GET, HEAD, PUT, PATCH, POST and DELETE by default. */
  readonly methods?: readonly string[];
  /** Request headers that a preflight allows; by default those that it asks for. */
  readonly allowedHeaders?: readonly string[];
  /** Response headers that a page may read beside the safe ones; none by default. */
  readonly exposedHeaders?: readonly string[];
  /** Seconds for which a browser may keep a preflight's answer; the browser's own choice by default. */
  readonly maxAge?: number;
}

/**
 * Lets pages of other origins read answers, errors included, and answers preflights with 204.
 *
 * @throws {SetupError} `INVALID_CORS`, when credentials are allowed for every origin.
 * @see Fetch Standard §3.3 (CORS protocol)
 */
export function cors(options: CorsOptions = {}): Middleware {
  const { origin = '*', credentials = false, exposedHeaders = [] } = options;
  if (origin === '*' && credentials) {
    throw new SetupError(
      'INVALID_CORS',
      "cors() cannot allow credentials for every origin: list the origins in place of '*'.",
    );
  }
  return function cors(ctx, next) {
    const requested = ctx.get('Origin');
    if (origin !== '*') ctx.append('Vary', 'Origin');
    const isPreflight =
      ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== undefined;
    if (requested === undefined || !isAllowed(origin, requested, ctx)) return next();
    ctx.set('Access-Control-Allow-Origin', origin === '*' ? '*' : requested);
    if (credentials) ctx.set('Access-Control-Allow-Credentials', 'true');
    if (isPreflight) return answerPreflight(ctx, options);
    if (exposedHeaders.length > 0) {
      ctx.set('Access-Control-Expose-Headers', exposedHeaders.join(', '));
    }
    return next();
  };
}

function isAllowed(
  allowed: NonNullable<CorsOptions['origin']>,
  origin: string,
  ctx: Context,
): boolean {
  if (typeof allowed === 'function') return allowed(origin, ctx);
  return allowed === '*' || allowed.includes(origin);
}

function answerPreflight(ctx: Context, options: CorsOptions): void {
  const { methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'], maxAge } = options;
  const headers =
    options.allowedHeaders?.join(', ') ?? ctx.get('Access-Control-Request-Headers') ?? '';
  ctx.set('Access-Control-Allow-Methods', methods.join(', '));
  if (headers !== '') ctx.set('Access-Control-Allow-Headers', headers);
  if (options.allowedHeaders === undefined) ctx.append('Vary', 'Access-Control-Request-Headers');
  if (maxAge !== undefined) ctx.set('Access-Control-Max-Age', maxAge);
  ctx.status = 204;
}
