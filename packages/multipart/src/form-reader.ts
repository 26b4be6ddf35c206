import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { BadRequestError, type Context } from '@fairlead/core';
import { Dicer } from '@fastify/busboy';
import { type Disposition, malformed, parseDisposition } from './disposition.js';
import { assertWithin, type MultipartLimits } from './limits.js';

/** One part of a form, its content yet to be read. */
export interface Entry extends Disposition {
  /** Media type that the client claims, or undefined. */
  readonly mediaType: string | undefined;
  readonly body: Readable;
}

/** Headers of a part: values by lower-case name. */
type PartHeaders = Readonly<Record<string, readonly string[]>>;

/**
 * Reads the parts of a request's form in their order. The request is read no further while parts
 * wait to be taken, or while the content of one waits to be read.
 */
export class FormReader {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #parser: Dicer;
  readonly #limits: Required<MultipartLimits>;
  readonly #queue: Entry[] = [];
  readonly #counts = { totalSize: 0, parts: 0, files: 0, fields: 0 };
  #current: Readable | undefined = undefined;
  #inHeaders = false;
  #settled = false;
  #error: Error | undefined = undefined;
  #wake: () => void = () => undefined;

  /**
   * @param ctx - Context of a request whose body nobody has read yet.
   * @param boundary - 1 to 70 bytes.
   * @param limits - All of them.
   */
  constructor(ctx: Context, boundary: string, limits: Required<MultipartLimits>) {
    this.#res = ctx.res;
    this.#limits = limits;
    const config = {
      boundary,
      // Past these the parser drops headers without a word: one more is let in, and refused here.
      maxHeaderPairs: limits.headerPairs + 1,
      maxHeaderSize: 2 * limits.headerSize + 4 * limits.headerPairs + 1_024,
    };
    this.#parser = new Dicer(config)
      .on('part', (part) => this.#onPart(part))
      .on('drain', () => this.#flow())
      .on('finish', () => this.#attempt(() => this.#finish()))
      .on('error', (cause) => this.#settle(malformed('it ends before its last delimiter', cause)));
    this.#res.on('close', this.#onAborted);
    this.#req = ctx.bodyStream();
    this.#req.on('error', this.#onAborted).on('close', this.#onAborted);
    this.#req.on('data', this.#onData).on('end', this.#onEnd);
    if (this.#req.destroyed) this.#onAborted();
  }

  /**
   * Takes the next part; what was not read of the one before is dropped.
   *
   * @returns Undefined after the last part.
   * @throws {BadRequestError} 400, when the body is malformed or the client stops early.
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
    this.#flow();
    return entry;
  }

  /** Ends the reading. What is left of the body is read and dropped. */
  cancel(): void {
    this.#release(undefined);
    this.#settle();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#attempt(() => {
      this.#count('totalSize', chunk.length);
      this.#parser.write(chunk);
    });
    this.#flow();
  };

  readonly #onEnd = (): void => {
    this.#parser.end();
  };

  /** Also called for a response that was sent before the form was read: the reading is over then. */
  readonly #onAborted = (): void => {
    if (this.#req.readableEnded && !this.#res.closed) return;
    const message = 'The body was not read to its end: the client stopped, or was answered before.';
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
    const disposition = parseDisposition(headers['content-disposition']?.[0] ?? '');
    const isFile = disposition.fileName !== undefined;
    this.#count('parts', 1);
    this.#count(isFile ? 'files' : 'fields', 1);
    const body = this.#bodyOf(part, isFile ? 'fileSize' : 'fieldSize');
    return { ...disposition, mediaType: headers['content-type']?.[0], body };
  }

  /** A stream of its own for a part: it may be destroyed, and the rest of the part still flows. */
  #bodyOf(part: Readable, limit: 'fileSize' | 'fieldSize'): Readable {
    const body = new Readable({
      read: () => part.resume(),
      destroy: (error, done) => {
        part.resume();
        done(error);
      },
    });
    // The iterator throws the same error, to a reader that does not listen here.
    body.on('error', () => undefined);
    let size = 0;
    part.on('data', (chunk: Buffer) => {
      size += chunk.length;
      this.#attempt(() => assertWithin(this.#limits, limit, size));
      if (!body.destroyed && !body.push(chunk)) part.pause();
    });
    part.once('end', () => {
      if (!body.destroyed) body.push(null);
    });
    return body;
  }

  #count(name: 'totalSize' | 'parts' | 'files' | 'fields', amount: number): void {
    this.#counts[name] += amount;
    assertWithin(this.#limits, name, this.#counts[name]);
  }

  #assertHeadersComplete(): void {
    if (this.#inHeaders) throw malformed('the headers of a part do not end');
  }

  #finish(): void {
    this.#assertHeadersComplete();
    this.#settle();
  }

  #flow(): void {
    if (this.#settled) return;
    if (this.#queue.length > 0 || this.#parser.writableNeedDrain) this.#req.pause();
    else this.#req.resume();
  }

  /** Does one step of the reading; what it throws ends the reading. */
  #attempt(step: () => void): void {
    if (this.#settled) return;
    try {
      step();
    } catch (error) {
      this.#settle(error instanceof Error ? error : malformed('it cannot be read', error));
    }
  }

  #settle(error?: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#error = error;
    this.#res.off('close', this.#onAborted);
    this.#req.off('error', this.#onAborted).off('close', this.#onAborted);
    this.#req.off('data', this.#onData).off('end', this.#onEnd);
    // What is left is read and dropped, so that the connection stays in step.
    this.#req.resume();
    if (error) this.#release(error);
    this.#wake();
  }

  #release(error: Error | undefined): void {
    this.#current?.destroy(error);
    for (const { body } of this.#queue.splice(0)) body.destroy();
  }
}
