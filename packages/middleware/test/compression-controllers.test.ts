import 'reflect-metadata';
import { Controller, controllersPlugin, Get, UseMiddleware } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { compression } from '../src/index.js';
import { decode, send } from './support/send.js';

const text = 'Fairlead guides a line to where it must run. '.repeat(100);

@Controller('/whole')
@UseMiddleware(compression())
class WholeController {
  @Get('/')
  read() {
    return { text };
  }
}

@Controller('/method')
class MethodController {
  @Get('/compressed')
  @UseMiddleware(compression())
  compressed() {
    return { text };
  }

  @Get('/plain')
  plain() {
    return { text };
  }
}

describe('compression() of controllers', () => {
  const controllers = [WholeController, MethodController];

  it.each([
    ['/whole', 'gzip'],
    ['/method/compressed', 'gzip'],
    ['/method/plain', undefined],
  ])('compresses the responses of %s with %s', async (path, coding) => {
    const router = createRouter();
    const app = createApp();
    await app.plugin(controllersPlugin({ router, controllers, container: createContainer() }));
    app.route('/', router);
    const reply = await send(app, { 'Accept-Encoding': 'gzip' }, { path });
    expect(reply.headers['content-encoding']).toBe(coding);
    expect(JSON.parse(decode(reply))).toEqual({ text });
  });

  it('compresses those of all as middleware of the plugin', async () => {
    const router = createRouter();
    const app = createApp();
    const middleware = [compression()];
    await app.plugin(
      controllersPlugin({ router, controllers, middleware, container: createContainer() }),
    );
    app.route('/', router);
    const reply = await send(app, { 'Accept-Encoding': 'br' }, { path: '/method/plain' });
    expect(reply.headers['content-encoding']).toBe('br');
    expect(JSON.parse(decode(reply))).toEqual({ text });
  });
});
