import type { Context, Middleware } from '@fairlead/core';
import { assertOptions, describe, describeFactories } from '@fairlead/core/extend';
import { boolean, fn, type Kinds, kind, named } from '@fairlead/options';

/** Options of {@link requestId}. */
export interface RequestIdOptions {
  /** Name of the header with the ID, in responses and trusted requests; `X-Request-Id` by default. */
  readonly header?: string;
  /**
   * Whether to use the ID from the request header if it consists of 1 to 128 letters, digits, `.`, `_` and
   * `-`; false by default. Enable it only behind a proxy that sets the header.
   */
  readonly trust?: boolean;
  /** Creates an ID, such as from a header of another name; a random UUID by default. */
  readonly create?: (ctx: Context) => string;
}

const REQUEST_ID_OPTIONS: Kinds<RequestIdOptions> = {
  header: kind(
    "the name of a header, such as 'X-Request-Id'",
    (value) => typeof value === 'string' && isHeader(value, ''),
  ),
  trust: boolean,
  create: fn,
};

/**
 * Gives each request an ID, in `ctx.state.requestId` and a response header.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function requestId(options: RequestIdOptions = {}): Middleware {
  assertOptions('requestId()', options, REQUEST_ID_OPTIONS);
  const { header = 'X-Request-Id', trust = false, create = randomIds() } = options;
  return describe<Middleware>(
    named('requestId', (ctx, next) => {
      const received = trust ? ctx.get(header) : undefined;
      const id =
        received !== undefined && /^[\w.-]{1,128}$/.test(received) ? received : create(ctx);
      ctx.state.requestId = id;
      ctx.set(header, id);
      return next();
    }),
    { role: 'middleware', sends: { headers: { [header]: 'Identifies the request.' } } },
  );
}

describeFactories(requestId);

/** Loads node:crypto here, because an import would load it with the package. */
function randomIds(): () => string {
  const { randomUUID } = process.getBuiltinModule('node:crypto');
  return () => randomUUID();
}

/** Whether a response can have a header. */
export function isHeader(name: string, value: string): boolean {
  // An import of node:http would load fetch with the package.
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
