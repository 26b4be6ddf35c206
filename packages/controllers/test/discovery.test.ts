import { symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import {
  type DiscoveryResult,
  discoverControllers,
  getControllersFromResults,
  getErrorsFromResults,
} from '../src/index.js';
import { message } from './support/message.js';
import { serve } from './support/serve.js';
import { controllerSource, writeTree } from './support/tree.js';

function names(results: readonly DiscoveryResult[]): string[] {
  return getControllersFromResults(results).map(({ name }) => name);
}

function silent() {
  return { debug: vi.fn<(message: string) => void>(), warn: vi.fn<(message: string) => void>() };
}

describe('discoverControllers', () => {
  it('finds controllers in files and subdirectories of any name, in path order', async () => {
    const root = await writeTree({
      'z.ts': controllerSource('Last'),
      'deeply/nested/whatever.ts': controllerSource('Nested', '/n', '../../../..'),
      'a.js': 'export const nothing = 1;',
      'b.ts': `${controllerSource('First')}${controllerSource('Second').replace(/import.*/, '')}`,
      'data.json': '{}',
    });
    const results = await discoverControllers({ root });
    expect(results.map(({ file }) => file)).toEqual(
      ['a.js', 'b.ts', 'deeply/nested/whatever.ts', 'z.ts'].map((file) => join(root, file)),
    );
    expect(names(results)).toEqual(['First', 'Second', 'Nested', 'Last']);
  });

  it.each([
    ['a path', (root: string) => root],
    ['a URL', (root: string) => pathToFileURL(root)],
    ['a file: URL string', (root: string) => `${pathToFileURL(root).href}/`],
  ])('accepts %s as root', async (_kind, form) => {
    const root = await writeTree({ 'a.ts': controllerSource('A') });
    expect(names(await discoverControllers({ root: form(root) }))).toEqual(['A']);
  });

  it('ignores tests, node_modules, dist and __tests__ by default', async () => {
    const broken = 'throw new Error("imported");';
    const root = await writeTree({
      'a.ts': controllerSource('A'),
      'a.test.ts': broken,
      'a.spec.ts': broken,
      'a.test.js': broken,
      'a.spec.js': broken,
      'node_modules/a.js': broken,
      'dist/a.js': broken,
      '__tests__/a.ts': broken,
    });
    const results = await discoverControllers({ root });
    expect(results.map(({ file }) => file)).toEqual([join(root, 'a.ts')]);
  });

  it('never imports declaration files, or files that are not modules', async () => {
    const root = await writeTree({
      'a.d.ts': 'not a module',
      'b.d.mts': 'not a module',
      'c.txt': 'not a module',
      'd.mjs': 'export {};',
    });
    const results = await discoverControllers({ root, include: ['**/*'] });
    expect(results).toEqual([{ file: join(root, 'd.mjs'), controllers: [], services: [] }]);
  });

  it('replaces the default globs with include and exclude', async () => {
    const root = await writeTree({
      'users.controller.ts': controllerSource('Users'),
      'posts.controller.ts': controllerSource('Posts'),
      'other.ts': controllerSource('Other'),
      'dist/built.controller.ts': controllerSource('Built', '/built', '../../..'),
    });
    const results = await discoverControllers({
      root,
      include: ['**/*.controller.ts'],
      exclude: ['posts.*'],
    });
    expect(names(results)).toEqual(['Built', 'Users']);
  });

  it('finds default exports, and a class that is exported twice once', async () => {
    const root = await writeTree({
      'a.ts': controllerSource('A').replace('export class', 'export default class'),
      'b.ts': `${controllerSource('B')} export { B as Alias };`,
      'index.ts': `export { default as A } from './a.js'; export * from './b.js';`,
    });
    const results = await discoverControllers({ root });
    expect(results.map(({ controllers }) => controllers.length)).toEqual([1, 1, 2]);
    expect(names(results)).toEqual(['A', 'B']);
  });

  it('finds only exported classes with their own @Controller()', async () => {
    const root = await writeTree({
      'a.ts': `${controllerSource('A')}
        export class Derived extends A {}
        export const value = { A };
        export function Plain() {}
        @Controller() class Hidden {}
        void Hidden;`,
    });
    expect(names(await discoverControllers({ root }))).toEqual(['A']);
  });

  it('reports a file that cannot be imported, and imports the others', async () => {
    const root = await writeTree({
      'broken.js': 'throw new Error("no such table");',
      'good.ts': controllerSource('Good'),
    });
    const results = await discoverControllers({ root });
    expect(names(results)).toEqual(['Good']);
    expect(getErrorsFromResults(results)).toMatchObject([
      {
        name: 'DiscoveryError',
        code: 'DISCOVERY_FAILED',
        status: 500,
        file: join(root, 'broken.js'),
        cause: { message: 'no such table' },
        message: message(
          'Discovery failed: importing the file threw Error: no such table',
          `At: ${relative(process.cwd(), root)}/broken.js:1:7`,
          'Fix: correct the file, or add it to exclude.',
        ),
      },
    ]);
  });

  it('throws a DiscoveryError if root is missing or is a file', async () => {
    const root = await writeTree({ 'a.ts': '' });
    const missing = join(root, 'missing');
    await expect(discoverControllers({ root: missing })).rejects.toMatchObject({
      name: 'DiscoveryError',
      file: missing,
      message: message(
        'Discovery failed: root is missing or is not a directory.',
        `At: ${relative(process.cwd(), missing)}`,
        'Fix: pass an existing directory: an absolute path, or new URL("./controllers/", import.meta.url).',
      ),
    });
    await expect(discoverControllers({ root: join(root, 'a.ts') })).rejects.toMatchObject({
      name: 'DiscoveryError',
    });
  });

  it('follows links to files, each file once, but not to directories', async () => {
    const root = await writeTree({
      'real/a.ts': controllerSource('A', '/a', '../../..'),
      'directory.ts/b.ts': controllerSource('B', '/b', '../../..'),
    });
    await symlink(join(root, 'real/a.ts'), join(root, 'z.ts'));
    await symlink(join(root, 'nowhere'), join(root, 'y.ts'));
    await symlink(join(root, 'real'), join(root, 'linked'));
    await symlink(root, join(root, 'cycle'));
    const results = await discoverControllers({ root });
    expect(results.map(({ file }) => file)).toEqual([
      join(root, 'directory.ts/b.ts'),
      join(root, 'real/a.ts'),
    ]);
  });

  it('waits for top-level awaits of the imported files', async () => {
    const root = await writeTree({
      'slow.ts': `await new Promise((resolve) => setImmediate(resolve)); ${controllerSource('Slow')}`,
    });
    expect(names(await discoverControllers({ root }))).toEqual(['Slow']);
  });
});

describe('controllersPlugin with root', () => {
  it('registers discovered controllers', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A'), 'b.ts': controllerSource('B') });
    const { fetch, plugin } = await serve({ root, prefix: '/api' });
    expect(await (await fetch('/api/B')).json()).toBe('B');
    expect(plugin.state).toMatchObject({ routeCount: 2, initialized: true });
  });

  it('warns about files that cannot be imported, and starts', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A'), 'b.js': 'throw 1;' });
    const logger = silent();
    const { fetch } = await serve({ root, logger });
    expect((await fetch('/A')).status).toBe(200);
    expect(logger.warn.mock.calls.flat()).toEqual([
      expect.stringMatching(
        /^\[controllers\] Discovery failed: importing the file threw 1\n {2}At: .*b\.js\n/,
      ),
    ]);
  });

  it('warns on the console without a logger', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A'), 'b.js': 'throw 1;' });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await serve({ root });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('[controllers] Discovery failed')]]);
  });

  it('uses include and exclude instead of the defaults', async () => {
    const root = await writeTree({
      'users.controller.ts': controllerSource('Users'),
      'posts.controller.ts': controllerSource('Posts'),
      'pages.ts': controllerSource('Pages'),
    });
    const { plugin } = await serve({ root, include: ['**/*.controller.ts'], exclude: ['posts.*'] });
    expect(plugin.state.controllers.map(({ name }) => name)).toEqual(['Users']);
  });

  it('rejects for files that cannot be imported if strict, without a warning', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A'), 'b.js': 'throw 1;' });
    const logger = silent();
    await expect(serve({ root, logger, strict: true })).rejects.toMatchObject({
      name: 'DiscoveryError',
      file: join(root, 'b.js'),
    });
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it('registers a class only once that is also in `controllers`', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A') });
    const controllers = getControllersFromResults(await discoverControllers({ root }));
    const { plugin } = await serve({ root, controllers });
    expect(plugin.state.controllers.map(({ name }) => name)).toEqual(['A']);
  });

  it('rejects for a missing root even if not strict, together with other problems', async () => {
    const root = join(await writeTree({}), 'missing');
    await expect(serve({ root })).rejects.toMatchObject({ name: 'DiscoveryError' });
    await expect(serve({ root, controllers: [class Plain {}] })).rejects.toMatchObject({
      problems: [{ name: 'DiscoveryError' }, { name: 'NotAControllerError' }],
    });
  });

  it('names the methods of discovered controllers that collide', async () => {
    const root = await writeTree({
      'a.ts': controllerSource('A', '/same'),
      'b.ts': controllerSource('B', '/same'),
    });
    await expect(serve({ root })).rejects.toThrow('GET /same of A.read');
  });

  it('warns if it finds no controllers', async () => {
    const root = await writeTree({});
    const logger = silent();
    await serve({ root, logger });
    expect(logger.warn).toHaveBeenCalledWith(`[controllers] no controllers found in ${root}`);
  });

  it('logs the root, each discovered class with its file, and the count', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A') });
    const logger = silent();
    await serve({ root, logger, debug: true });
    expect(logger.debug.mock.calls.flat()).toEqual([
      `[controllers] discovering controllers in ${root}`,
      `[controllers] discovered A in ${join(root, 'a.ts')}`,
      '[controllers] registered A',
      '[controllers] GET /A',
      '[controllers] registered 1 route',
    ]);
  });
});
