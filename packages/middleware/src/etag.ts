import {
  type AnyContext,
  type Context,
  HttpError,
  type Middleware,
  PreconditionFailedError,
} from '@fairlead/core';
import {
  after,
  assertOptions,
  describe,
  describeFactories,
  type SentDescription,
} from '@fairlead/core/extend';
import {
  boolean,
  describeValue,
  isTagList,
  type Kinds,
  matchesWeakly,
  named,
  parseTags,
} from '@fairlead/options';

/**
 * Adds an `ETag` to responses to GET, HEAD and QUERY with status 200, and responds with 304 when the client's
 * copy is current. A handler's own `ETag` takes precedence. Streams get no `ETag`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when it is called with options.
 * @see RFC 9110 §8.8.3, §13.1.2 (If-None-Match), §13.1.3 (If-Modified-Since), §15.4.5; RFC 10008 §2.6
 */
export function etag(): Middleware;
export function etag(options?: object): Middleware {
  assertOptions('etag()', options, {});
  return describe<Middleware>(
    named('etag', (ctx, next) => {
      return after(next, () => tagResponse(ctx));
    }),
    { role: 'middleware', sends: SENDS },
  );
}

/** Methods whose conditions ask for a current copy. RFC 9110 §13.2.1; RFC 10008 §2.6 */
const READS: readonly string[] = ['GET', 'HEAD', 'QUERY'];

/** For documents. */
const SENDS: SentDescription = {
  methods: READS,
  responses: {
    200: { headers: { ETag: 'Identifies the content.' } },
    304: {
      description: 'The client has the current content.',
      headers: { ETag: 'Identifies the content.' },
    },
  },
};

describeFactories(etag);

function tagResponse(ctx: Context): void {
  if (!READS.includes(ctx.method) || ctx.status !== 200) return;
  // An unhandled request becomes a 404.
  if (!ctx.answered) return;
  tag(ctx);
  if (isFresh(ctx)) ctx.status = 304;
}

function tag(ctx: Context): void {
  const body = ctx.responseBody;
  if (ctx.responseHeaders.has('ETag')) return;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return;
  // A handler of HEAD may leave out the content that GET has.
  if (ctx.method === 'HEAD' && body.length === 0) return;
  // An import would load node:crypto with the package.
  const { createHash } = process.getBuiltinModule('node:crypto');
  ctx.set('ETag', `"${createHash('sha1').update(body).digest('base64url')}"`);
}

/** Whether the client's copy is current. */
function isFresh(ctx: Context): boolean {
  const noneMatch = ctx.get('If-None-Match');
  if (noneMatch !== undefined)
    return matchesWeakly(noneMatch, String(ctx.responseHeaders.get('ETag')));
  const modifiedSince = ctx.get('If-Modified-Since');
  if (modifiedSince === undefined) return false;
  const since = Date.parse(modifiedSince);
  const modified = Date.parse(String(ctx.responseHeaders.get('Last-Modified')));
  return modified <= since;
}

/** Options of {@link requireMatch}. */
export interface RequireMatchOptions {
  /** Whether to reject a request without `If-Match` if the resource exists; false by default. */
  readonly required?: boolean;
}

const REQUIRE_MATCH_OPTIONS: Kinds<RequireMatchOptions> = { required: boolean };

/**
 * Checks `If-Match` and `If-None-Match` against the current state of a resource. Call it before you change or create the
 * resource. Does nothing for a request without `If-Match` and `If-None-Match`, unless it is required.
 * Ignores the `If-None-Match` of GET, HEAD and QUERY, which `etag()` handles.
 *
 * @param etag - The current `ETag` with its quotes, as in `"7"`. A weak one, such as `W/"7"`, matches only
 *   `If-Match: *`. Undefined if the resource does not exist, which matches nothing.
 * @throws {PreconditionFailedError} 412, when `If-Match` does not match, or is malformed; when the resource exists, and
 *   `If-None-Match` is `*`, has its tag, or is malformed.
 * @throws {HttpError} 428 `PRECONDITION_REQUIRED`, when a request lacks the required `If-Match`.
 * @throws {TypeError} When `etag` is not an entity tag.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see RFC 9110 §8.8.3 (form), §8.8.3.2 (strong comparison), §13.1.1 (If-Match), §13.1.2
 *   (If-None-Match); RFC 6585 §3 (428)
 */
export function requireMatch(
  ctx: AnyContext,
  etag: string | undefined,
  options: RequireMatchOptions = {},
): void {
  assertOptions('requireMatch()', options, REQUIRE_MATCH_OPTIONS);
  if (etag !== undefined) {
    assertTag(etag);
    refuseKnown(ctx, etag);
  }
  const match = ctx.get('If-Match');
  if (match === undefined) {
    if (!options.required || etag === undefined) return;
    throw new HttpError(
      428,
      'The request lacks If-Match. Read the resource, and send its current ETag as If-Match.',
    );
  }
  if (etag !== undefined) {
    if (match === '*') return;
    if (!etag.startsWith('W/') && parseTags(match).includes(etag)) return;
    if (matchesWeakly(match, etag)) {
      throw new PreconditionFailedError(
        `If-Match never matches a weak ETag, such as W/${etag.replace(/^W\//, '')}. A proxy or compression() may have made it weak. Read the resource again without compression, and send its strong ETag.`,
      );
    }
  }
  throw new PreconditionFailedError(
    'The resource does not match If-Match. Read it again, and send its current ETag.',
  );
}

/** @throws {PreconditionFailedError} 412, when a request is only for a resource that has no such tag. */
function refuseKnown(ctx: AnyContext, etag: string): void {
  const noneMatch = ctx.get('If-None-Match');
  if (noneMatch === undefined || READS.includes(ctx.method)) return;
  if (noneMatch === '*') {
    throw new PreconditionFailedError(
      'The resource exists, and If-None-Match: * only creates it. Use another one, or send its current ETag as If-Match.',
    );
  }
  if (isTagList(noneMatch) && !matchesWeakly(noneMatch, etag)) return;
  throw new PreconditionFailedError(
    'The resource has a tag of If-None-Match, or If-None-Match is malformed. Correct or remove it.',
  );
}

/** @throws {TypeError} When a value is not an entity tag. */
function assertTag(etag: unknown): void {
  if (typeof etag === 'string' && TAG.test(etag)) return;
  throw new TypeError(
    `requireMatch() received ${describeValue(etag)} instead of an entity tag. Pass text in double quotes, such as '"7"' or 'W/"7"', or undefined if the resource does not exist.`,
  );
}

/** An entity tag. Also allows spaces. RFC 9110 §8.8.3 */
const TAG = /^(?:W\/)?"[^"]*"$/;
