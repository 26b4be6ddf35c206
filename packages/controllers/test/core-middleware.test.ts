import 'reflect-metadata';
import { type Application, cors, createApp, createRouter } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { Controller, controllersPlugin, Put, UseMiddleware } from '../src/index.js';

const page = 'https://app.example.com';

@Service({ scope: 'request' })
class Session {}

@Controller('/shared')
@UseMiddleware(cors({ origin: [page] }))
class SharedController {
  @Put('/')
  change() {
    return 'changed';
  }
}

@Controller('/scoped')
@Service({ scope: 'request' })
class ScopedController {
  constructor(readonly session: Session) {}

  @Put('/')
  @UseMiddleware(cors({ origin: [page] }))
  change() {
    return 'changed';
  }
}

async function create(app: Application = createApp()): Promise<Application> {
  const router = createRouter();
  const controllers = [SharedController, ScopedController];
  await app.plugin(controllersPlugin({ router, controllers, container: createContainer() }));
  return app.route('/', router);
}

describe("core's middleware on controllers", () => {
  it.each(['/shared', '/scoped'])('cors() responds to preflights for %s', async (path) => {
    const headers = { Origin: page, 'Access-Control-Request-Method': 'PUT' };
    const response = await (await create()).request(path, { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(page);
  });
});
