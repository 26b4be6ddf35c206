import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type AnyContext, BadRequestError } from '@fairlead/core';
import { isToken } from '@fairlead/options';
import { Dicer } from '@fastify/busboy';
import { malformed, parseDisposition } from './disposition.js';
import { assertWithin, type MultipartLimits } from './limits.js';
import type { PartHead, RuleCheck } from './rules.js';

/** One part of a form with unread content. */
export interface Entry extends PartHead {
  readonly body: Readable;
}

/**
 * How many bytes to parse before the reader can stop. The parser creates a stream for each part, which costs
 * much more time than its few bytes.
 */
const SLICE = 4_096;

/** The headers of a part, as arrays of values by lower-case name. */
type PartHeaders = Readonly<Record<string, readonly string[]>>;

/**
 * Reads the parts of a form in order. Pauses the request while parts, or the content of the current
 * part, are waiting to be read.
 */
export class FormReader {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #parser: Dicer;
  readonly #limits: Required<MultipartLimits>;
  readonly #rules: RuleCheck;
  readonly #queue: Entry[] = [];
  readonly #counts = { totalSize: 0, parts: 0, files: 0, fields: 0 };
  #current: Readable | undefined = undefined;
  #inHeaders = false;
  #isParsed = false;
  /** The number of parts whose content has not been counted completely. */
  #openParts = 0;
  #settled = false;
  #error: Error | undefined = undefined;
  #wake: () => void = () => undefined;

  /**
   * @param ctx - The context of a request with an unread body.
   * @param boundary - The boundary of the form: 1 to 70 bytes.
   * @param limits - The resolved limits.
   * @param rules - The rules that the parts must follow.
   */
  constructor(
    ctx: AnyContext,
    boundary: string,
    limits: Required<MultipartLimits>,
    rules: RuleCheck,
  ) {
    this.#res = ctx.res;
    this.#limits = limits;
    this.#rules = rules;
    const config = {
      boundary,
      // The parser silently drops headers beyond these. One more is let through and rejected here.
      maxHeaderPairs: limits.headerPairs + 1,
      maxHeaderSize: 2 * limits.headerSize + 4 * limits.headerPairs + 1_024,
    };
    this.#parser = new Dicer(config)
      .on('part', (part) => this.#onPart(part))
      .on('drain', () => this.#pauseOrResume())
      .on('finish', () => {
        this.#isParsed = true;
        this.#attempt(() => this.#finish());
      })
      .on('error', (cause) => this.#settle(malformed('it has no closing boundary', cause)));
    this.#res.on('close', this.#onAborted);
    this.#req = ctx.bodyStream();
    this.#req.on('error', this.#onAborted).on('close', this.#onAborted);
    this.#req.on('data', this.#onData).on('end', this.#onEnd);
    if (this.#req.destroyed) this.#onAborted();
  }

  /**
   * Returns the next part, and drops the unread content of the previous one.
   *
   * @returns Undefined after the last part.
   * @throws {BadRequestError} 400, when the body is malformed or the client disconnects early.
   * @throws {PayloadTooLargeError} 413, when the form exceeds a limit.
   */
  async next(): Promise<Entry | undefined> {
    this.#current?.destroy();
    while (this.#queue.length === 0 && !this.#settled) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#error) throw this.#error;
    const entry = this.#queue.shift();
    this.#current = entry?.body;
    this.#pauseOrResume();
    return entry;
  }

  /** Stops reading the form, and drops the rest of the body. */
  cancel(): void {
    this.#release(undefined);
    this.#settle();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#attempt(() => this.#count('totalSize', chunk.length));
    for (let start = 0; start < chunk.length && !this.#settled; start += SLICE) {
      this.#attempt(() => this.#parser.write(chunk.subarray(start, start + SLICE)));
    }
    this.#pauseOrResume();
  };

  readonly #onEnd = (): void => {
    this.#parser.end();
  };

  /** Also called when the response was sent before the form was read, which ends the reading. */
  readonly #onAborted = (): void => {
    if (this.#req.readableEnded && !this.#res.closed) return;
    const message =
      'The form was not read completely: the client disconnected, or the response was sent first. Read the form before you respond.';
    this.#settle(new BadRequestError(message, { code: 'BODY_ABORTED' }));
  };

  #onPart(part: Readable): void {
    part.on('error', () => undefined);
    part.once('header', (headers: PartHeaders) => {
      this.#inHeaders = false;
      this.#attempt(() => {
        this.#queue.push(this.#open(part, headers));
        this.#wake();
      });
    });
    this.#attempt(() => this.#assertHeadersComplete());
    this.#inHeaders = true;
  }

  #open(part: Readable, headers: PartHeaders): Entry {
    const values = Object.values(headers).flat();
    const size = Object.entries(headers).flat(2).join('').length;
    assertWithin(this.#limits, 'headerPairs', values.length);
    assertWithin(this.#limits, 'headerSize', size);
    // A name with a space is another header, or none, to what checks the form before.
    if (!Object.keys(headers).every(isToken)) throw malformed('the name of a header is invalid');
    const disposition = parseDisposition(singleValue(headers, 'content-disposition') ?? '');
    const isFile = disposition.fileName !== undefined;
    this.#count('parts', 1);
    this.#count(isFile ? 'files' : 'fields', 1);
    const defaultType = isFile ? 'application/octet-stream' : 'text/plain';
    const head = {
      ...disposition,
      mediaType: singleValue(headers, 'content-type') || defaultType,
      headers: joinValues(headers),
    };
    return { ...head, body: this.#bodyOf(part, this.#rules.admit(head)) };
  }

  /** Returns a separate stream, which can be destroyed while the rest of the part still flows. */
  #bodyOf(part: Readable, assertSize: (size: number) => void): Readable {
    const body = new Readable({
      read: () => part.resume(),
      destroy: (error, done) => {
        part.resume();
        done(error);
      },
    });
    // Readers receive the same error from the iterator.
    body.on('error', () => undefined);
    this.#openParts += 1;
    let size = 0;
    let unread: Buffer | undefined;
    const handOn = (): void => {
      if (unread !== undefined && !body.destroyed && !body.push(unread)) part.pause();
      unread = undefined;
    };
    part.on('data', (chunk: Buffer) => {
      size += chunk.length;
      this.#attempt(() => assertSize(size));
      if (unread === undefined) process.nextTick(handOn);
      else if (!isAdjacent(unread, chunk)) handOn();
      unread = unread === undefined ? chunk : spanOf(unread, chunk);
    });
    part.once('end', () => {
      handOn();
      if (!body.destroyed) body.push(null);
      this.#openParts -= 1;
      if (this.#isParsed) this.#attempt(() => this.#finish());
    });
    return body;
  }

  #count(name: 'totalSize' | 'parts' | 'files' | 'fields', amount: number): void {
    this.#counts[name] += amount;
    assertWithin(this.#limits, name, this.#counts[name]);
  }

  #assertHeadersComplete(): void {
    if (this.#inHeaders) throw malformed('the headers of a part are incomplete');
  }

  /** The parser may end before it hands on the content of the last part. */
  #finish(): void {
    this.#assertHeadersComplete();
    if (this.#openParts === 0) this.#settle();
  }

  #pauseOrResume(): void {
    if (this.#settled) return;
    if (this.#queue.length > 0 || this.#parser.writableNeedDrain) this.#req.pause();
    else this.#req.resume();
  }

  /** Runs one step. An error that it throws ends the reading. */
  #attempt(step: () => void): void {
    if (this.#settled) return;
    try {
      step();
    } catch (error) {
      this.#settle(error instanceof Error ? error : malformed('it cannot be parsed', error));
    }
  }

  #settle(error?: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#error = error;
    this.#res.off('close', this.#onAborted);
    this.#req.off('error', this.#onAborted).off('close', this.#onAborted);
    this.#req.off('data', this.#onData).off('end', this.#onEnd);
    // Drop what the parser has not parsed yet.
    this.#parser.destroy();
    // Consume the rest of the body, so the connection can be reused.
    this.#req.resume();
    if (error) this.#release(error);
    this.#wake();
  }

  #release(error: Error | undefined): void {
    this.#current?.destroy(error);
    for (const { body } of this.#queue.splice(0)) body.destroy();
  }
}

/** Whether `next` continues `bytes` in memory, as slices of one chunk do. */
function isAdjacent(bytes: Buffer, next: Buffer): boolean {
  return bytes.buffer === next.buffer && bytes.byteOffset + bytes.length === next.byteOffset;
}

/** Returns the bytes of two adjacent slices as one, without a copy. */
function spanOf(bytes: Buffer, next: Buffer): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length + next.length);
}

/**
 * Returns the value of a header that a part has at most once.
 *
 * @throws {BadRequestError} 400 `MALFORMED_MULTIPART`, when it is repeated.
 */
function singleValue(headers: PartHeaders, name: string): string | undefined {
  const [value, ...others] = headers[name] ?? [];
  if (others.length > 0) throw malformed(`a part has several ${name} headers`);
  return value;
}

/** Joins repeated headers, as RFC 9110 §5.3 describes. */
function joinValues(headers: PartHeaders): Readonly<Record<string, string>> {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(headers)) joined[name] = values.join(', ');
  return joined;
}
