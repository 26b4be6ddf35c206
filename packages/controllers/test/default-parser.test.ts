import { createApp, createRouter, type StandardSchema } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Body,
  Controller,
  defineController,
  Post,
  registerController,
  UseGuard,
} from '../src/index.js';

const schema: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

@Controller('/class')
class ClassController {
  @Post('/body')
  body(@Body() body: unknown) {
    return body;
  }

  @Post('/field')
  field(@Body('name') name: unknown) {
    return { name };
  }

  @Post('/schema')
  schema(@Body({ schema }) body: unknown) {
    return body;
  }

  @Post('/guarded')
  @UseGuard(() => false)
  guarded(@Body() body: unknown) {
    return body;
  }
}

const valueController = defineController('/value', {
  routes: ({ post }) => ({
    schema: post('/schema', { body: schema }, ({ body }) => body),
    guarded: post('/guarded', { body: schema, guards: [() => false] }, ({ body }) => body),
  }),
});

const router = createRouter();
for (const controller of [ClassController, valueController])
  registerController(router, controller, { container: createContainer() });
const app = createApp().route('/', router);
const post = (body: string): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'Content-Type': 'application/json' },
});

describe('a route that declares a body, without a parser before it', () => {
  it.each(['/class/body', '/class/field', '/class/schema', '/value/schema'])(
    'gets its JSON parsed: %s',
    async (path) => {
      const response = await app.request(path, post('{"name":"Ada"}'));
      expect(await response.json()).toEqual({ name: 'Ada' });
    },
  );

  it.each(['/class/guarded', '/value/guarded'])('is parsed after the guards: %s', async (path) => {
    expect((await app.request(path, post('{'))).status).toBe(403);
  });
});
