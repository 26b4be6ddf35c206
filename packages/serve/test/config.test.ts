import { controllersPlugin, defineController } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineConfig } from '../src/index.js';
import { startProgram } from './support/program.js';

/** A configuration without one of its variables, whose value no message shows. */
const CONFIG = `
import { z } from 'zod';
process.env.TEST_PORT = 's3cr3t';
class Config extends defineConfig({ TEST_PORT: z.number(), TEST_URL: z.url(), TEST_NAME: z.string().default('a') }) {}
const config = new Config();
`;

const LINES = `Invalid environment variables:
  TEST_PORT must be a number.
  TEST_URL is missing. Set it to a URL.
  At: [eval1]:6:22`;

const CONFLICT = `createApp().get('/a/:x', () => 1).get('/a/:y', () => 1)`;

/** Runs a program that fails to start, and returns what it prints. */
async function failed(code: string): Promise<string> {
  const { code: status, stdout, stderr } = await startProgram(CONFIG + code).ended;
  expect([status, stdout]).toEqual([1, '']);
  return stderr;
}

describe('serve()', () => {
  it('reports an invalid configuration that nothing has read', async () => {
    expect(await failed('await serve(createApp(), { port: 0 });')).toBe(
      `The application failed to start: ${LINES}\n`,
    );
  });

  it.each([
    ['the options', `() => ({ port: config.TEST_PORT, name: config.TEST_NAME })`],
    ['nothing', `{ port: 0 }`],
  ])('reports it with the problems of the application if %s read it', async (_, options) => {
    const text = await failed(`await serve(() => ${CONFLICT}, ${options});`);
    const [title, ...rest] = text.split('\n\n');
    expect(title).toBe('The application failed to start: 2 problems.');
    expect(rest.join('\n')).toMatch(/^ {2}1\. Invalid environment variables:\n {7}TEST_PORT must/);
    expect(rest.join('\n')).toMatch(/\n {2}2\. GET \/a\/:y matches the same paths/);
    expect(text).not.toContain('s3cr');
  });

  it('reports it once if the function that creates the application reads it', async () => {
    const stderr = await failed(`
      const open = () => { try { return config.TEST_URL; } catch (cause) { throw new Error('Cannot open.', { cause }); } };
      await serve(() => createApp().get(open(), () => 1), () => ({ port: config.TEST_PORT }));
    `);
    expect(stderr).toMatch(/^The application failed to start: Invalid environment variables:\n/);
    expect(stderr.match(/TEST_URL/g)).toHaveLength(1);
  });

  it('prints it with the stack of an unexpected error', async () => {
    const stderr = await failed(`
      await serve(() => { throw new TypeError('bug'); }, { port: 0 });
    `);
    expect(stderr).toMatch(/1\. Invalid environment.*2\. TypeError: bug\n +at /s);
  });

  it('closes what the start has opened', async () => {
    const { stdout } = await startProgram(`${CONFIG}
      await serve(({ onClose }) => {
        onClose(() => console.log('closed'));
        return createApp();
      }, () => ({ port: config.TEST_PORT }));
    `).ended;
    expect(stdout).toBe('closed\n');
  });

  it('uses the options of a function', async () => {
    const program = startProgram(`${CONFIG.replace("'s3cr3t'", "'0'")}
      process.env.TEST_URL = 'http://localhost';
      const valid = new Config();
      await serve(createApp(), () => ({ port: valid.TEST_PORT, name: valid.TEST_NAME }));
    `);
    await program.url();
    program.kill('SIGTERM');
    expect((await program.ended).stdout).toMatch(/^a listens on .*\na is stopping: SIGTERM\n$/);
  });
});

describe('a container', () => {
  class Config extends defineConfig({ INJECTED_URL: z.url(), INJECTED: z.number().default(7) }) {}
  class Service {
    static readonly inject = [Config] as const;
    constructor(readonly config: Config) {}
  }
  class Eager {
    static readonly inject = [Config] as const;
    readonly url: string;
    constructor({ INJECTED_URL }: Config) {
      this.url = INJECTED_URL;
    }
  }
  const values = defineController('/values', {
    inject: { config: Config, service: Service, eager: Eager },
    routes: ({ get }) => ({
      show: get('/', (_, { config, service, eager }) => {
        return [config.INJECTED, service.config.INJECTED_URL, eager.url];
      }),
    }),
  });
  const broken = defineController('/broken', {
    inject: { missing: 'missing' },
    routes: ({ get }) => ({ show: get('/', () => 1) }),
  });

  async function createMyApp(
    container: ReturnType<typeof createContainer>,
    ...controllers: (typeof values | typeof broken)[]
  ) {
    const router = createRouter();
    const app = createApp();
    await app.plugin(controllersPlugin({ router, container, controllers }));
    return app.route('/', router);
  }

  it('injects a configuration, which a test replaces', async () => {
    const config = new Config({ INJECTED_URL: 'http://test' });
    const container = createContainer().override(Config, { useValue: config });
    const app = await createMyApp(container, values);
    const response = await app.request('/values');
    expect(await response.json()).toEqual([7, 'http://test', 'http://test']);
  });

  it('reports an invalid one with all other problems, and builds nothing that depends on it', async () => {
    const error = await createMyApp(createContainer(), values, broken).catch((one) => one);
    expect(error.problems.map(({ message }: Error) => message)).toEqual([
      expect.stringContaining("'missing'"),
      expect.stringMatching(/^Invalid environment variable: INJECTED_URL is missing\./),
    ]);
  });
});
