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

/** Shortest response that is worth compressing, in bytes. */
const COMPRESSIBLE_LENGTH = 1_024;

/**
 * Creates a watch that warns once about headers that other middleware sets after `next()`, which come too late, and about
 * `compression()` of Fairlead, which sees no such response.
 */
export function watchResponses(
  middleware: { readonly name: string },
  locate: Locate,
): ResponseWatch {
  let left = isIntended(middleware) ? 0 : WATCHED;
  let hasCompression = false;
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
      hasCompression ||= before.some(isCompression);
    },
    note(ctx) {
      if (left <= 0) return;
      left -= 1;
      if (hasCompression && isCompressible(ctx)) {
        report(
          ctx,
          'compression() of Fairlead does not compress it. Use the package compression: connect(compression()).',
        );
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

function isCompression(one: object): boolean {
  const { name, role } = descriptionOf(one) ?? {};
  return name === 'compression()' && role === 'middleware';
}

/** Whether a response that was sent could have been compressed. */
function isCompressible({ res, method, headers }: Context): boolean {
  if (method === 'HEAD' || res.statusCode !== 200 || res.hasHeader('Content-Encoding'))
    return false;
  const type = String(res.getHeader('Content-Type') ?? '');
  const length = Number(res.getHeader('Content-Length') ?? COMPRESSIBLE_LENGTH);
  return (
    /^(?:text\/|application\/(?:json|javascript|xml))/.test(type) &&
    length >= COMPRESSIBLE_LENGTH &&
    /\b(?:gzip|br|deflate)\b/.test(headers['accept-encoding']?.toString() ?? '')
  );
}
