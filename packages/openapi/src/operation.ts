import type { RouteDocumentation, RouteInput } from '@fairlead/core';
import { defaultStatus, errorCodes, responseSchemas } from '@fairlead/core/extend';
import type { Form } from './convert.js';
import type { Draft, OperationSource } from './draft.js';
import { phraseOf } from './error-responses.js';
import { createBody, createParameters, inputsOf } from './inputs.js';
import type { DocumentWebhook } from './options.js';
import { parseTemplate } from './paths.js';
import { securityOf } from './security.js';

/** Creates the Operation Object of a route. It may contain nodes. */
export function createOperation(source: OperationSource, draft: Draft): object {
  const { route, label, operationId } = source;
  const inputs = inputsOf(route.options);
  const parameters = createParameters(source, inputs, draft);
  const body = createBody(source, inputs, draft);
  const security = draft.security.add(securityOf(route), label, draft.problems);
  const isSecured = security.length > 0;
  return {
    ...createDocumentation(route.options, operationId),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: createResponses(source, inputs, { isSecured, readsBody: body !== undefined }, draft),
    security,
    ...route.options.extensions,
  };
}

function createDocumentation(
  { tags, summary, description, deprecated }: RouteDocumentation,
  operationId: string,
): object {
  return {
    ...(tags !== undefined && { tags }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    operationId,
    ...(deprecated === true && { deprecated }),
  };
}

/**
 * Creates the Path Item Object of a request that the application sends. It may contain nodes.
 *
 * @param label - Names the webhook in messages.
 */
export function createWebhook(
  webhook: DocumentWebhook,
  label: string,
  operationId: string,
  draft: Draft,
): object {
  const { method = 'POST', headers, body, response, security = [] } = webhook;
  const { schemas, reportFor } = draft;
  const path = parseTemplate('');
  const inputs: RouteInput[] = [];
  if (headers !== undefined) inputs.push({ source: 'header', schema: headers, required: true });
  const parameters = createParameters({ label, operationId, path, names: [] }, inputs, draft);
  const contentOf = (schema: object, form: Form, part: string) => {
    const hint = `${operationId} ${part}`;
    const report = reportFor(`the ${part.toLowerCase()} of ${label}`);
    return { content: { 'application/json': { schema: schemas.add(schema, form, hint, report) } } };
  };
  const responses: Record<string, object> = {};
  for (const [key, schema] of responseSchemas({ ...(response !== undefined && { response }) })) {
    const status = key === 0 ? 200 : key;
    const description = phraseOf(status);
    const content = hasContent(status) && contentOf(schema, 'input', `Response ${status}`);
    responses[status] = { description, ...content };
  }
  if (response === undefined) responses['2XX'] = { description: 'Success' };
  return {
    [method.toLowerCase()]: {
      ...createDocumentation(webhook, operationId),
      ...(parameters.length > 0 && { parameters }),
      // The subscriber receives the body.
      ...(body && { requestBody: { ...contentOf(body, 'output', 'Body'), required: true } }),
      responses,
      security: draft.security.add(security, label, draft.problems),
      ...webhook.extensions,
    },
  };
}

/** Creates the Responses Object of a route: what its schemas describe, and the errors that it can cause. */
function createResponses(
  source: OperationSource,
  inputs: readonly RouteInput[],
  { isSecured, readsBody }: { readonly isSecured: boolean; readonly readsBody: boolean },
  { schemas, errors, reportFor }: Draft,
): Readonly<Record<string, object>> {
  const { route, label, operationId, method } = source;
  const success = defaultStatus(route.options) ?? 200;
  const described = responseSchemas(route.options);
  const validates = inputs.some(({ schema, required }) => schema !== undefined || required);
  const codes = errorCodes(route.options);
  const implied = new Set<number>();
  if (validates) implied.add(errors.validationStatus);
  if (readsBody) for (const status of [400, 413, 415]) implied.add(status);
  if (isSecured) for (const status of [401, 403]) implied.add(status);
  const failures = new Set([...codes.keys(), ...implied]);
  if (route.params.length > 0) failures.add(404);
  // Routes of controllers have this option if guards check their requests.
  if (route.options.security !== undefined) for (const status of [401, 403]) implied.add(status);
  const contentOf = (status: number) =>
    errors.contentOf(status, validates, codes.get(status), implied.has(status));

  const responses: Record<string, object> = {};
  if (![...described.keys()].some((status) => status < 400 && status !== 0)) {
    responses[success] = { description: phraseOf(success) };
  }
  for (const [key, schema] of described) {
    const status = key === 0 ? success : key;
    const hint = `${operationId} Response ${status === success ? '' : status}`;
    const report = reportFor(`the response ${status} of ${label}`);
    const content = { 'application/json': { schema: schemas.add(schema, 'output', hint, report) } };
    const failure = failures.delete(status) ? contentOf(status) : undefined;
    responses[status] = {
      description: phraseOf(status),
      ...(hasContent(status) && { content: { ...failure, ...content } }),
    };
  }
  for (const status of failures) {
    responses[status] = codes.get(status)?.length
      ? { description: phraseOf(status), content: contentOf(status) }
      : errors.refer(status, validates);
  }
  responses.default = errors.refer('default', false);
  if (method !== 'head') return responses;
  return Object.fromEntries(
    Object.keys(responses).map((status) => [status, { description: phraseOf(status) }]),
  );
}

/** Whether responses with a status have a body. RFC 9110 §6.4.1 */
function hasContent(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}
