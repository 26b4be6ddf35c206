import { type Context, createApp } from '@fairlead/core';
import compileResponse from 'fast-json-stringify';
import { describe, expect, it, vi } from 'vitest';
import {
  buildRoutes,
  Controller,
  Ctx,
  Delete,
  Get,
  HttpCode,
  type Interceptor,
  Post,
  Redirect,
  UseInterceptor,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';
import { schema } from './support/schema.js';
import { serve } from './support/serve.js';

const locationOf = locationsIn(import.meta.url);

const user = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, createdAt: { type: 'string', format: 'date-time' } },
};

const stored = { name: 'Ada', createdAt: new Date(0), password: 'secret' };
const written = { name: 'Ada', createdAt: '1970-01-01T00:00:00.000Z' };

const withoutName: Interceptor = () => ({});

@Controller('/users')
class UsersController {
  @Get('/plain', { response: user })
  plain() {
    return stored;
  }

  @Post('/later', { response: user })
  @HttpCode(201)
  async later() {
    return stored;
  }

  @Get('/missing', { response: user })
  missing(@Ctx() ctx: Context) {
    ctx.status = 404;
    return { error: 'no such user' };
  }

  @Get('/ctx', { response: user })
  ctx(@Ctx() ctx: Context) {
    ctx.json(stored);
  }

  @Get('/bytes', { response: user })
  bytes() {
    return new TextEncoder().encode('bytes');
  }

  @Get('/redirect', { response: user })
  @Redirect('/elsewhere')
  redirect() {
    return { url: '/users/plain' };
  }

  @Get('/nothing', { response: user })
  nothing() {}

  @Post('/nothing', { response: { 201: user } })
  create() {}

  @Get('/empty', { response: { 200: user, 204: {} } })
  empty() {}

  @Delete('/nothing', { response: { 404: user } })
  remove() {}

  @Get('/not-modified', { response: user })
  notModified(@Ctx() ctx: Context) {
    ctx.status = 304;
  }

  @Get('/refused', { response: user })
  @UseInterceptor(withoutName)
  refused() {
    return stored;
  }
}

function served() {
  return serve({ controllers: [UsersController] }, [], { compileResponse });
}

describe('response', () => {
  it.each([
    ['GET', '/users/plain', 200],
    ['POST', '/users/later', 201],
  ])('serializes the result of %s %s with its schema', async (method, path, status) => {
    const { fetch } = await served();
    const response = await fetch(path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(written);
  });

  it('only applies to a successful status', async () => {
    const { fetch } = await served();
    const response = await fetch('/users/missing');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'no such user' });
  });

  it('applies to ctx.json(), but not to bytes and redirects', async () => {
    const { fetch } = await served();
    expect(await (await fetch('/users/ctx')).json()).toEqual(written);
    expect(await (await fetch('/users/bytes')).text()).toBe('bytes');
    const redirect = await fetch('/users/redirect', { redirect: 'manual' });
    expect(redirect.headers.get('location')).toBe('/users/plain');
  });

  it.each(['GET', 'POST'])(
    'requires a result of %s, unless a schema allows none',
    async (method) => {
      const { fetch, hidden } = await served();
      expect((await fetch('/users/nothing', { method })).status).toBe(500);
      expect(hidden).toMatchObject([
        {
          code: 'NO_RESPONSE',
          message: `The route ${method} /users/nothing sent no body, but its response schema requires one. Return a value from its handler, respond through ctx, or describe 204 in response.`,
        },
      ]);
    },
  );

  it.each([
    ['GET', '/users/empty', 204],
    ['DELETE', '/users/nothing', 204],
    ['GET', '/users/not-modified', 304],
  ])('allows that %s %s returns nothing', async (method, path, status) => {
    const { fetch } = await served();
    expect((await fetch(path, { method })).status).toBe(status);
  });

  it('responds with 500 for a value that does not match, and names the route in the log', async () => {
    const { fetch, hidden } = await served();
    const response = await fetch('/users/refused');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('required');
    expect(hidden).toMatchObject([
      {
        code: 'RESPONSE_SCHEMA',
        cause: { message: '"name" is required!' },
        message: message(
          'The response of GET /users/refused does not match its schema: "name" is required!',
          'Fix: respond with what the schema produces, or correct the schema.',
        ),
      },
    ]);
  });

  it('removes what it does not describe without a compiler', async () => {
    const { fetch, plugin } = await serve({ controllers: [UsersController] });
    expect(await (await fetch('/users/plain')).json()).toEqual(written);
    expect(await (await fetch('/users/ctx')).json()).toEqual(written);
    expect(plugin.state.controllers[0]?.routes[0]?.response).toBe(user);
  });

  it('is compiled once for all routes that share it', async () => {
    const compile = vi.fn(compileResponse);
    await serve({ controllers: [UsersController] }, [], { compileResponse: compile });
    expect(compile.mock.calls.filter(([one]) => one === user)).toHaveLength(1);
  });

  it('may be a Standard Schema that converts to a JSON Schema', async () => {
    const validator = schema((value) => ({ value }));
    const output = ({ target }: { target: string }) => (target === 'draft-07' ? user : {});
    const convertible = {
      '~standard': { ...validator['~standard'], jsonSchema: { input: output, output } },
    };

    @Controller()
    class ValidatorController {
      @Get('/convertible', { response: convertible })
      convertible() {
        return stored;
      }

      @Get('/validator', { response: validator })
      validator() {
        return stored;
      }
    }
    const { fetch } = await serve({ controllers: [ValidatorController] }, [], { compileResponse });
    expect(await (await fetch('/convertible')).json()).toEqual(written);
    expect(await (await fetch('/validator')).json()).toHaveProperty('password');
  });

  it('stops the startup if it does not compile', async () => {
    @Controller('/broken')
    class BrokenController {
      @Get('/', { response: { type: 'nonsense' } })
      read() {}
    }
    const served = serve({ controllers: [BrokenController] }, [], { compileResponse });
    await expect(served).rejects.toMatchObject({
      code: 'INVALID_RESPONSE_SCHEMA',
      message: expect.stringMatching(/^Cannot compile the response schema of GET \/broken: /),
    });
  });

  it('stops the startup if it describes other statuses than that of the route', async () => {
    @Controller('/users')
    class StatusController {
      @Post('/created', { response: { 201: user } })
      @HttpCode(200)
      create() {}

      @Post('/old', { status: 410, response: { 200: user, 404: user } })
      @Post('/moved', { status: 201, response: { 200: user } })
      @Redirect('/elsewhere')
      move() {}
    }
    expect(await failStart([StatusController])).toMatchObject({
      code: 'ROUTE_REGISTRATION',
      message: message(
        'Cannot register the route StatusController.create: its status is 200, but its response describes only 201.',
        `At: ${locationOf('StatusController', "@Post('/created'")}`,
        'Fix: add a schema for 200 to response, or change the status.',
      ),
    });
  });

  it('applies to built routes that are registered with their options', async () => {
    const app = createApp({ compileResponse });
    for (const { method, path, options, handlers } of buildRoutes(UsersController)) {
      app.on(method, path, options, ...handlers);
    }
    expect(await (await app.request('/users/plain')).json()).toEqual(written);
  });
});
