import type { Middleware } from '@fairlead/core';
import { expect, it } from 'vitest';
import { Controller, defineController, Get, SetHeader } from '../src/index.js';
import { serve } from './support/serve.js';

const addOrigin: Middleware = (ctx, next) => {
  ctx.append('Vary', 'Origin');
  return next();
};

@Controller('/users')
class Users {
  @Get('/') @SetHeader('Vary', 'Accept') list() {
    return [];
  }
}

const users = defineController('/users', {
  routes: ({ get }) => ({
    list: get('/', { metadata: [SetHeader('Vary', 'Accept')] }, () => []),
  }),
});

it.each([
  ['class', Users],
  ['value', users],
])('@SetHeader() of a %s adds to Vary', async (_, controller) => {
  const { fetch } = await serve({ controllers: [controller] }, [addOrigin]);
  expect((await fetch('/users')).headers.get('Vary')).toBe('Origin, Accept');
});
