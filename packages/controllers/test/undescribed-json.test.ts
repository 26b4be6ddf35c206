import {
  type Application,
  type ApplicationOptions,
  type Context,
  content,
  createApp,
  createRouter,
  type ResponseSchemas,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  Controller,
  type ControllersPluginOptions,
  Ctx,
  controllersPlugin,
  defineController,
  Get,
  HttpCode,
} from '../src/index.js';

const Public = z.object({ name: z.string() });
const Full = z.object({ name: z.string(), salary: z.number() });
const Guest = z.object({ role: z.literal('guest') });
const Admin = z.object({ role: z.literal('admin'), salary: z.number() });
const secret = { name: 'Ada', salary: 7, hash: 'x' };

/** The options of a route, of which some are mistakes. */
interface Options {
  readonly response: ResponseSchemas | object;
  readonly status?: number;
}

type Handle = (ctx: Context) => unknown;

async function withControllers(
  options: ApplicationOptions,
  controllers: NonNullable<ControllersPluginOptions['controllers']>,
): Promise<Application> {
  const [container, router] = [createContainer(), createRouter()];
  const app = createApp(options);
  await app.plugin(controllersPlugin({ container, router, controllers }));
  return app.route('/', router);
}

const styles: readonly (readonly [
  string,
  (route: Options, handle: Handle, options: ApplicationOptions) => Promise<Application>,
])[] = [
  [
    'a function',
    async (route, handle, options) =>
      createApp(options).on('GET', '/users', route as object, (ctx: Context) => handle(ctx)),
  ],
  [
    'a value',
    async (route, handle, options) => {
      const users = defineController('/users', {
        routes: ({ get }) => ({
          find: get('/', route as object, (ctx: Context) => handle(ctx)),
        }),
      });
      return withControllers(options, [users]);
    },
  ],
  [
    'a class',
    async (route, handle, options) => {
      @Controller('/users')
      class Users {
        @Get('/', route as object)
        find(@Ctx() ctx: Context) {
          return handle(ctx);
        }
      }
      return withControllers(options, [Users]);
    },
  ],
  [
    'a class with @HttpCode()',
    async ({ status = 200, response }, handle, options) => {
      @Controller('/users')
      class Users {
        @Get('/', { response } as object)
        @HttpCode(status)
        find(@Ctx() ctx: Context) {
          return handle(ctx);
        }
      }
      return withControllers(options, [Users]);
    },
  ],
];

describe.each(styles)('the responses of %s', (_style, create) => {
  async function send(response: object, handle: Handle, options: ApplicationOptions = {}) {
    const onError = vi.fn<(error: unknown) => void>();
    const app = await create({ response }, handle, { onError, ...options });
    const sent = await app.request('/users');
    return {
      status: sent.status,
      body: await sent.text(),
      message: Object(onError.mock.calls[0]?.[0]).message,
    };
  }

  it('follow their media type', async () => {
    const both = content({ 'application/vnd.admin+json': Full, 'application/json': Public });
    const handle: Handle = (ctx) => {
      ctx.set('Content-Type', 'application/json');
      return secret;
    };
    expect(await send(both, handle)).toMatchObject({ status: 200, body: '{"name":"Ada"}' });
  });

  it.each([
    ['null', content(null)],
    ['an image', content('image/png')],
  ])('are no JSON that content() of %s does not describe', async (_what, response) => {
    for (const handle of [() => secret, async () => secret, (ctx: Context) => ctx.json(secret)]) {
      expect(await send(response, handle)).toMatchObject({
        status: 500,
        message: expect.stringContaining(
          "The response 200 of GET /users is JSON of the type 'application/json'",
        ),
      });
    }
  });

  it('have what the branch describes that fits', async () => {
    const response = z.array(z.union([z.object({ data: Admin }), z.object({ data: Guest })]));
    const value = [{ data: { role: 'guest', salary: 7 } }];
    expect(await send(response, () => value)).toMatchObject({
      body: '[{"data":{"role":"guest"}}]',
    });
  });

  it('have a status that response describes, unless the application trusts them', async () => {
    const handle: Handle = (ctx) => {
      ctx.status = 202;
      return secret;
    };
    const failed = {
      status: 500,
      message:
        'The response of GET /users has the status 202, but its response describes only 200.\n' +
        '  Fix: add a schema for 202 to response, or change the status.',
    };
    expect(await send({ 200: Public }, handle)).toMatchObject(failed);
    expect(await send({ 200: Public }, handle, { checkResponses: true })).toMatchObject(failed);
    expect(await send({ 200: Public }, handle, { responses: 'trust' })).toMatchObject({
      status: 202,
    });
  });

  it('have statuses, instead of names', async () => {
    const created = create({ response: { '2xx': Public } }, () => secret, {});
    await expect(created.then((app) => app.seal())).rejects.toThrow(
      "cannot use '2xx' as a status of response",
    );
  });

  it('fail at the start if their own status is not described', async () => {
    const created = create({ response: { 200: Public }, status: 201 }, () => secret, {});
    await expect(created.then((app) => app.seal())).rejects.toThrow(
      'its status is 201, but its response describes only 200.',
    );
  });
});
