import { NotFoundError, type StandardSchema } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  createCustomParamDecorator,
  Get,
  Param,
  ParameterInjectionError,
  Post,
  Query,
} from '../src/index.js';
import { schema } from './support/schema.js';
import { serve } from './support/serve.js';

const positive = schema<number>((value) =>
  Number(value) > 0 ? { value: Number(value) } : { issues: [{ message: 'must be positive' }] },
);
const withDefault = schema<number>((value) => ({
  value: value === undefined ? 10 : Number(value),
}));
const slowUser: StandardSchema<{ name: string }> = schema<{ name: string }>(async (value) => ({
  value: { name: String((value as { name?: unknown } | undefined)?.name) },
}));
const nested = schema<unknown>(() => ({
  issues: [
    { message: 'too short', path: ['users', { key: 0 }, 'name'] },
    { message: 'unknown', path: [Symbol('secret')] },
  ],
}));

const throwing = schema<unknown>(() => {
  throw new Error('inner secret');
});
const rejecting = schema<unknown>(() => Promise.reject(new Error('inner secret')));

/** What the schema of `/schema/malformed/:kind` returns. */
const MALFORMED = {
  nothing: undefined,
  empty: {},
  text: 'text',
  'no list': { issues: 'text', value: 1 },
  'no issue': { issues: [] },
  later: Promise.resolve({}),
};
const malformed = schema<unknown>((kind) => Reflect.get(MALFORMED, String(kind)));

const Path = createCustomParamDecorator((ctx) => ctx.path);
const Broken = createCustomParamDecorator((): string => {
  throw new Error('inner secret');
});
const Absent = createCustomParamDecorator((): string => {
  throw new NotFoundError('no such tenant');
});

@Controller()
class TransformController {
  @Get('/number/:id')
  number(@Param('id', { transform: Number }) id: number) {
    return { id };
  }

  @Get('/slow/:id')
  slow(@Param('id', { transform: async (id: string) => `${id}!` }) id: string) {
    return { id };
  }

  @Get('/throws/:id')
  throws(@Param('id', { transform: () => JSON.parse('{inner secret') }) id: unknown) {
    return { id };
  }

  @Get('/rejects/:id')
  rejects(
    @Param('id', { transform: () => Promise.reject(new Error('inner secret')) }) id: unknown,
  ) {
    return { id };
  }

  @Get('/http/:id')
  http(
    @Param('id', {
      transform: (id: string) => {
        throw new NotFoundError(`User ${id} not found`);
      },
    })
    id: string,
  ) {
    return { id };
  }

  @Get('/schema')
  schema(@Query('page', { transform: positive }) page: number) {
    return { page };
  }

  @Get('/schema/default')
  schemaDefault(@Query('limit', { transform: withDefault }) limit: number) {
    return { limit };
  }

  @Post('/schema/slow')
  schemaSlow(@Body({ transform: slowUser }) user: { name: string }) {
    return user;
  }

  @Post('/schema/field')
  schemaField(@Body('user', { transform: nested }) user: unknown) {
    return { user };
  }

  @Get('/custom/broken')
  customBroken(@Broken value: string) {
    return { value };
  }

  @Get('/custom/transformed')
  customTransformed(@Path({ transform: (path: string) => JSON.parse(path) }) value: unknown) {
    return { value };
  }

  @Get('/schema/throws')
  schemaThrows(@Query('page', { transform: throwing }) page: unknown) {
    return { page };
  }

  @Get('/schema/rejects')
  schemaRejects(@Query('page', { transform: rejecting }) page: unknown) {
    return { page };
  }

  @Get('/schema/malformed/:kind')
  schemaMalformed(@Param('kind', { transform: malformed }) kind: unknown) {
    return { kind };
  }

  @Get('/custom/absent')
  customAbsent(@Absent value: string) {
    return { value };
  }
}

const controllers = [TransformController];

describe('transform as a function', () => {
  it('is applied to the extracted value', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/number/7')).json()).toEqual({ id: 7 });
  });

  it('may be asynchronous', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/slow/7')).json()).toEqual({ id: '7!' });
  });

  it.each(['throws', 'rejects'])(
    'responds with 400 PARAMETER_INJECTION if it %s, and shows the cause only to onError',
    async (kind) => {
      const { fetch, hidden } = await serve({ controllers });
      const response = await fetch(`/${kind}/7`);
      const text = await response.text();
      expect(response.status).toBe(400);
      expect(text).not.toContain('inner secret');
      expect(text).not.toContain('TransformController');
      expect(JSON.parse(text)).toMatchObject({
        code: 'PARAMETER_INJECTION',
        error: "The route parameter 'id' could not be read. Send a valid value.",
      });
      expect(hidden).toMatchObject([
        {
          handler: `TransformController.${kind}`,
          parameter: "route parameter 'id'",
          stack: expect.any(String),
          cause: expect.any(Error),
        },
      ]);
    },
  );

  it('keeps the status of an HttpError that it throws', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/http/7');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'User 7 not found' });
  });
});

describe('transform as a Standard Schema', () => {
  it('passes on the output of the schema', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/schema?page=2')).json()).toEqual({ page: 2 });
  });

  it('may be asynchronous', async () => {
    const { post } = await serve({ controllers });
    const response = await post('/schema/slow', { name: 1, more: 2 });
    expect(await response.json()).toEqual({ name: '1' });
  });

  it('responds with 400 VALIDATION_FAILED and issues whose path starts with the parameter', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/schema?page=-1');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: ['query', 'page'], message: 'must be positive' }],
    });
  });

  it('names no class of the server in its error', async () => {
    const { fetch, hidden } = await serve({ controllers });
    expect(await (await fetch('/schema?page=-1')).json()).toMatchObject({
      error: 'The query is not valid. See issues.',
    });
    expect(hidden).toEqual([]);
  });

  it.each(['throws', 'rejects', 'throws for no value'])(
    'responds with 500 PARAMETER_INJECTION if its validate %s',
    async (kind) => {
      const { fetch, hidden } = await serve({ controllers });
      const query = kind === 'throws for no value' ? '' : '?page=1';
      const response = await fetch(`/schema/${kind.split(' ')[0]}${query}`);
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(text).not.toContain('inner secret');
      expect(hidden).toMatchObject([
        { code: 'PARAMETER_INJECTION', cause: { message: 'inner secret' } },
      ]);
    },
  );

  it.each(Object.keys(MALFORMED))(
    'responds with 500 PARAMETER_INJECTION if its result is malformed: %s',
    async (kind) => {
      const { fetch, hidden } = await serve({ controllers });
      const response = await fetch(`/schema/malformed/${kind}`);
      expect(response.status).toBe(500);
      expect(hidden).toMatchObject([
        {
          code: 'PARAMETER_INJECTION',
          message: expect.stringContaining(
            "Reading the route parameter 'kind' of TransformController.schemaMalformed failed.",
          ),
          cause: { message: expect.stringContaining('neither a value nor issues') },
        },
      ]);
    },
  );

  it('locates issues within a body field', async () => {
    const { post } = await serve({ controllers });
    const response = await post('/schema/field', { user: {} });
    expect(await response.json()).toMatchObject({
      issues: [
        { path: ['body', 'user', 'users', 0, 'name'], message: 'too short' },
        { path: ['body', 'user', 'Symbol(secret)'], message: 'unknown' },
      ],
    });
  });

  it('may define a default for an absent value', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/schema/default')).json()).toEqual({ limit: 10 });
  });

  it('decides about absent values', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/schema');
    expect(await response.json()).toMatchObject({
      status: 400,
      issues: [{ source: 'query', path: ['query', 'page'], message: 'must be positive' }],
    });
    const body = await fetch('/schema/slow', { method: 'POST' });
    expect(await body.json()).toEqual({ name: 'undefined' });
  });
});

describe('a custom extractor', () => {
  it('that throws causes a 500 PARAMETER_INJECTION', async () => {
    const { fetch, hidden } = await serve({ controllers });
    const response = await fetch('/custom/broken');
    expect(await response.json()).toMatchObject({
      status: 500,
      code: 'PARAMETER_INJECTION',
      error: 'Internal Server Error',
    });
    expect(hidden).toMatchObject([
      {
        message: expect.stringContaining(
          'Reading the custom parameter of TransformController.customBroken failed.',
        ),
        cause: { message: 'inner secret' },
      },
    ]);
  });

  it('whose transform throws causes a 400 PARAMETER_INJECTION', async () => {
    const { fetch } = await serve({ controllers });
    const response = await fetch('/custom/transformed');
    expect(await response.json()).toMatchObject({ status: 400, code: 'PARAMETER_INJECTION' });
  });

  it('that throws an HttpError keeps its status', async () => {
    const { fetch } = await serve({ controllers });
    expect((await fetch('/custom/absent')).status).toBe(404);
  });
});

describe('ParameterInjectionError', () => {
  it('keeps the thrown error as its cause', () => {
    const cause = new Error('inner');
    const error = new ParameterInjectionError({ parameter: 'body', handler: 'A.b' }, cause);
    expect(error).toMatchObject({ status: 400, cause, parameter: 'body', handler: 'A.b' });
  });
});
