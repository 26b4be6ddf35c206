import { Readable } from 'node:stream';
import { type Context, isHttpError, type ResponseBody } from '@fairlead/core';
import { ControllerError } from '../errors/controller-error.js';
import { problemText } from '../errors/problem-text.js';
import type { HeaderMetadata, RedirectMetadata } from '../metadata/class-metadata.js';
import { sendRedirect } from './redirect.js';
import type { WriteJson } from './response-writers.js';

/** What is known of a route's response before its method runs. */
export interface ResponsePlan {
  /** The method, as `UsersController.create`. */
  readonly handler: string;
  readonly status: number | undefined;
  readonly headers: readonly HeaderMetadata[];
  readonly redirect: RedirectMetadata | undefined;
  /** Whether the method takes the raw response. */
  readonly takesResponse: boolean;
  /** Writes what the method returns when it succeeds; `JSON.stringify` where undefined. */
  readonly write: WriteJson | undefined;
}

/**
 * Makes the function that sets a route's status and headers. It runs before the method, which can
 * change them; when the method throws, the error's own answer replaces the status.
 */
export function createPrepare(plan: ResponsePlan): (ctx: Context) => void {
  const { status, takesResponse } = plan;
  const headers = [...groupByName(plan.headers).values()];
  return (ctx) => {
    if (status !== undefined) ctx.status = status;
    for (const { name, value } of headers) ctx.set(name, value);
    if (!takesResponse) return;
    // What the method writes to the raw response does not pass through the context.
    if (status !== undefined) ctx.res.statusCode = status;
    for (const { name, value } of headers) ctx.res.setHeader(name, value);
  };
}

/**
 * Makes the function that answers with what a route's method returned: JSON, bytes or a stream; 204
 * for undefined. What the method answered through the context stays.
 */
export function createRespond(plan: ResponsePlan): (ctx: Context, result: unknown) => void {
  const { handler, redirect, status, takesResponse } = plan;
  return (ctx, result) => {
    if (ctx.res.headersSent) {
      ctx.takeOver();
    } else if (ctx.responseBody !== undefined) {
      return;
    } else if (redirect !== undefined) {
      sendRedirect(ctx, redirect, result, handler);
    } else if (result !== undefined) {
      send(ctx, result, plan);
    } else if (takesResponse) {
      if (status !== undefined || !ctx.answered) ctx.takeOver();
    } else if (!ctx.answered) {
      ctx.status = 204;
    }
  };
}

function send(ctx: Context, result: unknown, plan: ResponsePlan): void {
  if (isRawBody(result)) {
    ctx.send(result);
    return;
  }
  const write = ctx.status < 300 ? plan.write : undefined;
  try {
    ctx.json(result, write);
  } catch (cause) {
    if (isHttpError(cause)) throw cause;
    throw write === undefined ? notJson(plan.handler, cause) : notOfSchema(plan.handler, cause);
  }
}

function notJson(handler: string, cause: unknown): ControllerError {
  const title = `Cannot answer from ${handler}: JSON cannot write what was returned: ${String(cause)}`;
  const fix = 'return values without cycles, BigInts, functions and symbols.';
  return new ControllerError(problemText({ title, fix }), { code: 'RESPONSE_NOT_JSON', cause });
}

function notOfSchema(handler: string, cause: unknown): ControllerError {
  const title = `Cannot answer from ${handler}: its response schema cannot write what was returned: ${String(cause)}`;
  const fix = 'return what `response` describes, or correct it.';
  return new ControllerError(problemText({ title, fix }), { code: 'RESPONSE_SCHEMA', cause });
}

function isRawBody(result: unknown): result is Exclude<ResponseBody, string> {
  return (
    result instanceof Uint8Array ||
    result instanceof Readable ||
    (isAsyncIterable(result) && result instanceof ReadableStream)
  );
}

/** Asked first, since the first look at ReadableStream loads all web streams. */
function isAsyncIterable(result: unknown): boolean {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

/** A header with its value, or with all values that were stated for its name. */
interface HeaderGroup {
  readonly name: string;
  readonly value: string | string[];
}

/** Groups headers by lower-case name. */
function groupByName(headers: readonly HeaderMetadata[]): Map<string, HeaderGroup> {
  const groups = new Map<string, HeaderGroup>();
  for (const { name, value } of headers) {
    const present = groups.get(name.toLowerCase());
    const group = present === undefined ? { name, value } : merge(present, value);
    groups.set(name.toLowerCase(), group);
  }
  return groups;
}

function merge({ name, value }: HeaderGroup, added: string): HeaderGroup {
  return { name, value: [value, added].flat() };
}
