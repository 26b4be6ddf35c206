import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Application, PublishedError } from '@fairlead/core';
import { essenceOf, isJson } from '@fairlead/options';
import type { Written } from './requests.js';

/** A request with its response. */
export interface Exchange {
  readonly request: Written;
  /** The credentials that it was sent with, by name. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly response: Answer;
  /** Names the response in a test; undefined if nothing needs it. */
  readonly variable?: string;
}

/** A response as it was received. */
export interface Answer {
  /** 0 if there was none. */
  readonly status: number;
  readonly headers: Headers;
  /** The media type, without parameters; empty without one. */
  readonly type: string;
  /** The text of the body; undefined if it was not read, because it is a stream or not text. */
  readonly text: string | undefined;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** What the application reported, or why there was no response. */
  readonly error: unknown;
}

/** The diagnostics channel on which core publishes errors that it reports. */
const ERRORS = 'fairlead:error';

/** The longest body that is read, in bytes. */
const LIMIT = 10_000_000;

/** Sends requests to an application in process. */
export class Sender {
  readonly #app: Application;
  readonly #timeout: number;
  readonly #current = new AsyncLocalStorage<{ error: unknown }>();
  #count = 0;

  /** @param timeout - How long a response may take, in milliseconds. */
  constructor(app: Application, timeout: number) {
    this.#app = app;
    this.#timeout = timeout;
    subscribe(ERRORS, this.#listener);
  }

  /** The number of requests so far. */
  get count(): number {
    return this.#count;
  }

  close(): void {
    unsubscribe(ERRORS, this.#listener);
  }

  /** Sends a request, from another address than the one before: a rate limit is no fault. */
  async send(request: Written, credentials: Readonly<Record<string, string>>): Promise<Exchange> {
    this.#count += 1;
    const call = { error: undefined as unknown };
    const response = await this.#current.run(call, () => this.#call(request, credentials));
    const { error = call.error } = response;
    return { request, credentials, response: { ...response, error } };
  }

  async #call(
    { method, target, headers, body }: Written,
    credentials: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const ended = new AbortController();
    const reason = new Error(`There was no response within ${this.#timeout} ms.`);
    const timer = setTimeout(() => ended.abort(reason), this.#timeout);
    try {
      const init = {
        method,
        headers: { ...headers, ...credentials },
        signal: ended.signal,
        ...(body !== undefined && { body }),
      };
      const response = await this.#app.request(target, init, { ip: addressOf(this.#count) });
      return await readAnswer(response, method);
    } catch (error) {
      return {
        status: 0,
        headers: new Headers(),
        type: '',
        text: undefined,
        json: undefined,
        error,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #listener = (message: unknown): void => {
    const call = this.#current.getStore();
    if (call !== undefined) call.error ??= (message as PublishedError).error;
  };
}

function addressOf(count: number): string {
  return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
}

async function readAnswer(response: Response, method: string): Promise<Answer> {
  const { status, headers } = response;
  const type = essenceOf(headers.get('Content-Type') ?? '');
  const answer = { status, headers, type, text: undefined, json: undefined, error: undefined };
  if (method === 'HEAD' || response.body === null) return { ...answer, text: '' };
  if (!isJson(type)) {
    // It may be a stream without an end.
    const length = headers.get('Content-Length');
    if (length === '0') return { ...answer, text: '' };
    await response.body.cancel();
    return answer;
  }
  const text = await readText(response);
  return { ...answer, text, json: parse(text) };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LIMIT) throw new Error(`The response is longer than ${LIMIT} bytes.`);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
