import type { Context } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { Controller, Ctx, Get, HttpCode, Redirect, type RedirectTarget } from '../src/index.js';
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

  @Get('/route-status', { status: 308 })
  @Redirect('/target')
  routeStatus() {}

  @Get('/http-code')
  @HttpCode(303)
  @Redirect('/target')
  httpCode() {}

  @Get('/created', { status: 201 })
  @Redirect('/target')
  created() {}

  @Get('/both', { status: 308 })
  @Redirect('/target', 301)
  both() {}

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

  @Get('/filled')
  @Redirect('https://x.test:81/:owner/:repository.git?page=:page&at=Talk:Page', 303)
  filled() {
    return { owner: 'a b/ö', repository: 'r', page: 2, other: true };
  }

  @Get('/filled-status')
  @Redirect('/:a-:b')
  filledStatus(): RedirectTarget {
    return { a: 'x', b: 'y', statusCode: 307 };
  }

  @Get('/lone-surrogate')
  @Redirect('/:a')
  loneSurrogate() {
    return { a: '\ud800' };
  }

  @Get('/replaced')
  @Redirect('/:owner')
  replaced() {
    return { url: '/other', owner: 'ada' };
  }

  @Get('/not-filled')
  @Redirect('/:owner')
  notFilled() {
    return { repository: 'r' };
  }

  @Get('/nothing')
  @Redirect('/:owner')
  nothing() {}

  @Get('/dots')
  @Redirect('/:owner/home')
  dots() {
    return { owner: '..' };
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
    ['route-status', 308, '/target'],
    ['http-code', 303, '/target'],
    ['created', 302, '/target'],
    ['both', 301, '/target'],
    ['string', 307, '/other'],
    ['object', 308, '/other'],
    ['partial', 303, '/target'],
    ['undefined', 307, '/target'],
    ['filled', 303, 'https://x.test:81/a%20b%2F%C3%B6/r.git?page=2&at=Talk:Page'],
    ['filled-status', 307, '/x-y'],
    ['lone-surrogate', 302, '/%EF%BF%BD'],
    ['replaced', 302, '/other'],
  ])('%s: %i to %s with an empty body', async (path, status, location) => {
    const { fetch } = await serve({ controllers });
    const response = await fetch(`/redirect/${path}`, { redirect: 'manual' });
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBe(location);
    expect(await response.text()).toBe('');
  });

  it.each(['injected', 'no-redirect', 'not-filled', 'nothing', 'dots'])(
    'responds with 500 if the redirect cannot be sent: %s',
    async (path) => {
      const { fetch, hidden } = await serve({ controllers });
      const response = await fetch(`/redirect/${path}`, { redirect: 'manual' });
      expect(response.status).toBe(500);
      expect(response.headers.get('location')).toBeNull();
      expect(hidden).toMatchObject([{ code: 'INVALID_REDIRECT' }]);
    },
  );

  it('names the placeholder that the result lacks', async () => {
    const { fetch, hidden } = await serve({ controllers });
    await fetch('/redirect/not-filled', { redirect: 'manual' });
    expect(hidden).toMatchObject([
      {
        message:
          "Cannot send the response of RedirectController.notFilled: the method returned no value for ':owner' in the URL of its redirect.\n  Fix: return an object whose owner is a number or a string other than '.' and '..', or return a URL.",
      },
    ]);
  });

  it('yields to a response made through ctx', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/redirect/by-ctx')).json()).toEqual({ stays: true });
  });
});
