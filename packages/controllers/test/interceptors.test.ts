import { createContainer, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  buildRoutes,
  Controller,
  Get,
  HttpCode,
  type Interceptor,
  Param,
  SetHeader,
  UseInterceptor,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';

const wrapIn =
  (name: string): Interceptor =>
  async (_ctx, next) => ({ [name]: await next() });

const retry: Interceptor = (_ctx, next) => {
  try {
    return next();
  } catch {
    return next();
  }
};

@UseInterceptor(wrapIn('base'))
abstract class BaseController {
  @Get('/inherited')
  inherited(): unknown {
    return 'inherited';
  }
}

@Controller('/items')
@UseInterceptor(wrapIn('outer'), wrapIn('inner'))
class ItemController extends BaseController {
  @Get('/many')
  @UseInterceptor(wrapIn('method'))
  async many() {
    return [1, 2];
  }

  @Get('/text/:text')
  @UseInterceptor((ctx, next) => `${ctx.params.text} became ${String(next())}`)
  text(@Param('text') text: string) {
    return text.toUpperCase();
  }
}

let attempts = 0;

@Controller('/plain')
class PlainController {
  @Get()
  read() {
    return {};
  }

  @Get('/cached')
  @HttpCode(203)
  @SetHeader('X-Cache', 'hit')
  @UseInterceptor(() => ({ cached: true }))
  cached() {
    throw new Error('unreachable');
  }

  @Get('/stacked')
  @UseInterceptor(wrapIn('first'))
  @UseInterceptor(wrapIn('second'))
  stacked() {
    return 'stacked';
  }

  @Get('/flaky')
  @UseInterceptor(retry)
  flaky() {
    attempts += 1;
    if (attempts === 1) throw new Error('first');
    return { attempts };
  }
}

const controllers = [ItemController, PlainController];

describe('an interceptor', () => {
  it("changes the method's result, the method's inside the class's inside the base's", async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/items/many')).json()).toEqual({
      base: { outer: { inner: { method: [1, 2] } } },
    });
    expect(await (await fetch('/items/inherited')).json()).toEqual({
      base: { outer: { inner: 'inherited' } },
    });
  });

  it('runs inside those of the decorators above its own', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/plain/stacked')).json()).toEqual({ first: { second: 'stacked' } });
  });

  it('receives the context and the result', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/items/text/ada')).json()).toEqual({
      base: { outer: { inner: 'ada became ADA' } },
    });
  });

  it('may skip the method, and keeps the status and headers of the route', async () => {
    const { fetch } = await serve({ controllers });
    const cached = await fetch('/plain/cached');
    expect([cached.status, cached.headers.get('x-cache')]).toEqual([203, 'hit']);
    expect(await cached.json()).toEqual({ cached: true });
  });

  it('may run the method again', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/plain/flaky')).json()).toEqual({ attempts: 2 });
  });

  it('adds no handler to a route', () => {
    const lengths = buildRoutes(PlainController).map(({ handlers }) => handlers.length);
    expect(lengths).toEqual([1, 1, 1, 1]);
  });
});

describe('a token of an interceptor', () => {
  const WRAP = token<Interceptor>('WRAP');

  @Service({ scope: 'request' })
  class Counter {
    static count = 0;
    readonly number = ++Counter.count;
  }

  @Controller()
  @UseInterceptor(WRAP)
  class TokenController {
    @Get()
    read() {
      return 'read';
    }
  }

  it('is resolved by the container, for each request if it is request-scoped', async () => {
    const container = createContainer();
    const useFactory =
      ({ number }: Counter): Interceptor =>
      (_ctx, next) => [number, next()];
    container.register(WRAP, { useFactory, inject: [Counter] }, { scope: 'request' });
    const { fetch } = await serve({ container, controllers: [TokenController] });
    expect(await (await fetch('/')).json()).toEqual([1, 'read']);
    expect(await (await fetch('/')).json()).toEqual([2, 'read']);
  });

  it('stops the startup if nothing provides it, or its provider is not a function', async () => {
    const missing = await failStart([TokenController]);
    expect(missing.message).toContain('the interceptor token(WRAP) of TokenController.read');
    const container = createContainer().register(WRAP as never, { useValue: 7 });
    const wrong = await failStart([TokenController], { container });
    expect(wrong.message).toContain('returned 7, which is not a function (ctx, next)');
  });
});
