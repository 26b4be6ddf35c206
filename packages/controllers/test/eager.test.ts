import { createApp, createRouter, intended } from '@fairlead/core';
import { type Constructor, type Container, createContainer, Inject, Service } from '@fairlead/di';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  Controller,
  Get,
  HttpCode,
  RequestContext,
  registerController,
  StartError,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';
import { controllerSource, writeTree } from './support/tree.js';

const log: string[] = [];
beforeEach(() => {
  log.length = 0;
});

@Service()
class Pool {
  constructor() {
    log.push('pool');
  }
}

@Service({ eager: true })
class Worker {
  constructor(readonly pool: Pool) {
    log.push('worker');
  }
}

@Controller()
class HealthController {
  @Get()
  read() {
    return log;
  }
}

const controllers = [HealthController];

describe('eager providers with registerController()', () => {
  const create = (container: Container, controller: Constructor = HealthController) => {
    const router = createRouter();
    registerController(router, controller, { container });
    return createApp().route('/', router);
  };

  it('cause a warning if nothing has built them when the application starts', () => {
    const container = createContainer().register(Worker);
    expect(warningsOf(create(container))).toEqual([
      expect.stringContaining(
        'Nothing builds the eager Worker before the first request: registerController() does not. Call await container.initialize() before the application starts, use controllersPlugin(), or pass the controller to intended().',
      ),
    ]);
    // Once for each container.
    expect(warningsOf(create(container))).toEqual([]);
  });

  it('cause none if initialize() builds them, there are none, or the controller is intended', async () => {
    const container = createContainer().register(Worker);
    const app = create(container);
    await container.initialize();
    expect(warningsOf(app)).toEqual([]);
    expect(warningsOf(create(createContainer()))).toEqual([]);
    @Controller('/intended')
    class Intended extends HealthController {}
    expect(warningsOf(create(createContainer().register(Worker), intended(Intended)))).toEqual([]);
  });
});

describe('an eager class in a file of `root` that does not export it', () => {
  const service = (name: string, rest = '') =>
    `import { Service } from '@fairlead/di';\n@Service({ eager: true }) class ${name} {}${rest}`;
  const warningsOfStart = async (files: Readonly<Record<string, string>>) => {
    const root = await writeTree({ 'users.ts': controllerSource('Users'), ...files });
    const warnings: string[] = [];
    const logger = { debug() {}, warn: (message: string) => void warnings.push(message) };
    await serve({ container: createContainer(), root, logger, strict: true });
    return warnings;
  };

  it('causes a warning', async () => {
    expect(await warningsOfStart({ 'jobs.ts': service('LostJob') })).toEqual([
      expect.stringMatching(
        /^\[controllers\] LostJob has @Service\(\{ eager: true \}\), but its file does not export it, and no container registers it, so nothing builds it\.\n {2}At: .*jobs\.ts:2:\d+\n {2}Fix: export LostJob, register it, or pass the class to intended\(\)\.$/,
      ),
    ]);
  });

  it('causes none if something depends on it, or it is intended', async () => {
    const intend = "\nimport { intended } from '@fairlead/core';\nintended(IntendedJob);";
    const used = `
      import { Controller, Get } from '../../src/index.js';
      @Controller('/used')
      export class UsedController {
        static readonly inject = [UsedJob] as const;
        constructor(readonly job: UsedJob) {}
        @Get() read() {}
      }`;
    const files = {
      'intended.ts': service('IntendedJob', intend),
      'used.ts': service('UsedJob', used),
    };
    expect(await warningsOfStart(files)).toEqual([]);
  });
});

describe('eager providers', () => {
  it('are built at startup even if no controller depends on them', async () => {
    const container = createContainer()
      .register(Worker)
      .register('poll', { useFactory: async () => log.push('poll') }, { eager: true });
    const { fetch } = await serve({ container, controllers });

    expect(await (await fetch('/')).json()).toEqual(['pool', 'worker', 'poll']);
  });

  it('are built when a file in `root` exports their class', async () => {
    const root = await writeTree({
      'controller.ts': controllerSource('Users'),
      'worker.ts': `
        import { Service } from '@fairlead/di';
        export const log = [];
        @Service({ eager: true })
        export class Mailer {
          constructor() { log.push('mailer'); }
        }
        @Service()
        export class Idle {
          constructor() { log.push('idle'); }
        }
      `,
      'index.ts': `export * from './worker.js';`,
    });
    await serve({ root, strict: true });
    const { log: built } = await import(`${root}/worker.ts`);

    expect(built).toEqual(['mailer']);
  });

  it('are not built when another provider replaces a discovered class', async () => {
    const root = await writeTree({
      'controller.ts': controllerSource('Users'),
      'worker.ts': `
        import { Service } from '@fairlead/di';
        @Service({ eager: true })
        export class Mailer {
          constructor() { throw new Error('built'); }
        }
      `,
    });
    const { Mailer } = await import(`${root}/worker.ts`);
    const container = createContainer().register(Mailer, { useValue: 'fake' });
    const { plugin } = await serve({ root, strict: true, container });

    expect(plugin.state.routeCount).toBe(1);
  });

  it('that cannot be wired are in the report of the startup', async () => {
    @Service({ eager: true })
    class Unwired {
      constructor(
        @Inject('queue') readonly queue: unknown,
        readonly ctx: RequestContext,
      ) {}
    }
    @Controller()
    class UnwiredController {
      @Get()
      @HttpCode(99)
      read() {}
    }
    const container = createContainer().register(Unwired);
    const error = await failStart([UnwiredController], { container });

    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('UnwiredController.read'),
      expect.stringMatching(/^Cannot resolve the eager provider Unwired: Nothing provides 'queue'/),
      expect.stringMatching(/^Cannot resolve the eager provider Unwired: The singleton Unwired/),
    ]);
  });

  it('that fail stop the startup', async () => {
    const fail = () => Promise.reject(new Error('no broker'));
    const container = createContainer().register('queue', { useFactory: fail }, { eager: true });
    const error = await failStart(controllers, { container });

    expect(error.message).toMatch(
      /^Cannot resolve the eager provider 'queue': Building 'queue' failed: no broker/,
    );
  });
});
