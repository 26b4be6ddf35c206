import type { RouteDocumentation, RouteInput } from '@fairlead/core';
import {
  contentOf,
  describeDeprecation,
  inputsOf,
  responseSchemas,
  securityOf,
} from '@fairlead/core/extend';
import { createContent } from './content.js';
import type { Form } from './convert.js';
import type { Draft, OperationSource } from './draft.js';
import { phraseOf } from './error-responses.js';
import { createBody, createParameters } from './inputs.js';
import type { DocumentWebhook } from './options.js';
import { parseTemplate } from './paths.js';
import { createResponses, hasContent } from './responses.js';

/** Creates the Operation Object of a route. It may contain nodes. */
export function createOperation(source: OperationSource, draft: Draft): object {
  const { route, label, operationId } = source;
  const inputs = inputsOf(route.options);
  const { upstream = [], handlers, options } = route;
  const { version } = options;
  const functions = [...upstream, ...handlers];
  const named = version === undefined ? undefined : describeVersion(version, draft);
  const parameters = [
    ...(named?.parameters ?? []),
    ...createParameters(source, inputs, draft, functions),
  ];
  const body = createBody(source, inputs, draft);
  const needed = securityOf(functions, options.security);
  const security = draft.security.add(needed, { label, options }, draft.problems);
  const isSecured = security.length > 0;
  return {
    ...createDocumentation(route.options, operationId, named?.description),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: createResponses(source, inputs, { isSecured, readsBody: body !== undefined }, draft),
    security,
    ...(options.public !== undefined && { 'x-public': options.public }),
    ...options.extensions,
  };
}

/** Describes how requests name the version of a route. Documents describe `Accept` as no parameter. */
function describeVersion(
  version: string,
  { versions }: Draft,
): { readonly description?: string; readonly parameters?: readonly object[] } {
  if (versions === undefined) return {};
  const { header: name, parameter } = versions;
  if (name === undefined)
    return { description: `Send \`Accept\` with \`${parameter}=${version}\`.` };
  const required = version !== versions.default;
  const schema = { type: 'string', enum: [version] };
  return { parameters: [{ name, in: 'header', ...(required && { required }), schema }] };
}

/** @param added - Follows the description. */
function createDocumentation(
  { tags, summary, description, deprecated }: RouteDocumentation,
  operationId: string,
  added?: string,
): object {
  const dates = typeof deprecated === 'object' ? describeDeprecation(deprecated) : undefined;
  const sunset = typeof deprecated === 'object' ? deprecated.sunset : undefined;
  const text = [description, dates, added].filter((one) => one !== undefined).join('\n\n');
  return {
    ...(tags !== undefined && { tags }),
    ...(summary !== undefined && { summary }),
    ...(text !== '' && { description: text }),
    operationId,
    ...(deprecated !== undefined && deprecated !== false && { deprecated: true }),
    ...(sunset !== undefined && { 'x-sunset': sunset }),
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
  const path = parseTemplate('');
  const inputs: RouteInput[] = [];
  if (headers !== undefined) inputs.push({ source: 'header', schema: headers, required: true });
  const parameters = createParameters({ label, operationId, path, names: [] }, inputs, draft);
  const describeBody = (schema: object, form: Form, part: string) => {
    const { description, extensions } = contentOf(schema) ?? {};
    const place = {
      label,
      form,
      hint: `${operationId} ${part}`,
      place: `the ${part.toLowerCase()}`,
    };
    return { description, content: createContent(schema, place, draft), extensions };
  };
  const responses: Record<string, object> = {};
  for (const [key, schema] of responseSchemas({ ...(response !== undefined && { response }) })) {
    const status = key === 0 ? 200 : key;
    const described = describeBody(schema, 'input', `Response ${status}`);
    const { description = phraseOf(status), content, extensions } = described;
    responses[status] = { description, ...(hasContent(status) && { content }), ...extensions };
  }
  if (response === undefined) responses['2XX'] = { description: 'Success' };
  return {
    [method.toLowerCase()]: {
      ...createDocumentation(webhook, operationId),
      ...(parameters.length > 0 && { parameters }),
      // The subscriber receives the body.
      ...(body && { requestBody: { ...describeBody(body, 'output', 'Body'), required: true } }),
      responses,
      security: draft.security.add(security, { label }, draft.problems),
      ...webhook.extensions,
    },
  };
}
