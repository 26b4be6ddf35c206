/** `cors()` of @koa/cors: translates the names of the options to ours, and their origin functions. */
import type { Context, Middleware } from '@fairlead/core';
import { type CorsOptions, cors } from '@fairlead/middleware';
import { facadeOf, ours } from './koa.ts';

/** The options that we have under another name. */
const NAMES: Readonly<Record<string, string>> = {
  allowMethods: 'methods',
  allowHeaders: 'allowedHeaders',
  exposeHeaders: 'exposedHeaders',
};

function translate(options: Readonly<Record<string, unknown>>): CorsOptions {
  const { origin } = options;
  const renamed = Object.entries(options).map(([name, value]) => [NAMES[name] ?? name, value]);
  return {
    ...Object.fromEntries(renamed),
    ...(typeof origin === 'function' && {
      origin: (_origin: string, ctx: Context) => origin(facadeOf(ctx)),
    }),
  };
}

/**
 * Returns middleware that closes the connection if `cors()` throws: a test file sets up all its applications first, and a
 * response could have what a test expects by chance.
 */
function create(options: Readonly<Record<string, unknown>> = {}): Middleware {
  try {
    return cors(translate(options));
  } catch {
    return (ctx) => {
      ctx.takeOver().destroy();
    };
  }
}

function koaCors(options?: Readonly<Record<string, unknown>>): Middleware {
  const middleware = create(options);
  ours.add(middleware);
  return middleware;
}

export { koaCors as 'module.exports' };
