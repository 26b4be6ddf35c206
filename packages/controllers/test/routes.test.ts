import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  All,
  Controller,
  controllersPlugin,
  Delete,
  Get,
  Head,
  Options,
  Patch,
  Post,
  Put,
  QueryRoute,
} from '../src/index.js';
import { serve } from './support/serve.js';

@Controller('/any')
class AnyController {
  @All()
  any() {
    return { any: true };
  }
}

@Controller({ prefix: '/users', version: 'v2' })
class VersionedController {
  @Get('/:id')
  read() {
    return { version: 2 };
  }
}

@Controller()
class BareController {
  @Get('bare/')
  read() {
    return { bare: true };
  }
}

@Controller('/methods')
class MethodController {
  @Get('/get') get() {
    return { method: 'GET' };
  }
  @Post('/post') post() {
    return { method: 'POST' };
  }
  @Put('/put') put() {
    return { method: 'PUT' };
  }
  @Patch('/patch') patch() {
    return { method: 'PATCH' };
  }
  @Delete('/delete') delete() {
    return { method: 'DELETE' };
  }
  @QueryRoute('/query') query() {
    return { method: 'QUERY' };
  }
  @Options('/options') options() {
    return { method: 'OPTIONS' };
  }
  @Head('/head') head() {}
  @Get('/one')
  @Get('/two')
  several() {
    return { several: true };
  }
}

describe('route decorators', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS'])('%s', async (method) => {
    const { fetch } = await serve({ controllers: [MethodController] });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`/methods/${method.toLowerCase()}`, { method, headers });
    expect(await response.json()).toEqual({ method });
    const other = await fetch(`/methods/${method.toLowerCase()}`, { method: 'PROPFIND' });
    expect(other.status).toBe(405);
  });

  it('HEAD', async () => {
    const { fetch } = await serve({ controllers: [MethodController] });
    expect((await fetch('/methods/head', { method: 'HEAD' })).status).toBe(204);
  });

  it.each(['GET', 'POST', 'DELETE', 'PROPFIND'])('All handles %s', async (method) => {
    const { fetch } = await serve({ controllers: [AnyController] });
    expect(await (await fetch('/any', { method })).json()).toEqual({ any: true });
  });

  it('may decorate one method several times', async () => {
    const { fetch } = await serve({ controllers: [MethodController] });
    expect((await fetch('/methods/one')).status).toBe(200);
    expect((await fetch('/methods/two')).status).toBe(200);
  });
});

describe('Controller', () => {
  it('takes a prefix, which is also the path of a route without one', async () => {
    const { fetch } = await serve({ controllers: [AnyController] });
    expect(await (await fetch('/any')).json()).toEqual({ any: true });
  });

  it('takes a prefix and a version, which comes first', async () => {
    const { fetch } = await serve({ controllers: [VersionedController] });
    expect(await (await fetch('/v2/users/1')).json()).toEqual({ version: 2 });
  });

  it('has no prefix by default', async () => {
    const { fetch } = await serve({ controllers: [BareController] });
    expect(await (await fetch('/bare')).json()).toEqual({ bare: true });
  });
});

describe('prefix', () => {
  it('comes between the mount prefix and the version', async () => {
    const router = createRouter();
    const app = createApp();
    const container = createContainer();
    await app.plugin(
      controllersPlugin({
        router,
        container,
        prefix: 'api//v1/',
        controllers: [VersionedController],
      }),
    );
    app.route('/mount', router);
    const response = await app.request('/mount/api/v1/v2/users/1');
    expect(await response.json()).toEqual({ version: 2 });
  });
});

describe('router', () => {
  it('keeps its own routes, and may be mounted before the plugin is installed', async () => {
    const router = createRouter().get('/own', (ctx) => ctx.json({ own: true }));
    const app = createApp().route('/', router);
    const container = createContainer();
    await app.plugin(controllersPlugin({ router, container, controllers: [BareController] }));
    expect(await (await app.request('/own')).json()).toEqual({ own: true });
    expect(await (await app.request('/bare')).json()).toEqual({ bare: true });
  });
});
