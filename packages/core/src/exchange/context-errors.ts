import { describeValue } from '@fairlead/options';
import { explainOtherCopy } from '../copies.js';
import { InternalServerError, UnsupportedMediaTypeError } from '../errors/http-error.js';

/** What messages say about a request. */
interface RequestLine {
  readonly method: string;
  readonly pattern: string | undefined;
  readonly path: string;
}

/** Names a request for messages, by its route if it has one. */
export function requestOf({ method, pattern, path }: RequestLine): string {
  return `${method} ${pattern ?? path}`;
}

/** Creates the error for a JSON body that nothing parses, which is a mistake of the application. */
export function noParser(type: string): UnsupportedMediaTypeError {
  const cause = new Error('No middleware parses JSON before this route. Add app.use(json()).');
  const options = { code: 'BODY_NOT_READ', report: true, cause };
  return new UnsupportedMediaTypeError(`Cannot read the body of type '${type}'.`, options);
}

/**
 * Throws the error for a context from another copy of core, or for a value that is not a context.
 *
 * @param user - The call that needs the exchange of the context, for the message.
 */
export function refuseContext(user: string, ctx: unknown): never {
  const reason = explainOtherCopy(ctx);
  throw reason === undefined
    ? new TypeError(`${user} received ${describeValue(ctx)} instead of a context. Pass it ctx.`)
    : new InternalServerError(`${user} cannot use the context of the request. ${reason}`, {
        code: 'MIXED_COPIES',
      });
}

/** Creates the error for a value that cannot be serialized. */
export function notJson(request: RequestLine, cause: unknown): TypeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const fix = reason.includes('BigInt') ? '. Convert it, as in String(id).' : '';
  return new TypeError(
    `Cannot send the response body of ${requestOf(request)} as JSON: ${reason}${fix}`,
    {
      cause,
    },
  );
}

/** Creates the error for a returned value that would be sent as JSON with another type. */
export function notOfType(request: RequestLine, type: string, value: unknown): TypeError {
  const returned = typeof value === 'string' ? 'the text' : 'the value, formatted as text,';
  return new TypeError(
    `Cannot send the body of ${requestOf(request)} as JSON: its Content-Type is '${type}'. Pass ${returned} to ctx.send(), or do not set the header.`,
  );
}
