import type { Context } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { formatLocation, isIntended, type Locate, warn } from '@fairlead/options';

/** Watches the responses that Express middleware sends itself, for what other middleware cannot do to them. */
export interface ResponseWatch {
  /** Learns what runs before the middleware. */
  learn(before: readonly object[]): void;
  /** Called when the middleware has sent a response. */
  note(ctx: Context): void;
}

/** How many responses are watched. */
const WATCHED = 100;

/** How long after a response to look at the recorded headers, in milliseconds: middleware may save something first. */
const PATIENCE = 100;

/**
 * Creates a watch that warns once about headers that other middleware sets after `next()`, which come too late, and about
 * middleware before it that sees no such response, such as `compression()`.
 */
export function watchResponses(
  middleware: { readonly name: string },
  locate: Locate,
): ResponseWatch {
  let left = isIntended(middleware) ? 0 : WATCHED;
  const missing = new Set<(ctx: never) => string | undefined>();
  const name = middleware.name || 'connect';
  const report = ({ method, path }: Context, problem: string): void => {
    if (left < 0) return;
    left = -1;
    warn(
      'FAIRLEAD_ORDER',
      `The Express middleware '${name}' has responded to ${method} ${path} itself, so ${problem} To silence this, pass it to intended().` +
        formatLocation(locate),
    );
  };
  return {
    learn(before) {
      for (const one of before) {
        const misses = descriptionOf(one)?.misses;
        if (misses !== undefined) missing.add(misses);
      }
    },
    note(ctx) {
      if (left <= 0) return;
      left -= 1;
      for (const misses of missing) {
        const problem = misses(ctx as never);
        if (problem !== undefined) report(ctx, problem);
      }
      const sent = headersOf(ctx);
      const look = (): void => {
        const late = [...headersOf(ctx)].filter(([header, value]) => sent.get(header) !== value);
        if (late.length === 0) return;
        const names = late.map(([header]) => header).join(', ');
        report(
          ctx,
          `headers that are set after next() are not sent: ${names}. Set them before next(), respond in a route of Fairlead, or use Express middleware that does the same, such as connect(session()) with express-session.`,
        );
      };
      setTimeout(look, PATIENCE).unref();
    },
  };
}

function headersOf({ responseHeaders }: Context): ReadonlyMap<string, string> {
  return new Map([...responseHeaders].map(([name, value]) => [name, String(value)]));
}
