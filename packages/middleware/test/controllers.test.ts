import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  Controller,
  Ctx,
  controllersPlugin,
  defineController,
  Get,
  Put,
  UseMiddleware,
} from '@fairlead/controllers';
import { type Application, type Context, createApp, createRouter } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cors, eventStream, sendEvents, timeout } from '../src/index.js';
import { serve } from './support/send.js';

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

async function* hello() {
  yield { data: 'hello' };
}

const events = defineController('/events', {
  routes: ({ get }) => ({ hello: get('/', () => eventStream(hello())) }),
});

@Controller('/slow')
class SlowController {
  @Get('/')
  @UseMiddleware(timeout(60_000))
  async wait() {
    await vi.advanceTimersByTimeAsync(1_000);
    return 'done';
  }
}

/** Adds controllers to an application. */
async function withControllers(
  app: Application,
  ...controllers: readonly (new (
    ...args: never[]
  ) => object)[]
): Promise<Application> {
  const router = createRouter();
  await app.plugin(controllersPlugin({ router, controllers, container: createContainer() }));
  return app.route('/', router);
}

describe('in controllers', () => {
  it.each(['/shared', '/scoped'])('cors() responds to preflights for %s', async (path) => {
    const headers = { Origin: page, 'Access-Control-Request-Method': 'PUT' };
    const app = await withControllers(createApp(), SharedController, ScopedController);
    const response = await app.request(path, { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(page);
  });

  it('timeout() of a method may allow more time than that of the application', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await withControllers(createApp().use(timeout(1)), SlowController);
    expect(await (await app.request('/slow')).json()).toBe('done');
  });

  it.each([
    ['a method', EventsController],
    ['a handler of a value', events],
  ])('%s may return an event stream', async (_, controller) => {
    const app = await withControllers(createApp(), controller);
    const response = await app.request('/events');
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(await response.text()).toBe('data: hello\n\n');
  });

  it('a request scope outlives a stream of events whose client has left', async () => {
    const steps: string[] = [];
    const disposed = Promise.withResolvers<void>();
    @Service({ scope: 'request' })
    class Connection implements Disposable {
      [Symbol.dispose]() {
        steps.push('disposed');
        disposed.resolve();
      }
    }
    @Controller()
    @Service({ scope: 'request' })
    class TicksController {
      static readonly inject = [Connection] as const;
      constructor(readonly connection: Disposable) {}

      @Get()
      read(@Ctx() ctx: Context) {
        sendEvents(ctx, this.ticks());
      }

      async *ticks() {
        try {
          for (;;) yield { data: 'text'.repeat(1_000) };
        } finally {
          await setImmediate();
          steps.push('generator ended');
        }
      }
    }
    const { url } = await serve(await withControllers(createApp(), TicksController));
    const [incoming] = (await once(request(url).end(), 'response')) as [IncomingMessage];
    await once(incoming, 'data');
    incoming.destroy();
    await disposed.promise;
    expect(steps).toEqual(['generator ended', 'disposed']);
  });
});
