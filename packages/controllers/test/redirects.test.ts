import type { Context } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { Controller, Ctx, Get, Redirect } from '../src/index.js';
import { serve } from './support/serve.js';

@Controller('/redirect')
class RedirectController {
  @Get('/default')
  @Redirect('/target')
  default() {}

  @Get('/status')
  @Redirect('/target', 301)
  status() {
    return undefined;
  }

  @Get('/string')
  @Redirect('/target', 307)
  string() {
    return '/other';
  }

  @Get('/object')
  @Redirect('/target')
  async object() {
    return { url: '/other', statusCode: 308 };
  }

  @Get('/partial')
  @Redirect('/target')
  partial() {
    return { statusCode: 303 };
  }

  @Get('/undefined')
  @Redirect('/target', 307)
  async undefinedMembers() {
    return { url: undefined, statusCode: undefined };
  }

  @Get('/injected')
  @Redirect('/target')
  injected() {
    return '/a\r\nSet-Cookie: x=1';
  }

  @Get('/no-redirect')
  @Redirect('/target')
  noRedirect() {
    return { statusCode: 200 };
  }

  @Get('/by-ctx')
  @Redirect('/target')
  byCtx(@Ctx() ctx: Context) {
    ctx.json({ stays: true });
  }
}

const controllers = [RedirectController];

describe('Redirect', () => {
  it.each([
    ['default', 302, '/target'],
    ['status', 301, '/target'],
    ['string', 307, '/other'],
    ['object', 308, '/other'],
    ['partial', 303, '/target'],
    ['undefined', 307, '/target'],
  ])('%s: %i to %s with an empty body', async (path, status, location) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(`/redirect/${path}`, { redirect: 'manual' });
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBe(location);
    expect(await response.text()).toBe('');
  });

  it.each(['injected', 'no-redirect'])(
    'responds with 500 if the redirect cannot be sent: %s',
    async (path) => {
      const { fetch, hidden } = await serve({ controllers });
      const response = await fetch(`/redirect/${path}`, { redirect: 'manual' });
      expect(response.status).toBe(500);
      expect(response.headers.get('location')).toBeNull();
      expect(hidden).toMatchObject([{ code: 'INVALID_REDIRECT' }]);
    },
  );

  it('yields to a response made through ctx', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/redirect/by-ctx')).json()).toEqual({ stays: true });
  });
});
