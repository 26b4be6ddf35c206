import type { ContentDetails, RouteInput } from '@fairlead/core';
import { contentOf, defaultStatus, errorCodes, responseSchemas } from '@fairlead/core/extend';
import { NO_CONTENT_STATUSES } from '@fairlead/options';
import { createContent } from './content.js';
import type { Draft, OperationSource } from './draft.js';
import { phraseOf } from './error-responses.js';
import { joinHeaders, sentBy } from './headers.js';
import { formsOf } from './inputs.js';

/**
 * Creates the Responses Object of a route: what its schemas describe, what its functions add, and the errors that it
 * can cause.
 */
export function createResponses(
  { route, label, operationId, method }: OperationSource,
  inputs: readonly RouteInput[],
  { isSecured, readsBody }: { readonly isSecured: boolean; readonly readsBody: boolean },
  draft: Draft,
): Readonly<Record<string, object>> {
  const { errors, headers, reportFor } = draft;
  const success = defaultStatus(route.options) ?? 200;
  const described = responseSchemas(route.options);
  const checked = inputs.filter(({ schema, required }) => schema !== undefined || required);
  const becomesNotFound = ({ source }: RouteInput): boolean =>
    source === 'param' && route.options.invalidParams === 404;
  const validates = !checked.every(becomesNotFound);
  const codes = errorCodes(route.options);
  const sent = sentBy([...(route.upstream ?? []), ...route.handlers], method);
  const sentStatuses = sent.flatMap(statusesOf);
  const implied = new Set<number>();
  if (validates) implied.add(errors.validationStatus);
  if (route.params.length > 0 && checked.some(becomesNotFound)) implied.add(404);
  if (readsBody) for (const status of [400, 413, 415]) implied.add(status);
  // The rules of a form.
  if (readsBody && formsOf([...(route.upstream ?? []), ...route.handlers]).length > 0)
    implied.add(errors.validationStatus);
  // A request without Content-Type. RFC 10008 §2
  if (method === 'query') implied.add(400);
  if (isSecured) for (const status of [401, 403]) implied.add(status);
  const { versions } = draft;
  if (versions && route.options.version) implied.add(versions.header === undefined ? 406 : 400);
  for (const status of sentStatuses) if (status >= 400) implied.add(status);
  const failures = new Set([...codes.keys(), ...implied]);
  if (route.params.length > 0) failures.add(404);
  // Routes of controllers have this option if guards check their requests.
  if (route.options.security !== undefined) for (const status of [401, 403]) implied.add(status);
  const contentOfError = (status: number) =>
    // Any request may be a 500 of Fairlead.
    errors.contentOf(status, validates, codes.get(status), implied.has(status) || status === 500);

  const report = reportFor(`a header of ${label}`);
  /** Returns what functions add to the responses with a status. */
  const addedTo = (status: number | 'default') => {
    const added = sent.flatMap(({ responses = {} }) => responses[Number(status)] ?? []);
    const all = [...sent, ...added].map((one) => headers.refer(one.headers ?? {}, report));
    const [description] = added.flatMap((one) => one.description ?? []);
    return { description, headers: joinHeaders(...all) };
  };

  const responses: Record<string, object> = {};
  const add = (status: number | 'default', content: object, own: ContentDetails = {}): void => {
    const added = addedTo(status);
    const all = joinHeaders(added.headers, headers.create(own.headers ?? {}, report));
    const hasBody = method !== 'head' && hasContent(status) && Object.keys(content).length > 0;
    responses[status] = {
      description: own.description ?? added.description ?? phraseOf(status),
      ...(Object.keys(all).length > 0 && { headers: all }),
      ...(hasBody && { content }),
      ...own.extensions,
    };
  };
  const addError = (status: number | 'default'): void => {
    if (method === 'head') add(status, {});
    else if (codes.get(Number(status))?.length) add(status, contentOfError(Number(status)));
    else responses[status] = errors.refer(status, validates, addedTo(status));
  };

  const ofHandler = sentBy(route.handlers.slice(-1), method).flatMap(statusesOf);
  const known = [...described.keys(), ...ofHandler];
  if (!known.some((status) => status < 400 && (status !== 0 || described.has(0)))) add(success, {});
  for (const [key, schema] of described) {
    const status = key === 0 ? success : key;
    const hint = `${operationId} Response ${status === success ? '' : status}`;
    const place = { label, form: 'output', hint, place: `the response ${status}` } as const;
    const own = contentOf(schema);
    const isError = failures.delete(status) || (status >= 400 && own?.mediaTypes.length === 0);
    const content = createContent(schema, place, draft);
    add(status, isError ? { ...contentOfError(status), ...content } : content, own);
  }
  for (const status of sentStatuses) {
    if (status in responses || status < 300 || status >= 400) continue;
    // A client can have the current content only of a response with content.
    if (status === 304 && !(200 in responses)) continue;
    add(status, {});
  }
  for (const status of failures) addError(status);
  addError('default');
  return responses;
}

function statusesOf({ responses = {} }: { readonly responses?: object }): readonly number[] {
  return Object.keys(responses).map(Number);
}

/** Whether responses with a status have a body. RFC 9110 §6.4.1 */
export function hasContent(status: number | 'default'): boolean {
  return status === 'default' || !NO_CONTENT_STATUSES.has(status);
}
