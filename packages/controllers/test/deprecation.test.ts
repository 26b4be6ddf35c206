import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { expect, it } from 'vitest';
import { Controller, defineController, Get, registerController } from '../src/index.js';

const deprecated = { since: '2026-01-31', replacement: '/v2' };

@Controller('/class')
class OldController {
  @Get('/', { deprecated })
  show() {
    return 'here';
  }
}

const old = defineController('/value', {
  routes: ({ get }) => ({ show: get('/', { deprecated }, () => 'here') }),
});

it.each([
  ['class', OldController],
  ['value', old],
])('a deprecated route of a %s tells clients since when, and what to use', async (path, one) => {
  const router = createRouter();
  registerController(router, one, { container: createContainer() });
  const { headers, status } = await createApp().route('/', router).request(`/${path}`);
  expect([status, headers.get('Deprecation'), headers.get('Link')]).toEqual([
    200,
    '@1769817600',
    '</v2>; rel="successor-version"',
  ]);
});
