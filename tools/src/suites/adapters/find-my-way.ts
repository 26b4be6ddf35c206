/**
 * The router of find-my-way: each change builds an application with the routes, which handles the requests. A test that
 * uses what we do not have fails with "Absent: …", even if it expects an error.
 */
import { IncomingMessage, METHODS, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach } from 'node:test';
import { type Application, createApp } from '@fairlead/core';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

interface Route {
  readonly method: string | readonly string[];
  readonly path: string;
  readonly handler: Handler;
  readonly store: unknown;
}

interface Match {
  readonly handler: Handler;
  readonly store: unknown;
  readonly params: object;
  readonly searchParams: object;
}

let missing: string | undefined;

function absent(feature: string): never {
  missing ??= `Absent: ${feature}`;
  throw new Error(missing);
}

afterEach(() => {
  const reason = missing;
  missing = undefined;
  if (reason !== undefined) throw new Error(reason);
});

/** What the router lacks, by option and method of find-my-way. */
const OPTIONS: Readonly<Record<string, string>> = {
  constraints: 'constraints',
  ignoreDuplicateSlashes: 'ignoreDuplicateSlashes',
  useSemicolonDelimiter: 'semicolons',
  querystringParser: 'query',
  maxParamLength: 'maxParamLength',
  onMaxParamLength: 'maxParamLength',
  onBadUrl: 'onBadUrl',
  buildPrettyMeta: 'prettyPrint',
};

class Router {
  readonly #options;
  readonly #routes: Route[] = [];
  #app: Application;
  #found: Match | undefined;

  constructor(options: Readonly<Record<string, unknown>> = {}) {
    this.#options = options;
    for (const [name, value] of Object.entries(options))
      if (value && name in OPTIONS) absent(OPTIONS[name] ?? name);
    this.#app = this.#build([]);
    for (const method of [...METHODS, 'all'])
      Object.defineProperty(this, method.toLowerCase(), {
        value: (...args: [string, ...unknown[]]) =>
          this.on(method === 'all' ? METHODS.filter((one) => one !== 'CONNECT') : method, ...args),
      });
  }

  #build(routes: readonly Route[]): Application {
    const { caseSensitive = true, ignoreTrailingSlash = false } = this.#options;
    const app = createApp({
      caseSensitive: caseSensitive === true,
      strict: ignoreTrailingSlash !== true,
      onError: () => undefined,
    });
    for (const route of routes) {
      // A colon is '::' there.
      app.on(route.method, route.path.replaceAll('::', '%3A'), (ctx) => {
        const { handler, store = null } = route;
        const searchParams = Object.fromEntries(ctx.searchParams);
        this.#found = { handler, store, params: { ...ctx.params }, searchParams };
        ctx.send('');
      });
    }
    app.use((ctx) => ctx.send(''));
    app.seal();
    return app;
  }

  on(method: string | readonly string[], path: string, ...rest: unknown[]): void {
    const [options, handler, store] = typeof rest[0] === 'function' ? [{}, ...rest] : rest;
    if (Object(options).constraints) absent('constraints');
    if (/[(]/.test(path)) absent('regular expressions');
    if (/:\w+:(?!:)/.test(path)) absent('adjacent parameters');
    if (typeof handler !== 'function') throw new Error('The handler is not a function.');
    const route: Route = { method, path, handler: handler as Handler, store };
    this.#app = this.#build([...this.#routes, route]);
    this.#routes.push(route);
  }

  find(method: string, url: string, constraints?: object): Match | null {
    if (Object.values(constraints ?? {}).some(Boolean)) absent('constraints');
    this.#found = undefined;
    const req = new IncomingMessage(new Socket());
    Object.assign(req, { method, url, headers: { host: 'localhost' } });
    this.#app.handle(req, new ServerResponse(req));
    return this.#found ?? null;
  }

  lookup(req: IncomingMessage, res: unknown, context?: unknown, done?: unknown): unknown {
    if (typeof (done ?? context) === 'function') absent('callbacks');
    const match = this.find(req.method ?? '', req.url ?? '');
    const { defaultRoute } = this.#options;
    if (match === null) {
      if (typeof defaultRoute === 'function') return defaultRoute.call(context ?? this, req, res);
      (res as ServerResponse).statusCode = 404;
      return (res as ServerResponse).end();
    }
    const { handler, params, store, searchParams } = match;
    return handler.call(context ?? this, req, res, params, store, searchParams);
  }

  off(): never {
    return absent('removal');
  }

  reset(): never {
    return absent('removal');
  }

  prettyPrint(): never {
    return absent('prettyPrint');
  }

  findRoute(): never {
    return absent('routes');
  }

  hasRoute(): never {
    return absent('routes');
  }

  get routes(): never {
    return absent('routes');
  }

  addConstraintStrategy(): never {
    return absent('constraints');
  }

  hasConstraintStrategy(): never {
    return absent('constraints');
  }
}

function findMyWay(options?: Readonly<Record<string, unknown>>): Router {
  return new Router(options);
}

export { findMyWay as 'module.exports' };
