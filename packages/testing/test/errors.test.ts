import {
  Controller,
  controllersPlugin,
  createCustomParamDecorator,
  Get,
  Param,
} from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  HttpError,
  NotFoundError,
  type StandardSchema,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { createTestApp } from '../src/index.js';

const cause = new Error('no database');
const fail = (): never => {
  throw cause;
};
const createSchema = (validate: () => never): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate },
});
const Failing = createCustomParamDecorator(fail);

@Controller('/parameters')
class ParametersController {
  @Get('/transform/:value')
  transform(@Param('value', { transform: fail }) value: unknown) {
    return { value };
  }

  @Get('/custom')
  custom(@Failing value: unknown) {
    return { value };
  }

  @Get('/schema/:value')
  schema(@Param('value', { transform: createSchema(fail) }) value: unknown) {
    return { value };
  }

  @Get('/malformed/:value')
  malformed(@Param('value', { transform: createSchema(() => ({}) as never) }) value: unknown) {
    return { value };
  }
}

@Controller('/failures')
class FailuresController {
  @Get('/missing')
  missing() {
    throw new NotFoundError('Not found');
  }

  @Get('/undefined')
  throwUndefined() {
    throw undefined;
  }

  @Get('/status/:status')
  async fail(@Param('status', { transform: Number }) status: number) {
    await new Promise(setImmediate);
    throw new HttpError(status, `failed with ${status}`);
  }

  @Get('/:name')
  async throwNamed(@Param('name') name: string) {
    await new Promise(setImmediate);
    throw new TypeError(name);
  }
}

const controllers = [FailuresController, ParametersController];

describe('an error hidden from the client', () => {
  it('rejects the call', async () => {
    await using app = await createTestApp({ controllers });
    await expect(app.request('/failures/one')).rejects.toThrow(new TypeError('one'));
  });

  it('rejects a call with a Request, too', async () => {
    await using app = await createTestApp({ controllers });
    const call = app.fetch(new Request('http://localhost/failures/one'));
    await expect(call).rejects.toThrow(new TypeError('one'));
  });

  it('rejects only its own call among concurrent ones', async () => {
    await using app = await createTestApp({ controllers });
    const names = ['one', 'two', 'three', 'missing', 'four'];
    const outcomes = await Promise.allSettled(
      names.map((name) => app.request(`/failures/${name}`)),
    );
    expect(outcomes).toEqual([
      { status: 'rejected', reason: new TypeError('one') },
      { status: 'rejected', reason: new TypeError('two') },
      { status: 'rejected', reason: new TypeError('three') },
      { status: 'fulfilled', value: expect.objectContaining({ status: 404 }) },
      { status: 'rejected', reason: new TypeError('four') },
    ]);
  });

  it.each([500, 503])('rejects the call with an HttpError of %d', async (status) => {
    await using app = await createTestApp({ controllers });
    await expect(app.request(`/failures/status/${status}`)).rejects.toMatchObject({ status });
  });

  it.each([
    ['custom', cause],
    ['schema/1', cause],
    ['malformed/1', expect.any(TypeError)],
  ])('rejects the call when it occurs in a parameter: %s', async (path, expected) => {
    await using app = await createTestApp({ controllers });
    await expect(app.request(`/parameters/${path}`)).rejects.toMatchObject({
      status: 500,
      code: 'PARAMETER_INJECTION',
      cause: expected,
    });
  });

  it('can be undefined', async () => {
    await using app = await createTestApp({ controllers });
    await expect(app.request('/failures/undefined')).rejects.toBeUndefined();
  });

  it('rejects the call when middleware throws it', async () => {
    const before = [
      () => {
        throw new RangeError('early');
      },
    ];
    await using app = await createTestApp({ controllers, before });
    await expect(app.request('/anywhere')).rejects.toThrow(new RangeError('early'));
  });

  it('rejects the call instead of the error of its closed connection', async () => {
    const before = [
      (ctx: Context) => {
        ctx.takeOver().writeHead(200);
        throw new RangeError('after the headers');
      },
    ];
    await using app = await createTestApp({ controllers, before });
    await expect(app.request('/anywhere')).rejects.toThrow(new RangeError('after the headers'));
  });

  it('is logged to stderr after the response of its call', async () => {
    const late = new RangeError('late');
    const logged = new Promise((resolve) => {
      vi.spyOn(console, 'error').mockImplementation(resolve);
    });
    let respond = () => {};
    const responded = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const before = [
      async (ctx: Context) => {
        ctx.takeOver().end('early');
        await responded;
        throw late;
      },
    ];
    await using app = await createTestApp({ controllers, before });
    expect(await (await app.request('/anywhere')).text()).toBe('early');
    respond();
    expect(await logged).toBe(late);
  });

  it('is passed to `onError`, and the call gets the same response as in production', async () => {
    const errors: unknown[] = [];
    await using app = await createTestApp({
      controllers,
      onError: (error, ctx) => errors.push([ctx.path, error]),
    });
    const response = await app.request('/failures/one');

    const router = createRouter();
    const production = createApp().use(errorHandler({ onError: () => undefined }));
    const container = createContainer();
    await production.plugin(controllersPlugin({ router, container, controllers }));
    production.route('/', router);
    const expected = await production.request('/failures/one');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual(await expected.json());
    expect(errors).toEqual([['/failures/one', new TypeError('one')]]);
  });
});

describe('an error shown to the client', () => {
  it('is a response and logged to stderr if it is also reported', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    await using app = await createTestApp({ controllers });
    expect((await app.request('/parameters/transform/1')).status).toBe(400);
    expect(logged.mock.calls).toEqual([[expect.objectContaining({ cause })]]);
  });

  it('is passed to `onError` if it is also reported', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const errors: unknown[] = [];
    await using app = await createTestApp({ controllers, onError: (error) => errors.push(error) });
    expect((await app.request('/parameters/transform/1')).status).toBe(400);
    expect(errors).toEqual([expect.objectContaining({ cause })]);
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([
    ['/failures/missing', 404],
    ['/failures/status/418', 418],
    ['/nowhere', 404],
  ])('is a response: %s', async (path, status) => {
    await using app = await createTestApp({ controllers });
    expect((await app.request(path)).status).toBe(status);
  });
});
