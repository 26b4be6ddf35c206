import type { Context } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import compileResponse from 'fast-json-stringify';
import { describe, expect, it, vi } from 'vitest';
import {
  buildRoutes,
  Controller,
  Ctx,
  Get,
  HttpCode,
  type Interceptor,
  Post,
  Redirect,
  UseInterceptor,
} from '../src/index.js';
import { message } from './support/message.js';
import { schema } from './support/schema.js';
import { serve } from './support/serve.js';

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

  @Get('/refused', { response: user })
  @UseInterceptor(withoutName)
  refused() {
    return stored;
  }
}

function served() {
  return serve({ controllers: [UsersController], compileResponse });
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

  it('does not apply to responses through the context, bytes, redirects and empty responses', async () => {
    const { fetch } = await served();
    expect(await (await fetch('/users/ctx')).json()).toHaveProperty('password');
    expect(await (await fetch('/users/bytes')).text()).toBe('bytes');
    const redirect = await fetch('/users/redirect', { redirect: 'manual' });
    expect(redirect.headers.get('location')).toBe('/users/plain');
    expect((await fetch('/users/nothing')).status).toBe(204);
  });

  it('responds with 500 for a value that does not match, and names the route in the log', async () => {
    const { fetch, hidden } = await served();
    const response = await fetch('/users/refused');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('required');
    expect(hidden).toMatchObject([
      {
        name: 'ControllerError',
        code: 'RESPONSE_SCHEMA',
        cause: { message: '"name" is required!' },
        message: message(
          'Cannot send the response of UsersController.refused: the returned value does not match its response schema: "name" is required!',
          'Fix: return a value that matches `response`, or correct the schema.',
        ),
      },
    ]);
  });

  it('is only documentation without a compiler', async () => {
    const { fetch, plugin } = await serve({ controllers: [UsersController] });
    expect(await (await fetch('/users/plain')).json()).toHaveProperty('password');
    expect(plugin.state.controllers[0]?.routes[0]?.response).toBe(user);
  });

  it('is compiled once for all routes that share it', async () => {
    const compile = vi.fn(compileResponse);
    await serve({ controllers: [UsersController], compileResponse: compile });
    expect(compile).toHaveBeenCalledExactlyOnceWith(user);
  });

  it('may be a Standard Schema that converts to a JSON Schema', async () => {
    const validator = schema((value) => ({ value }));
    const output = ({ target }: { target: string }) => (target === 'draft-07' ? user : {});
    const convertible = { '~standard': { ...validator['~standard'], jsonSchema: { output } } };

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
    const { fetch } = await serve({ controllers: [ValidatorController], compileResponse });
    expect(await (await fetch('/convertible')).json()).toEqual(written);
    expect(await (await fetch('/validator')).json()).toHaveProperty('password');
  });

  it('stops the startup if it does not compile, together with other problems', async () => {
    @Controller('/broken')
    class BrokenController {
      @Get('/', { response: { type: 'nonsense' } })
      read() {}

      @Get('/other', { status: 99, response: user })
      other() {}
    }
    const options = { controllers: [BrokenController], compileResponse };
    await expect(serve(options)).rejects.toMatchObject({
      name: 'StartError',
      problems: [
        { name: 'RouteRegistrationError', handler: 'BrokenController.other' },
        {
          name: 'RouteRegistrationError',
          code: 'ROUTE_REGISTRATION',
          handler: 'BrokenController.read',
          message: expect.stringMatching(
            /^Cannot register the route BrokenController\.read: its response schema does not compile: Error: schema is invalid.*\n {2}Fix: correct `response` in the options of the route, or remove it\.$/s,
          ),
        },
      ],
    });
  });

  it('stops the startup if its compiler does not return a function', async () => {
    const broken = () => JSON.parse('null');
    const options = { controllers: [UsersController], compileResponse: broken };
    await expect(serve(options)).rejects.toThrow(/compileResponse did not return a function/);
  });

  it('is also compiled for single controllers', () => {
    const compile = vi.fn(compileResponse);
    buildRoutes(UsersController, { container: createContainer(), compileResponse: compile });
    expect(compile).toHaveBeenCalledOnce();
    const broken = () => {
      throw new Error('no compiler');
    };
    expect(() => buildRoutes(UsersController, { compileResponse: broken })).toThrow(/no compiler/);
  });
});
