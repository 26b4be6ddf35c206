import type { Node } from './node.js';

/** Returns the parameter of a path with a name; an empty object if the document describes none. */
export function pathParameter(name: string, parameters: readonly Node[]): Node {
  return parameters.find((one) => one.in === 'path' && one.name === name) ?? {};
}

/** Whether a parameter is the rest of a path, as `@fairlead/openapi` marks it. */
function isWildcard(parameter: Node): boolean {
  return parameter['x-wildcard'] === true;
}

/** The name of a path parameter in the client. `@fairlead/openapi` names a wildcard without a name. */
export function patternName(name: string, parameter: Node): string {
  return isWildcard(parameter) && name === 'wildcard' ? '*' : name;
}

/** Matches a name that a parameter of a pattern can have. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;

/**
 * Converts a path of OpenAPI to a pattern: `/users/{id}` to `/users/:id`, and `/users:search` to `/users%3Asearch`. A
 * path with parameters that no pattern can express keeps its braces.
 */
export function patternOf(path: string, parameters: readonly Node[]): string {
  const parts = path.split(/\{([^{}]*)\}/);
  const isExpressible = parts.every((part, index) =>
    index % 2 === 1
      ? NAME.test(part)
      : !/[:*{}]/.test(part) && !(index > 0 && /^[\p{L}\p{M}\p{N}_]/u.test(part)),
  );
  if (!isExpressible && path.includes('{')) return path;
  // The client would read a parameter.
  if (!isExpressible) return path.replaceAll(':', '%3A').replaceAll('*', '%2A');
  return path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const parameter = pathParameter(name, parameters);
    const pattern = patternName(name, parameter);
    return isWildcard(parameter) ? `*${pattern.replace('*', '')}` : `:${pattern}`;
  });
}
