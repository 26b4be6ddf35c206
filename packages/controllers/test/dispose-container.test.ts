import { createApp, createRouter } from '@fairlead/core';
import {
  type ContainerInterface,
  createContainer,
  container as globalContainer,
  Service,
} from '@fairlead/di';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Controller, controllersPlugin, Get } from '../src/index.js';
import { failStart } from './support/fail-start.js';

const log: string[] = [];
beforeEach(() => {
  log.length = 0;
});

@Service()
class Pool implements AsyncDisposable {
  constructor() {
    log.push('pool');
  }

  async [Symbol.asyncDispose]() {
    log.push('pool disposed');
  }
}

@Service({ eager: true })
class Worker implements Disposable {
  constructor(readonly pool: Pool) {
    log.push('worker');
  }

  [Symbol.dispose]() {
    log.push('worker disposed');
  }
}

@Controller()
class HealthController {
  @Get()
  read() {
    return log;
  }
}

@Controller()
class PooledController {
  constructor(readonly pool: Pool) {}

  @Get()
  read() {}
}

const controllers = [HealthController];

/** Starts an application with one plugin for each list of options. */
async function start(...plugins: Partial<Parameters<typeof controllersPlugin>[0]>[]) {
  const app = createApp();
  for (const options of plugins) {
    await app.plugin(controllersPlugin({ router: createRouter(), controllers, ...options }));
  }
  return app;
}

describe('app.close()', () => {
  it('disposes the container of the plugin, newest instance first', async () => {
    const container = createContainer().register(Worker);
    const app = await start({ container });
    await app.close();

    expect(log).toEqual(['pool', 'worker', 'worker disposed', 'pool disposed']);
    expect(() => container.resolve(Pool)).toThrow(expect.objectContaining({ code: 'DI_DISPOSED' }));
  });

  it('disposes a container that two plugins share once', async () => {
    const container = createContainer().register(Worker);
    const app = await start({ container }, { container });
    await app.close();

    expect(log).toEqual(['pool', 'worker', 'worker disposed', 'pool disposed']);
  });

  it('warns if another application disposes the container, too, while both are open', async () => {
    const container = createContainer();
    const warnings: string[] = [];
    const logger = { debug() {}, warn: (message: string) => void warnings.push(message) };
    const first = await start({ container, logger });
    await start({ container, logger });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^\[controllers\] two applications dispose the same container, so that the other one fails when one closes\.\n {2}At: .+\n {2}Fix: create a container for each, or pass disposeContainer: false to one of the plugins\. If they close together, pass the options to intended\(\)\.$/,
      ),
    ]);
    await start({ container, logger, disposeContainer: false });
    await first.close();
    expect(warnings).toHaveLength(1);
  });

  it('does not warn if the other application was closed', async () => {
    const warn = vi.fn();
    const container = { resolve: () => new HealthController() } as ContainerInterface;
    const logger = { debug() {}, warn };
    await (await start({ container, logger })).close();
    await (await start({ container, logger })).close();
    expect(warn).not.toHaveBeenCalled();
  });

  it('rejects when an instance cannot be disposed', async () => {
    const failure = new Error('stuck');
    const broken = { [Symbol.asyncDispose]: () => Promise.reject(failure) };
    const container = createContainer();
    container.register('broken', { useFactory: () => broken }, { eager: true });
    const app = await start({ container });

    await expect(app.close()).rejects.toMatchObject({
      errors: [{ cause: expect.objectContaining({ errors: [failure] }) }],
    });
  });

  it('leaves a container alone with `disposeContainer: false`', async () => {
    const container = createContainer().register(Worker);
    const app = await start({ container, disposeContainer: false });
    await app.close();

    expect(log).toEqual(['pool', 'worker']);
    expect(container.resolve(Worker)).toBeInstanceOf(Worker);
  });

  it('leaves the global container alone, also when it is passed', async () => {
    const snapshot = globalContainer.snapshot();
    const first = await start({ controllers: [PooledController] });
    const second = await start({
      controllers: [PooledController],
      container: globalContainer,
    });
    await Promise.all([first.close(), second.close()]);
    const pool = globalContainer.resolve(Pool);
    globalContainer.restore(snapshot);

    expect(pool).toBeInstanceOf(Pool);
    expect(log).toEqual(['pool']);
  });

  it('calls Symbol.asyncDispose of another container, if it has one', async () => {
    const container: ContainerInterface = {
      resolve: (() => new HealthController()) as ContainerInterface['resolve'],
      [Symbol.asyncDispose]: async () => void log.push('disposed'),
    };
    await (await start({ container }, { container: { resolve: container.resolve } })).close();

    expect(log).toEqual(['disposed']);
  });
});

describe('a startup that fails', () => {
  const failing = { useFactory: () => Promise.reject(new Error('no broker')) };

  it('disposes the container', async () => {
    const container = createContainer().register(Worker);
    await failStart(controllers, {
      container: container.register('queue', failing, { eager: true }),
    });

    expect(log).toEqual(['pool', 'worker', 'worker disposed', 'pool disposed']);
  });

  it('warns when disposing fails, and rejects with its own error', async () => {
    const logger = { debug: vi.fn(), warn: vi.fn() };
    const broken = {
      [Symbol.dispose]: () => {
        throw Object.assign(new Error('stuck'), { detail: 'of ada@example.com' });
      },
    };
    const container = createContainer()
      .register('broken', { useFactory: () => broken }, { eager: true })
      .register('queue', failing, { eager: true });
    const error = await failStart(controllers, { container, logger });

    expect(error.message).toContain('no broker');
    expect(logger.warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^\[controllers\] disposing the container failed: AggregateError.*stuck(?!.*ada@)/s,
        ),
      ],
    ]);
  });
});
