import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Context } from './context.js';
import { putHeader, ResponseHeaders } from './response-headers.js';

/** What a response may carry: text, bytes, or a stream of either. */
export type ResponseBody = string | Uint8Array | Readable | ReadableStream;

/** Whether a body is a stream. */
export function isStream(body: ResponseBody | undefined): body is Readable | ReadableStream {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

/** Lets go of what a stream that is not sent holds open. */
export function releaseBody(body: ResponseBody | undefined): void {
  if (body instanceof Readable) body.destroy();
  // A stream that another reader has locked is that reader's to cancel.
  else if (isStream(body)) body.cancel().catch(() => undefined);
}

/** Headers that describe a body, and go when another body takes its place. */
const REPRESENTATION_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Language',
  'Content-Location',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Expires',
  'Location',
];

/** The answer to one request, as far as the pipeline has recorded it. */
export class Answer {
  readonly headers = new ResponseHeaders();
  /** Is told of a body that fails while it is sent. */
  onError: ((error: unknown, ctx: Context) => void) | undefined = undefined;
  /** Whether the raw response is in the user's hands. */
  takenOver = false;
  #status: number | undefined = undefined;
  #body: ResponseBody | undefined = undefined;
  #isFinal = false;
  #defaultType: string | undefined = undefined;

  /** Undefined until it is set. */
  get status(): number | undefined {
    return this.#status;
  }

  set status(status: number | undefined) {
    if (!this.#isFinal) this.#status = status;
  }

  /** Undefined until it is recorded. */
  get body(): ResponseBody | undefined {
    return this.#body;
  }

  /** Whether a body or a status was set, or the raw response was taken over. */
  get given(): boolean {
    return this.#body !== undefined || this.#status !== undefined || this.takenOver;
  }

  /**
   * Records a body in place of any earlier one, and takes the response back from a user who took it over.
   *
   * @param type - Its `Content-Type`, unless another was set by hand.
   */
  record(body: ResponseBody, type: string | undefined): void {
    if (this.#isFinal) {
      releaseBody(body);
      return;
    }
    const present = this.headers.get('Content-Type');
    if (present === this.#defaultType) {
      if (type === undefined) this.headers.delete('Content-Type');
      else if (type !== present) putHeader(this.headers, 'Content-Type', type);
      this.#defaultType = type;
    }
    // A web stream that is canceled tells nobody when it has closed; a stream of node does.
    const isWeb = isStream(body) && !(body instanceof Readable);
    this.#replaceBody(isWeb ? Readable.fromWeb(body) : body);
    this.takenOver = false;
  }

  /** Forgets the status, the body and the headers that describe it; an error's answer follows. */
  discard(): void {
    if (this.#isFinal) return;
    for (const name of REPRESENTATION_HEADERS) this.headers.delete(name);
    this.#defaultType = undefined;
    this.#replaceBody(undefined);
    this.status = undefined;
    this.takenOver = false;
  }

  /** Makes status and body last: what is recorded after this is ignored. */
  finalize(): void {
    this.#isFinal = true;
  }

  #replaceBody(body: ResponseBody | undefined): void {
    if (this.#body !== body) releaseBody(this.#body);
    // A stream may fail before it is sent; the writer looks at `errored` then.
    if (body instanceof Readable) body.on('error', () => undefined);
    this.#body = body;
  }
}
