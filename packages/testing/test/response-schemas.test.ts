import { Body, Controller, controllersPlugin, Get, Post } from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  errorHandler,
  isHttpError,
  type StandardSchema,
} from '@fairlead/core';
import { expect, it, vi } from 'vitest';
import { createTestApp } from '../src/index.js';

const Text: StandardSchema<{ readonly text: string }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof Object(value).text === 'string'
        ? { value: { text: Object(value).text } }
        : { issues: [{ message: 'is no text', path: ['text'] }] },
  },
};

@Controller('/texts')
class TextsController {
  @Get('/good', { response: Text })
  good() {
    return { text: 'a' };
  }

  @Get('/bad', { response: Text })
  bad() {
    return JSON.parse('{"text":1}');
  }

  @Post('/', { response: { type: 'string' } })
  create(@Body({ schema: Text }) { text }: { text: string }) {
    return text;
  }
}

const controllers = [TextsController];
const mismatch =
  'The response of GET /texts/bad does not match its schema: text: is no text\n  Fix: respond with what the schema produces, or correct the schema.';

it('rejects with the path of a response that does not match its schema', async () => {
  await using app = await createTestApp({ controllers });
  expect(await (await app.request('/texts/good')).json()).toEqual({ text: 'a' });
  await expect(app.request('/texts/bad')).rejects.toSatisfy(isHttpError);
  await expect(app.request('/texts/bad')).rejects.toThrow(mismatch);
});

it('rejects with a successful status that response does not describe', async () => {
  const response = { 200: Text };
  await using app = await createTestApp({
    app: () =>
      createApp({ responses: 'trust', onError: vi.fn() }).get('/', { response }, (ctx) => {
        ctx.status = 202;
        return { text: 'a' };
      }),
  });
  await expect(app.request('/')).rejects.toThrow(
    'The response of GET / has the status 202, but its response describes only 200.',
  );
});

it('rejects for an application of your own', async () => {
  await using app = await createTestApp({
    app: async (container) => {
      const router = createRouter();
      const own = createApp().use(errorHandler({ onError: vi.fn() }));
      await own.plugin(controllersPlugin({ router, container, controllers }));
      return own.route('/', router);
    },
  });
  await expect(app.request('/texts/bad')).rejects.toThrow(mismatch);
});

it('accepts an application that has handled requests already, without checks', async () => {
  await using app = await createTestApp({
    app: async () => {
      const own = createApp().get('/', { response: Text }, () => JSON.parse('{}'));
      await own.request('/');
      return own;
    },
  });
  expect((await app.request('/')).status).toBe(200);
});

it('passes the compiler of responses and the status of validation to the application', async () => {
  const compileResponse = vi.fn(() => () => '"written"');
  await using app = await createTestApp({ controllers, compileResponse, validationStatus: 422 });
  const refused = await app.request('/texts', { method: 'POST', json: {} });
  const written = await app.request('/texts', { method: 'POST', json: { text: 'a' } });
  expect(refused.status).toBe(422);
  expect(await written.json()).toBe('written');
  expect(compileResponse).toHaveBeenCalledExactlyOnceWith({ type: 'string' });
});
