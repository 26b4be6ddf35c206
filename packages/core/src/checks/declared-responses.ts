import { isIntended, NO_CONTENT_STATUSES } from '@fairlead/options';
import { acceptsAbsence, isStandardSchema } from '@fairlead/schemas';
import { opensWebSocket } from '../annotations/description.js';
import { contentOf, responseSchemas } from '../schema/content.js';
import type { PlacedRoute } from './layout.js';
import { type Found, NAMES } from './run-checks.js';

/** Finds response schemas that describe a body, although the route never sends one. */
export function describesNoBody({ options, handlers, isIntended: isMarked }: PlacedRoute): Found {
  const schemas = responseSchemas(options);
  if (isMarked || isIntended(options.response)) return;
  const end = 'or pass the schema or the handler to intended().';
  if (opensWebSocket(handlers)) {
    if (![...schemas].some(([status, schema]) => status < 300 && hasBody(schema))) return;
    return `The route opens WebSocket connections, so its response schema describes nothing: ${NAMES}. Remove response, ${end}`;
  }
  const { status = 0 } = options;
  const empty = [...schemas.keys()].find((one) => NO_CONTENT_STATUSES.has(one));
  if (empty !== undefined && hasBody(schemas.get(empty)))
    return `Responses with the status ${empty} have no body, but response describes one: ${NAMES}. Describe it for another status, or without a body, as in { ${empty}: content(null) }, ${end}`;
  if (!NO_CONTENT_STATUSES.has(status) || !hasBody(schemas.get(0))) return;
  return `Responses with the status ${status} have no body, but response describes one: ${NAMES}. Remove response, use the status 200, or list the statuses that have a body, as in { 201: … }, ${end}`;
}

/** Whether a schema describes a body that is never absent. */
function hasBody(schema: object | undefined): boolean {
  if (schema === undefined) return false;
  const content = contentOf(schema);
  if (content !== undefined) return content.mediaTypes.length > 0;
  return isStandardSchema(schema)
    ? acceptsAbsence(schema) === false
    : ['type', 'properties', '$ref'].some((keyword) => Object.hasOwn(schema, keyword));
}
