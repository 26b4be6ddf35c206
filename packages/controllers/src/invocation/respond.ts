import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { Context, ResponseBody } from '@fairlead/core';
import type { HeaderMetadata, RedirectMetadata } from '../metadata/class-metadata.js';
import { sendRedirect } from './redirect.js';

/** What is known of a route's response before its method runs. */
export interface ResponsePlan {
  /** The method, as `UsersController.create`. */
  readonly handler: string;
  readonly status: number | undefined;
  readonly headers: readonly HeaderMetadata[];
  readonly redirect: RedirectMetadata | undefined;
  /** Whether the method takes the raw response. */
  readonly takesResponse: boolean;
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
      send(ctx, result);
    } else if (takesResponse) {
      if (status !== undefined || !ctx.answered) ctx.takeOver();
    } else if (!ctx.answered) {
      ctx.status = 204;
    }
  };
}

function send(ctx: Context, result: unknown): void {
  if (isRawBody(result)) ctx.send(result);
  else ctx.json(result);
}

function isRawBody(result: unknown): result is Exclude<ResponseBody, string> {
  return (
    result instanceof Uint8Array || result instanceof Readable || result instanceof ReadableStream
  );
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
