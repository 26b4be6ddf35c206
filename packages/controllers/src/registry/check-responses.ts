import { RouteRegistrationError } from '../errors/definition-errors.js';
import type { ResponseWriters } from '../invocation/response-writers.js';
import { placeOf } from '../metadata/place.js';
import type { ControllerDefinition } from './definition.js';

/**
 * Compiles the response schemas of all routes.
 *
 * @returns One error for each route whose schema cannot be compiled.
 */
export function checkResponses(
  definitions: readonly ControllerDefinition[],
  writers: ResponseWriters,
): RouteRegistrationError[] {
  return definitions.flatMap(({ controller, routes }) =>
    routes.flatMap(({ handler, response }) => {
      try {
        writers.of(response);
        return [];
      } catch (cause) {
        const flaw = {
          problem: `the schema of its response cannot be compiled: ${String(cause)}`,
          fix: 'correct `response` in the options of the route, or leave it out.',
          cause,
        };
        return [new RouteRegistrationError(handler, flaw, placeOf(controller))];
      }
    }),
  );
}
