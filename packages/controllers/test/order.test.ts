import type { Context, Middleware, Next } from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Controller,
  createCustomParamDecorator,
  Get,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { serve } from './support/serve.js';

function notes(ctx: Context): string[] {
  ctx.state.notes ??= [];
  return ctx.state.notes as string[];
}

function note(text: string): Middleware {
  return (ctx: Context, next: Next) => {
    notes(ctx).push(text);
    return next();
  };
}

const guard = (text: string) => (ctx: Context) => notes(ctx).push(text) > 0;
const Notes = createCustomParamDecorator((ctx) => [...notes(ctx), 'parameters']);
const TYPED = token<Middleware>('TYPED');
const SYMBOL = Symbol('symbol');

@Controller()
@UseMiddleware(note('class 1'), note('class 2'))
@UseMiddleware('class token')
@UseGuard(guard('class guard'))
class OrderController {
  @Get()
  @UseGuard(guard('method guard'))
  @UseMiddleware(note('method 1'))
  @UseMiddleware(note('method 2'))
  read(@Notes seen: string[]) {
    return [...seen, 'method'];
  }
}

describe('a request', () => {
  it('passes plugin, class and method middleware, guards, parameters and method, in this order', async () => {
    const container = createContainer();
    container.register(TYPED, { useValue: note('plugin typed token') });
    container.register(SYMBOL, { useValue: note('plugin symbol') });
    container.register('text', { useValue: note('plugin string') });
    container.register('class token', { useValue: note('class token') });
    const { fetch } = await serve({
      container,
      controllers: [OrderController],
      middleware: [note('plugin function'), TYPED, SYMBOL, 'text'],
    });
    expect(await (await fetch('/')).json()).toEqual([
      'plugin function',
      'plugin typed token',
      'plugin symbol',
      'plugin string',
      'class 1',
      'class 2',
      'class token',
      'method 1',
      'method 2',
      'class guard',
      'method guard',
      'parameters',
      'method',
    ]);
  });

  it('returns through middleware, which may also respond early', async () => {
    @Controller()
    class WrappedController {
      @Get()
      @UseMiddleware(async (ctx, next) => {
        await next();
        ctx.set('X-Wrapped', String(ctx.status));
      })
      read() {
        return {};
      }

      @Get('/short')
      @UseMiddleware((ctx) => ctx.json({ short: true }))
      short() {
        return { short: false };
      }
    }
    const { fetch } = await serve({ controllers: [WrappedController] });
    expect((await fetch('/')).headers.get('x-wrapped')).toBe('200');
    expect(await (await fetch('/short')).json()).toEqual({ short: true });
  });
});
