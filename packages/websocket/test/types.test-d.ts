import { createApp, createRouter, type Middleware, type StandardSchema } from '@fairlead/core';
import { expectTypeOf, it } from 'vitest';
import { websocket } from '../src/index.js';

declare const user: Middleware<{ user: string }>;
declare const page: StandardSchema<unknown, { page: number }>;

it('the handler knows the parameters of the pattern', () => {
  createRouter().get(
    '/rooms/:room/:seat',
    websocket((_, ctx) => {
      expectTypeOf(ctx.params).toEqualTypeOf<{ readonly room: string; readonly seat: string }>();
      // @ts-expect-error the pattern has no such parameter
      ctx.params.row;
    }),
  );
});

it('the handler knows the state of middleware and what schemas produce', () => {
  createApp()
    .use(user)
    .get(
      '/rooms/:room',
      { query: page },
      websocket((socket, ctx) => {
        expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
        expectTypeOf(ctx.params.room).toEqualTypeOf<string>();
        expectTypeOf(ctx.query).toEqualTypeOf<{ page: number }>();
        expectTypeOf(socket[Symbol.asyncIterator]().next()).resolves.toMatchTypeOf<{
          value: string | Buffer | undefined;
        }>();
      }),
    );
});
