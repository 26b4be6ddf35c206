import type { Context, Handler } from '@fairlead/core';
import { isPromiseLike, traced } from '@fairlead/core/extend';
import { ControllerError, GuardRejectionError } from '../errors.js';
import type { HeaderMetadata, RedirectMetadata } from '../metadata/class-metadata.js';
import type { ParameterDefinition } from '../metadata/parameter.js';
import type { Interceptor } from '../metadata/references.js';
import type { CallHandler, ReadValues, Values } from '../metadata/runner.js';
import { createRedirect } from './redirect.js';

export interface NamedGuard {
  /** The `guardName` of its rejections. */
  readonly name: string;
  readonly check: (ctx: Context) => unknown;
}

/** Everything that a request to a route needs, known at registration. */
export interface InvokerPlan {
  readonly handler: string;
  readonly guards: readonly NamedGuard[];
  readonly parameters: readonly ParameterDefinition[];
  readonly read: ReadValues | undefined;
  readonly call: CallHandler;
  readonly status: number | undefined;
  readonly headers: readonly HeaderMetadata[];
  readonly redirect: RedirectMetadata | undefined;
  /** Whether the response schemas of the route allow the method to return nothing. */
  readonly mayBeEmpty: () => boolean;
}

/** The functions that run one controller method. */
export interface Invoker {
  /**
   * Runs guards, arguments, status and headers, and the method. It is synchronous until one of them returns a promise,
   * and returns the result of the method.
   */
  readonly invoke: Handler;
  /**
   * Returns the value to respond with for a settled result, or records the response: a redirect, or 204 for undefined,
   * unless the route's schemas require a body. What the method set through the context, or wrote to the raw response,
   * takes precedence.
   */
  readonly convert: (ctx: Context, result: unknown) => unknown;
}

/** Creates the functions that run one controller method. */
export function createInvoker(plan: InvokerPlan): Invoker {
  const { handler, parameters } = plan;
  const guards = plan.guards.map(({ name, check }) => ({
    name,
    check: traced('guard', name, check),
  }));
  const read = plan.read && traced('validation', handler, plan.read);
  const call = traced('handler', handler, plan.call);
  const takesResponse = parameters.some(({ source }) => source === 'res');
  const prepare = createPrepareResponse(plan, takesResponse);

  const runFrom = (ctx: Context, first: number): unknown => {
    let index = first;
    for (let guard = guards[index]; guard !== undefined; guard = guards[index]) {
      const { name, check } = guard;
      const verdict = check(ctx);
      index += 1;
      if (verdict === true) continue;
      if (!isPromiseLike(verdict)) throw denial(verdict, name, handler);
      return runAfter(verdict, name, ctx, index);
    }
    const values = read?.(ctx) ?? NO_VALUES;
    if (!Array.isArray(values)) return callAfter(values, ctx);
    prepare?.(ctx);
    return call(ctx, values);
  };
  // Functions in the one above would make each request allocate what they close over.
  const callAfter = (reading: PromiseLike<Values>, ctx: Context): unknown =>
    reading.then((values) => {
      prepare?.(ctx);
      return call(ctx, values ?? NO_VALUES);
    });
  // A foreign `then` may return no promise. Then the request would continue unchecked.
  const runAfter = (verdict: unknown, name: string, ctx: Context, index: number) =>
    Promise.resolve(verdict).then((settled) => {
      if (settled !== true) throw denial(settled, name, handler);
      return runFrom(ctx, index);
    });
  return { invoke: (ctx) => runFrom(ctx, 0), convert: createConvert(plan, takesResponse) };
}

const NO_VALUES: unknown[] = [];

/** Creates middleware that checks guards before other middleware. Then the invoker needs none. */
export function createGuarded(
  guards: readonly NamedGuard[],
  handler: string,
  middleware: (ctx: Context, next?: unknown) => unknown,
): (ctx: Context, next?: unknown) => Promise<unknown> {
  const checks = guards.map(({ name, check }) => ({ name, check: traced('guard', name, check) }));
  return async (ctx, next) => {
    for (const { name, check } of checks) {
      const verdict = await check(ctx);
      if (verdict !== true) throw denial(verdict, name, handler);
    }
    return middleware(ctx, next);
  };
}

function denial(verdict: unknown, name: string, handler: string): ControllerError {
  if (verdict === false || verdict === null || verdict === undefined) {
    return new GuardRejectionError(name);
  }
  // Name only the type, because the message is logged and the value may be a user.
  const type = typeof verdict === 'object' ? verdict.constructor?.name || 'object' : typeof verdict;
  const factory = typeof verdict === 'function' ? ` If ${name} is a factory, call it.` : '';
  return new ControllerError(
    `The guard ${name} of ${handler} returned a value of type ${type}, so the request was denied. Return true to allow a request, or false to deny it.${factory}`,
    { code: 'INVALID_GUARD' },
  );
}

/** Wraps a call in interceptors, of which the first is the outermost. */
export function intercept(call: CallHandler, interceptors: readonly Interceptor[]): CallHandler {
  return interceptors.reduceRight<CallHandler>(
    (inner, interceptor) => (ctx, values) => interceptor(ctx, () => inner(ctx, values)),
    call,
  );
}

/**
 * Creates the function that sets a route's status and headers, if it has any. It runs before the method, which can
 * change them. If the method throws, the error's response replaces the status.
 */
function createPrepareResponse(
  { status, headers }: InvokerPlan,
  takesResponse: boolean,
): ((ctx: Context) => void) | undefined {
  if (status === undefined && headers.length === 0) return undefined;
  const groups = groupByName(headers);
  return (ctx) => {
    if (status !== undefined) ctx.status = status;
    for (const { name, value } of groups) ctx.set(name, value);
    if (!takesResponse) return;
    // The method may write to the raw response, which bypasses the context.
    if (status !== undefined) ctx.res.statusCode = status;
    for (const { name, value } of groups) ctx.res.setHeader(name, value);
  };
}

/** Creates {@link Invoker.convert}. */
function createConvert(
  { handler, status, redirect, mayBeEmpty }: InvokerPlan,
  takesResponse: boolean,
): Invoker['convert'] {
  const recordRedirect = redirect && createRedirect(redirect, handler);
  return (ctx, result) => {
    if (ctx.res.headersSent) return result;
    if (recordRedirect !== undefined) {
      if (ctx.responseBody === undefined) recordRedirect(ctx, result);
    } else if (result !== undefined) return result;
    else if (takesResponse) {
      if (!ctx.answered || (status !== undefined && ctx.responseBody === undefined)) ctx.takeOver();
    } else if (!ctx.answered && mayBeEmpty()) ctx.status = 204;
    return undefined;
  };
}

/** Joins headers of one name, whose values are sent as separate header lines. */
function groupByName(headers: readonly HeaderMetadata[]) {
  const groups = new Map<string, { readonly name: string; readonly value: string | string[] }>();
  for (const { name, value } of headers) {
    const first = groups.get(name.toLowerCase());
    const group = first && { name: first.name, value: [first.value, value].flat() };
    groups.set(name.toLowerCase(), group ?? { name, value });
  }
  return [...groups.values()];
}
