import { REGISTRATIONS, type Registrations } from './annotations/registrations.js';
import type { Application } from './app/application.js';
import type { AnyContext } from './context/context.js';
import { assertResponse, refuseContext } from './context/context-errors.js';
import { failureOf, isOfAbort } from './exchange/disconnection.js';
import { EXCHANGE } from './exchange/exchange.js';
import type { AnyRouter, Route } from './router/router.js';

export { isJson } from '@fairlead/options';
export { acceptsAbsence, describeStructure, mayAccept, requiresMember } from '@fairlead/schemas';
export {
  type Description,
  type Descriptor,
  describe,
  describeFactories,
  describeLike,
  descriptionOf,
  flatten,
  isSecured,
  isUnknown,
  mediaTypesOf,
  opensWebSocket,
  type Responder,
  securityOf,
} from './annotations/description.js';
export { isStarted } from './context/context-errors.js';
export { readHttpError, titleOf, unknownPath } from './errors/http-error.js';
export { after } from './exchange/after-next.js';
export { traced } from './pipeline/tracing.js';
export { isPromiseLike } from './promise.js';
export { serialize } from './response/serialize-json.js';
export type { ContractOf } from './router/client-contract.js';
export { describeDeprecation } from './router/deprecation.js';
export { expandPath, joinPaths, renameFix } from './router/pattern.js';
export {
  defaultStatus,
  errorCodes,
  type HandlerParts,
  handlerParts,
  inputsOf,
} from './router/route-options.js';
export { takeProblem } from './router/router.js';
export { createShield } from './router/shield.js';
export {
  createInputReader,
  createValidate,
} from './router/validate-request.js';
export { sharesVersion } from './router/version-source.js';
export { setPathParts } from './router/written.js';
export {
  type ContentDescription,
  contentOf,
  type MediaTypeDescription,
  responseSchemas,
} from './schema/content.js';
export { createTextReader, type TextSource } from './schema/text-inputs.js';
export { type Carrier, carriersOf } from './schema/text-plan.js';
export { validateValue } from './schema/validate-value.js';
export { reopen } from './server/connection.js';
export { isListening } from './server/listening.js';
export { assertOptions, type Kind, type Kinds, throwTogether } from './setup/options.js';

/**
 * Returns what is known about the registrations so far, for a plugin that fills a router: if it fails to
 * install, it can report all problems together.
 *
 * @param router - A router to which routes will be added, whether or not it is mounted yet.
 */
export function registrationsOf(app: Application, router?: AnyRouter): Registrations {
  return app[REGISTRATIONS](router);
}

/**
 * Checks that a request was answered, when everything after some middleware has run. Call it after `next()` for what must
 * not happen without a response, such as a commit.
 *
 * @throws {InternalServerError} 500 `NO_RESPONSE`.
 */
export function assertAnswered(ctx: AnyContext): void {
  assertResponse(ctx[EXCHANGE] ?? refuseContext('assertAnswered()', ctx), ctx);
}

/** Returns the error that destroyed the response, such as that of its stream, unless the client left. */
export function responseFailure(ctx: AnyContext): Error | undefined {
  // A context of another copy of this package has none.
  const exchange = ctx[EXCHANGE];
  return exchange && failureOf(exchange);
}

/** Whether an error only reports that `ctx.signal` or a pipeline has aborted an operation or a stream. */
export function reportsAbort(error: unknown, ctx: AnyContext): boolean {
  const exchange = ctx[EXCHANGE];
  return exchange !== undefined && isOfAbort(error, exchange);
}

/**
 * Groups the routes of an application by the mount that they belong to, in their order.
 *
 * @param routes - All of them, as `app.routes()` returns them.
 */
export function groupByMount(routes: readonly Route[]): readonly (readonly Route[])[] {
  const groups: (readonly Route[])[] = [];
  for (let start = 0; start < routes.length; start += groups.at(-1)?.length ?? 1) {
    const size = routes[start]?.router?.routes.length ?? 1;
    groups.push(routes.slice(start, start + size));
  }
  return groups;
}

/** Whether the route of a request is deprecated; false before a route matches. */
export function isDeprecated(ctx: AnyContext): boolean {
  return ctx[EXCHANGE]?.route?.isDeprecated === true;
}

export {
  type BodyDescription,
  type FormDescription,
  SECURITY_SCHEME,
  type SentDescription,
} from './annotations/documentation.js';
export { findMisuse, type Misuse } from './annotations/misuse.js';
export type {
  Doubt,
  EarlierPrefix,
  Placement,
  Role,
  RoutePlacement,
  Surroundings,
} from './annotations/placement.js';
export type { Registrations } from './annotations/registrations.js';
export { assertFieldName, isBodyRead, isForMount } from './body/parsers.js';
export { parseDeclaredBody, requireParsedBody } from './router/declared-body.js';
export { mayBeEmpty } from './schema/response-writer.js';
