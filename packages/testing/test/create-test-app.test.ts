import { Body, Controller, Get, Header, Post } from '@fairlead/controllers';
import { createApp, json, type Middleware } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { createTestApp } from '../src/index.js';

@Controller('/echo')
class EchoController {
  @Get()
  read() {
    return 'here';
  }

  @Post()
  write(@Body() body: unknown, @Header('content-type') type: string) {
    return { body, type };
  }
}

const controllers = [EchoController];
const folder = (name: string) => new URL(`./support/${name}/`, import.meta.url);

/** Creates middleware that appends its name to a response header. */
const mark =
  (name: string): Middleware =>
  (ctx, next) => {
    ctx.append('X-Passed', name);
    return next();
  };

describe('controllers', () => {
  it('are discovered in a root', async () => {
    await using app = await createTestApp({ root: folder('controllers') });
    expect(await (await app.request('/health')).json()).toBe('well');
  });

  it('that cannot be imported fail the startup', async () => {
    const start = createTestApp({ root: folder('broken') });
    await expect(start).rejects.toMatchObject({ code: 'DISCOVERY_FAILED' });
  });

  it('that cannot be imported cause a warning without `strict`', async () => {
    const warnings: string[] = [];
    const logger = { debug: () => undefined, warn: (text: string) => warnings.push(text) };
    const options = { root: folder('broken'), strict: false, logger, controllers };
    await using app = await createTestApp(options);
    expect((await app.request('/echo')).status).toBe(200);
    expect(warnings).toContainEqual(expect.stringContaining('broken-controller.ts'));
  });

  it('are served below a prefix, behind the middleware of the plugin', async () => {
    const options = { controllers, prefix: '/api/v1', middleware: [mark('plugin')] };
    await using app = await createTestApp(options);
    const response = await app.request('/api/v1/echo');
    expect(response.headers.get('X-Passed')).toBe('plugin');
    expect((await app.request('/echo')).headers.get('X-Passed')).toBeNull();
  });
});

describe('an option', () => {
  it.each([
    [undefined, 'createTestApp() needs options. Pass an object.'],
    [[], 'options of createTestApp() must be an object: got [].'],
    [
      { controlers: controllers },
      "createTestApp() has no option 'controlers'. Did you mean 'controllers'?",
    ],
    [{ onErorr: () => {} }, "createTestApp() has no option 'onErorr'. Did you mean 'onError'?"],
    [{ register: {} }, 'register of createTestApp() must be a function: got an object.'],
    [
      { before: mark('a') },
      'before of createTestApp() must be an array of middleware: got a function.',
    ],
    [
      { overrides: { 'a token': {} } },
      'overrides of createTestApp() must be an array of [token, provider, options?]: got an object.',
    ],
    [
      { overrides: ['a token', { useValue: 1 }] },
      'overrides of createTestApp() must be an array of [token, provider, options?]: got an array.',
    ],
    [
      { app: 1, after: 2 },
      /^app of createTestApp\(\) must .* got 1\.\nafter of .* got 2\.\n.*combine/,
    ],
  ])('that is wrong is refused: %j', async (options, message) => {
    const start = createTestApp(options as never);
    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('of the plugin is refused by the plugin', async () => {
    const start = createTestApp({ controllers, validationStatus: 409 as never });
    await expect(start).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('of an override is refused by the container', async () => {
    const start = createTestApp({ controllers, overrides: [['a token', { value: 1 } as never]] });
    await expect(start).rejects.toMatchObject({ code: 'DI_INVALID_PROVIDER' });
  });
});

describe('middleware', () => {
  it('runs for every request in `before`, and without a matching route in `after`', async () => {
    const options = { controllers, before: [mark('a'), mark('b')], after: [mark('c')] };
    await using app = await createTestApp(options);
    expect((await app.request('/echo')).headers.get('X-Passed')).toBe('a, b');
    const missing = await app.request('/missing');
    expect([missing.status, missing.headers.get('X-Passed')]).toEqual([404, 'a, b, c']);
  });

  it('in `after` can respond', async () => {
    await using app = await createTestApp({ controllers, after: [(ctx) => ctx.send('fallback')] });
    expect(await (await app.request('/missing')).text()).toBe('fallback');
  });

  it('in `before` runs before `json()` and can parse the body instead', async () => {
    await using app = await createTestApp({ controllers, before: [json({ limit: 4 })] });
    const send = (value: unknown) => app.request('/echo', { method: 'POST', json: value });
    expect((await send('ab')).status).toBe(200);
    expect((await send('abc')).status).toBe(413);
  });

  it('responds with 405 to a method without a route', async () => {
    await using app = await createTestApp({ controllers });
    const response = await app.request('/echo', { method: 'DELETE' });
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS, POST');
  });
});

describe('fetch', () => {
  it('sends a Request', async () => {
    await using app = await createTestApp({ controllers });
    const headers = { 'Content-Type': 'application/json' };
    const request = new Request('http://localhost/echo', { method: 'POST', headers, body: '1' });
    expect(await (await app.fetch(request)).json()).toEqual({ body: 1, type: 'application/json' });
  });

  it('counts as a request when `await using` checks the overrides', async () => {
    @Service()
    class Unused {}

    const call = async () => {
      await using app = await createTestApp({
        app: () => createApp().get('/', () => 'here'),
        overrides: [[Unused, { useValue: {} }]],
      });
      await app.fetch(new Request('http://localhost/'));
    };
    await expect(call()).rejects.toMatchObject({ code: 'UNUSED_OVERRIDE' });
  });
});

describe('json', () => {
  it.each([{ name: 'Ada' }, [1], 'text', 7, false, null])('sends %j', async (json) => {
    await using app = await createTestApp({ controllers });
    const response = await app.request('/echo', { method: 'POST', json });
    expect(await response.json()).toEqual({ body: json, type: 'application/json' });
  });

  it('keeps the media type of the headers', async () => {
    await using app = await createTestApp({ controllers });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const response = await app.request('/echo', { method: 'POST', json: {}, headers });
    expect(await response.json()).toEqual({ body: {}, type: 'application/merge-patch+json' });
  });

  it('is rejected together with a body', async () => {
    await using app = await createTestApp({ controllers });
    const call = app.request('/echo', { method: 'POST', json: 1, body: '1' });
    await expect(call).rejects.toThrow('Cannot send both json and body');
  });
});

describe('close', () => {
  const log: string[] = [];

  @Service()
  class Pool implements Disposable {
    [Symbol.dispose]() {
      log.push('pool');
    }
  }

  @Controller('/pooled')
  class PooledController implements AsyncDisposable {
    constructor(readonly pool: Pool) {}

    @Get()
    read() {}

    async [Symbol.asyncDispose]() {
      log.push('controller');
    }
  }

  it('disposes the instances of the container once, newest first', async () => {
    log.length = 0;
    const app = await createTestApp({ controllers: [PooledController] });
    await app.close();
    await app.close();
    expect(log).toEqual(['controller', 'pool']);
    expect(() => app.container.resolve(Pool)).toThrow(
      expect.objectContaining({ code: 'DI_DISPOSED' }),
    );
  });

  it('runs at the end of an `await using` block', async () => {
    log.length = 0;
    {
      await using app = await createTestApp({ controllers: [PooledController] });
      expect((await app.request('/pooled')).status).toBe(204);
      expect(log).toEqual([]);
    }
    expect(log).toEqual(['controller', 'pool']);
  });

  it('runs when the startup fails', async () => {
    log.length = 0;
    class Unmarked {}
    const start = createTestApp({
      controllers: [Unmarked],
      register: (container) => container.resolve(Pool),
    });
    await expect(start).rejects.toMatchObject({
      code: 'NOT_A_CONTROLLER',
      message: expect.stringMatching(/\n {2}At: test\/create-test-app\.test\.ts:/),
    });
    expect(log).toEqual(['pool']);
  });
});

it('a message about middleware of the test shows the call of createTestApp()', async () => {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const doubtful = describeFunction<Middleware>((_ctx, next) => next(), {
    role: 'middleware',
    warning: () => 'Too short.',
  });
  @Controller('/notes')
  class NotesController {
    @Get()
    list() {
      return [];
    }
  }
  await using app = await createTestApp({ controllers: [NotesController], before: [doubtful] });
  await app.request('/notes');
  expect(emit.mock.calls.flat()).toContainEqual(
    expect.stringMatching(/^Too short\.\n {2}At: test\/create-test-app\.test\.ts:/),
  );
});
