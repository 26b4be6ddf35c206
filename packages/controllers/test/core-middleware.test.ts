import 'reflect-metadata';
import {
  type Application,
  cors,
  createApp,
  createRouter,
  eventStream,
  timeout,
} from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { Controller, controllersPlugin, Get, Put, UseMiddleware } from '../src/index.js';

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

@Controller('/events')
class EventsController {
  @Get('/')
  hello() {
    return eventStream(this.#hello());
  }

  async *#hello() {
    yield { data: 'hello' };
  }
}

@Controller('/slow')
class SlowController {
  @Get('/')
  @UseMiddleware(timeout(60_000))
  async wait() {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return 'done';
  }
}

async function create(app: Application = createApp()): Promise<Application> {
  const router = createRouter();
  const controllers = [SharedController, ScopedController, EventsController, SlowController];
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

  it('timeout() may lengthen that of the application', async () => {
    const app = await create(createApp().use(timeout(1)));
    expect(await (await app.request('/slow')).json()).toBe('done');
  });

  it('a method may return an event stream', async () => {
    const response = await (await create()).request('/events');
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(await response.text()).toBe('data: hello\n\n');
  });
});
