import { request } from 'node:http';
import { createApp, createRouter } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import {
  type CanActivate,
  Controller,
  controllersPlugin,
  Get,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { serve } from './support/serve.js';
import { signal } from './support/signal.js';

const disposed = vi.fn<(session: Session) => void>();
const disposedIds = () => disposed.mock.calls.map(([session]) => session.id);

@Service({ scope: 'request' })
class Session implements AsyncDisposable {
  static count = 0;
  readonly id = ++Session.count;
  readonly seen: string[] = [];

  async [Symbol.asyncDispose]() {
    disposed(this);
  }
}

@Service({ scope: 'request' })
class SessionGuard implements CanActivate {
  constructor(private readonly session: Session) {}

  canActivate() {
    this.session.seen.push('guard');
    return true;
  }
}

@Controller('/session')
@Service({ scope: 'request' })
class SessionController {
  constructor(private readonly session: Session) {}

  @Get()
  @UseGuard(SessionGuard)
  read() {
    return { id: this.session.id, seen: this.session.seen };
  }

  @Get('/fails')
  fails() {
    throw new Error(String(this.session.id));
  }
}

@Controller('/transient')
@Service({ scope: 'transient' })
class TransientController {
  static built = 0;
  #count = 0;

  constructor() {
    TransientController.built += 1;
  }

  @Get()
  read() {
    this.#count += 1;
    return { count: this.#count };
  }
}

@Controller('/singleton')
class SingletonController {
  #count = 0;

  @Get()
  read() {
    this.#count += 1;
    return { count: this.#count };
  }

  @Get('/guarded')
  @UseGuard(SessionGuard)
  guarded() {
    return { guarded: true };
  }
}

const controllers = [SessionController, TransientController, SingletonController];

describe('a singleton controller', () => {
  it('is one instance for all requests', async () => {
    const { fetch } = await serve({ controllers });
    await fetch('/singleton');
    expect(await (await fetch('/singleton')).json()).toEqual({ count: 2 });
  });

  it('may have a request-scoped guard', async () => {
    const { fetch } = await serve({ controllers });
    expect(await (await fetch('/singleton/guarded')).json()).toEqual({ guarded: true });
  });
});

describe('a transient controller', () => {
  it('is a new instance for each request', async () => {
    const { fetch } = await serve({ controllers });
    await fetch('/transient');
    expect(await (await fetch('/transient')).json()).toEqual({ count: 1 });
  });

  it('is built for requests only, not at startup', async () => {
    TransientController.built = 0;
    const { fetch } = await serve({ controllers });
    expect(TransientController.built).toBe(0);
    await fetch('/transient');
    expect(TransientController.built).toBe(1);
  });
});

describe('a request-scoped controller', () => {
  it('shares one scope with its guards and services until the response ends', async () => {
    const { fetch } = await serve({ controllers });
    const first = (await (await fetch('/session')).json()) as { id: number; seen: string[] };
    const second = (await (await fetch('/session')).json()) as { id: number; seen: string[] };
    expect(first.seen).toEqual(['guard']);
    expect(second.seen).toEqual(['guard']);
    expect(second.id).not.toBe(first.id);
    await expect.poll(disposedIds).toEqual(expect.arrayContaining([first.id, second.id]));
  });

  it('is disposed if the method throws', async () => {
    const { fetch, hidden } = await serve({ controllers });
    expect((await fetch('/session/fails')).status).toBe(500);
    const id = Number((hidden[0] as Error).message);
    await expect.poll(disposedIds).toContain(id);
  });

  it('keeps the names of its middleware in errors', async () => {
    @Controller()
    @Service({ scope: 'request' })
    class TwiceController {
      @Get()
      @UseMiddleware(async function twice(_ctx, next) {
        await next();
        await next();
      })
      read() {}
    }
    const { fetch, hidden } = await serve({ controllers: [TwiceController] });
    expect((await fetch('/')).status).toBe(500);
    expect(hidden).toMatchObject([{ message: expect.stringContaining('twice') }]);
  });

  it('is disposed in in-process calls', async () => {
    const app = createApp();
    const router = createRouter();
    await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
    app.route('/', router);
    const { id } = (await (await app.request('/session')).json()) as { id: number };
    await expect.poll(disposedIds).toContain(id);
  });

  it('is disposed after the method has ended, even if the client disconnects first', async () => {
    const steps: string[] = [];
    const entered = signal();
    const left = signal();
    const ended = signal();

    @Service({ scope: 'request' })
    class Connection implements Disposable {
      [Symbol.dispose]() {
        steps.push('disposed');
        ended.give();
      }
    }

    @Controller()
    @Service({ scope: 'request' })
    class SlowController {
      constructor(readonly connection: Connection) {}

      @Get()
      @UseMiddleware((ctx, next) => {
        ctx.res.once('close', () => left.give());
        return next();
      })
      async read() {
        entered.give();
        await left.given;
        steps.push('method ended');
      }
    }

    const { url } = await serve({ controllers: [SlowController] });
    const outgoing = request(url).on('error', () => {});
    outgoing.end();
    await entered.given;
    outgoing.destroy();
    await ended.given;
    expect(steps).toEqual(['method ended', 'disposed']);
  });

  it('warns if disposing its scope fails, with the error and its cause', async () => {
    @Service({ scope: 'request' })
    class Leaky implements Disposable {
      [Symbol.dispose]() {
        const cause = Object.assign(new Error('the file is gone'), {
          detail: 'of ada@example.com',
        });
        throw new Error('cannot close', { cause });
      }
    }
    @Controller('/leaky')
    @Service({ scope: 'request' })
    class LeakyController {
      constructor(readonly leaky: Leaky) {}

      @Get()
      read() {
        return {};
      }
    }
    const logger = { debug: vi.fn(), warn: vi.fn() };
    const { fetch } = await serve({ logger, controllers: [LeakyController] });
    expect((await fetch('/leaky')).status).toBe(200);
    await expect
      .poll(() => logger.warn.mock.calls)
      .toContainEqual([
        expect.stringMatching(
          /disposing the request scope of GET \/leaky failed: .*cannot close.*the file is gone(?!.*ada@)/s,
        ),
      ]);
  });
});
