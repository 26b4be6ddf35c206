import type { Context } from '@fairlead/core';
import type { ParameterMetadata } from '../metadata/parameter.js';

/** Reads one value from a request; undefined when it is absent. */
export type Extract = (ctx: Context) => unknown;

/**
 * Makes the function that reads a parameter's value.
 *
 * @param parameter - What its decorator states.
 */
export function createExtract({ source, name, extract }: ParameterMetadata): Extract {
  const key = name ?? '';
  switch (source) {
    case 'body':
      return name === undefined ? (ctx) => ctx.body : (ctx) => ownMember(ctx.body, key);
    case 'param':
      return (ctx) => ctx.params[key];
    case 'query':
      return name === undefined ? (ctx) => ctx.query : (ctx) => ctx.query[key];
    case 'header':
      return (ctx) => ctx.get(key);
    case 'ctx':
      return (ctx) => ctx;
    case 'req':
      return (ctx) => ctx.req;
    case 'res':
      return (ctx) => ctx.res;
    case 'custom':
      return extract ?? (() => undefined);
  }
}

/** Own members only: a field named `constructor` is absent unless the client sent it. */
function ownMember(body: unknown, key: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, key)) return undefined;
  return (body as Record<string, unknown>)[key];
}
