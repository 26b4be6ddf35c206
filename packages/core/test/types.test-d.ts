import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { describe, expectTypeOf, it } from 'vitest';
import {
  type Application,
  type BodyOptions,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  type FetchOptions,
  HttpError,
  isHttpError,
  json,
  listen,
  type Middleware,
  notFoundHandler,
  type Plugin,
  type Problem,
  type Route,
  type Router,
  type Server,
} from '../src/index.js';

describe('Context', () => {
  it('has no `any` in its request data', () => {
    expectTypeOf<Context['body']>().toBeUnknown();
    expectTypeOf<Context['state'][string]>().toBeUnknown();
    expectTypeOf<Context['params']>().toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf<Context['query']>().toEqualTypeOf<Readonly<Record<string, string | undefined>>>();
    expectTypeOf<Context['headers']>().toEqualTypeOf<IncomingHttpHeaders>();
    expectTypeOf<Context['get']>().returns.toEqualTypeOf<string | undefined>();
    expectTypeOf<Context['method']>().toBeString();
    expectTypeOf<Context['path']>().toBeString();
    expectTypeOf<Context['signal']>().toEqualTypeOf<AbortSignal>();
    expectTypeOf<Context['req']>().toEqualTypeOf<IncomingMessage>();
    expectTypeOf<Context['res']>().toEqualTypeOf<ServerResponse>();
  });

  it('responds with any value, text, bytes or streams', () => {
    expectTypeOf<Context['json']>().parameter(0).toBeUnknown();
    expectTypeOf<Context['html']>().parameter(0).toBeString();
    expectTypeOf<string | Uint8Array | NodeJS.ReadStream>().toExtend<
      Parameters<Context['send']>[0]
    >();
    expectTypeOf<Context['status']>().toBeNumber();
  });

  it('has a read-only request and path', () => {
    expectTypeOf<{ readonly req: IncomingMessage }>().toEqualTypeOf<Pick<Context, 'req'>>();
    expectTypeOf<{ readonly path: string }>().toEqualTypeOf<Pick<Context, 'path'>>();
  });
});

describe('Middleware', () => {
  it('may be synchronous or asynchronous, and return anything', () => {
    expectTypeOf<(ctx: Context) => void>().toExtend<Middleware>();
    expectTypeOf<
      (ctx: Context, next: () => void | Promise<void>) => Promise<void>
    >().toExtend<Middleware>();
    expectTypeOf<() => string>().toExtend<Middleware>();
  });

  it('has no parameters besides ctx and next', () => {
    expectTypeOf<
      (ctx: Context, next: () => void, error: Error) => void
    >().not.toExtend<Middleware>();
    expectTypeOf<(ctx: string) => void>().not.toExtend<Middleware>();
  });

  it('has inferred parameters', () => {
    createApp().use((ctx, next) => {
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      expectTypeOf(next).returns.toEqualTypeOf<void | Promise<void>>();
    });
    createRouter().get('/', (ctx, next) => {
      expectTypeOf(ctx).toEqualTypeOf<Context<Record<never, string>>>();
      expectTypeOf(next).returns.toEqualTypeOf<void | Promise<void>>();
    });
  });

  it('is the result of the factories', () => {
    expectTypeOf(json).returns.toEqualTypeOf<Middleware>();
    expectTypeOf(errorHandler).returns.toEqualTypeOf<Middleware>();
    expectTypeOf(notFoundHandler).returns.toEqualTypeOf<Middleware>();
    expectTypeOf(json).parameter(0).toEqualTypeOf<BodyOptions | undefined>();
    expectTypeOf<BodyOptions['limit']>().toEqualTypeOf<number | string | undefined>();
    expectTypeOf<{ includeStack: boolean }>().toExtend<
      NonNullable<Parameters<typeof errorHandler>[0]>
    >();
  });
});

describe('the application', () => {
  it('chains its registrations', () => {
    expectTypeOf(createApp).returns.toEqualTypeOf<Application>();
    expectTypeOf(createApp().use(json())).toEqualTypeOf<Application>();
    expectTypeOf(createApp().route('/', createRouter())).toEqualTypeOf<Application>();
    expectTypeOf<Application['plugin']>().returns.resolves.toEqualTypeOf<Application>();
    expectTypeOf(createRouter().get('/', () => undefined)).toEqualTypeOf<Router>();
    expectTypeOf<Application['routes']>().returns.toEqualTypeOf<readonly Route[]>();
  });

  it("responds in process with the platform's Response", () => {
    expectTypeOf<Application['fetch']>().parameters.toEqualTypeOf<
      [Request, options?: FetchOptions | undefined]
    >();
    expectTypeOf<Application['fetch']>().returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf<Application['request']>().returns.resolves.toEqualTypeOf<Response>();
  });

  it('accepts synchronous and asynchronous plugins', () => {
    expectTypeOf<{ name: string; install(app: Application): void }>().toExtend<Plugin>();
    expectTypeOf<{ name: string; install(app: Application): Promise<void> }>().toExtend<Plugin>();
    expectTypeOf<{ name: string }>().not.toExtend<Plugin>();
  });

  it('listens', () => {
    expectTypeOf(listen).returns.resolves.toEqualTypeOf<Server>();
    expectTypeOf<Server['port']>().toBeNumber();
    expectTypeOf<Server['url']>().toBeString();
    expectTypeOf<Server['close']>()
      .parameter(0)
      .toEqualTypeOf<{ readonly timeout?: number } | undefined>();
  });
});

describe('errors', () => {
  it('are narrowed by isHttpError', () => {
    expectTypeOf(isHttpError).guards.toEqualTypeOf<HttpError>();
    expectTypeOf<HttpError['status']>().toBeNumber();
    expectTypeOf<HttpError['headers']>().toEqualTypeOf<Readonly<Record<string, string>>>();
  });

  it('are described by Problem', () => {
    expectTypeOf<Problem['status']>().toBeNumber();
    expectTypeOf<Problem['stack']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Problem['issues']>().toBeUnknown();
  });
});
