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

  it('leaves no timer and no listener behind', async () => {
    const listeners = process.listenerCount('beforeExit');
    const clear = vi.spyOn(globalThis, 'clearInterval');
    const root = await writeTree({ 'a.js': '' });
    await discoverControllers({ root });
    expect(process.listenerCount('beforeExit')).toBe(listeners);
    expect(clear).toHaveBeenCalledTimes(1);
    clear.mockRestore();
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
    const results = await discoverControllers({ root });
    expect(names(results)).toEqual(['A']);
    expect(getErrorsFromResults(results)).toEqual(results[0]?.lost);
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

  it('throws a DiscoveryError if root is missing', async () => {
    const missing = join(await writeTree({}), 'missing');
    await expect(discoverControllers({ root: missing })).rejects.toMatchObject({
      name: 'DiscoveryError',
      file: missing,
      message: message(
        'Discovery failed: root does not exist.',
        `At: ${relative(process.cwd(), missing)}`,
        'Fix: pass an existing directory: an absolute path, or new URL("./controllers/", import.meta.url).',
      ),
    });
  });

  it('throws a DiscoveryError if root is a file', async () => {
    const root = await writeTree({ 'a.ts': '' });
    await expect(discoverControllers({ root: join(root, 'a.ts') })).rejects.toMatchObject({
      name: 'DiscoveryError',
      message: message(
        'Discovery failed: root is a file, not a directory.',
        `At: ${relative(process.cwd(), root)}/a.ts`,
        `Fix: pass its directory: '${root}'.`,
      ),
    });
  });

  it.each([
    [undefined, 'discoverControllers() needs a root. Pass a path or a file: URL'],
    [{}, 'discoverControllers() needs a root.'],
    ['./src', "options of discoverControllers() must be an object: got './src'."],
    [{ root: 5 }, 'root of discoverControllers() must be a path or a file: URL'],
    [{ root: 'src', includes: [] }, "has no option 'includes'. Did you mean 'include'?"],
    [{ root: 'src', include: '**/*.js' }, 'must be an array of globs'],
  ])('rejects %j instead of options', async (options, text) => {
    await expect(discoverControllers(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(text),
    });
  });

  it.each([getControllersFromResults, getErrorsFromResults])(
    'has results that must be awaited before %o',
    async (read) => {
      const results = discoverControllers({ root: await writeTree({}) });
      expect(() => read(results as never)).toThrow(
        `${read.name}() cannot use an instance of Promise as results. Pass the result of await discoverControllers().`,
      );
      expect(() => read([class Users {}] as never)).toThrow('as results');
      expect(read(await results)).toEqual([]);
    },
  );

  it('follows links to files, each file once, but not to directories', async () => {
    const root = await writeTree({
      'real/a.ts': controllerSource('A', '/a', '../../..'),
      'directory.ts/b.ts': controllerSource('B', '/b', '../../..'),
    });
    await symlink(join(root, 'real/a.ts'), join(root, 'z.ts'));
    const other = await writeTree({ 'c.ts': controllerSource('C') });
    await symlink(join(other, 'c.ts'), join(root, 'x.ts'));
    await symlink(join(root, 'nowhere'), join(root, 'y.ts'));
    await symlink(join(root, 'real'), join(root, 'linked'));
    await symlink(root, join(root, 'cycle'));
    const results = await discoverControllers({ root });
    expect(results.map(({ file }) => file).toSorted()).toEqual(
      [join(root, 'directory.ts/b.ts'), join(root, 'real/a.ts'), join(other, 'c.ts')].toSorted(),
    );
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
      '[controllers] 1 of 2 files was skipped; its routes are not registered. Set strict: true to make the start fail instead.',
    ]);
  });

  it('warns on the console without a logger', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A'), 'b.js': 'throw 1;' });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await serve({ root });
    expect(warn.mock.calls[0]).toEqual([expect.stringContaining('[controllers] Discovery failed')]);
  });

  it('sums up the files that it skips, after one warning for each cause', async () => {
    const root = await writeTree({
      'a.ts': controllerSource('A'),
      'b.js': "import './lib/shared.js';",
      'c.js': "import './lib/shared.js';",
      'd.js': "import './lib/shared.js';",
      'e.js': "import './lib/shared.js';",
      'f.js': 'throw new Error("other");',
      'lib/shared.js': '\nthrow new Error("no disk");',
    });
    const logger = silent();
    await serve({ root, logger, exclude: ['lib/**'] });
    const path = relative(process.cwd(), root);
    expect(logger.warn.mock.calls.flat()).toEqual([
      `[controllers] ${message(
        `Discovery failed: importing ${path}/b.js, ${path}/c.js and 2 more threw Error: no disk`,
        `At: ${path}/lib/shared.js:2:7`,
        'Fix: correct the file, or add it to exclude.',
      )}`,
      expect.stringContaining('threw Error: other'),
      '[controllers] 5 of 6 files were skipped; their routes are not registered. Set strict: true to make the start fail instead.',
    ]);
  });

  it.each([
    [
      'core',
      "import { createApp } from '@fairlead/core'; createApp({ proxi: 1 });",
      'INVALID_OPTION',
    ],
    [
      'the container',
      "import { createContainer } from '@fairlead/di'; createContainer().register('url', {});",
      'DI_INVALID_PROVIDER',
    ],
    [
      'this package',
      "import { getControllersFromResults } from '../../src/index.js'; getControllersFromResults(1);",
      'INVALID_OPTION',
    ],
    [
      'another copy of a package',
      `class SetupError extends Error { code = 'OTHER'; }
       class SealedError extends SetupError {}
       throw new SealedError('sealed');`,
      'OTHER',
    ],
  ])('rejects for a mistake that %s throws in a file', async (_, source, code) => {
    const root = await writeTree({ 'a.ts': controllerSource('A'), 'b.js': source });
    const fatal = { name: 'DiscoveryError', file: join(root, 'b.js'), cause: { code } };
    await expect(serve({ root })).rejects.toMatchObject(fatal);
    await expect(serve({ root, strict: true })).rejects.toMatchObject(fatal);
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

  it.each([
    ['some files', { 'a.ts': controllerSource('A') }],
    ['all files', {}],
  ])('rejects for %s that cannot be imported if strict, without a warning', async (_, files) => {
    const root = await writeTree({ ...files, 'b.js': 'throw 1;' });
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

  it('warns about a missing root, and starts', async () => {
    const root = join(await writeTree({}), 'missing');
    const logger = silent();
    await serve({ root, logger });
    expect(logger.warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^\[controllers\] Discovery failed: root '.+missing' does not exist\.\n {2}At: test\/.+\.ts:\d+:\d+\n/,
        ),
      ],
    ]);
  });

  it('rejects for a missing root if strict, together with other problems', async () => {
    const root = join(await writeTree({}), 'missing');
    await expect(serve({ root, strict: true })).rejects.toMatchObject({ name: 'DiscoveryError' });
    const controllers = [class Plain {}];
    await expect(serve({ root, strict: true, controllers })).rejects.toMatchObject({
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

  it.each([
    [{}, {}, 'it contains no modules.', 'point root at the directory of the controllers.'],
    [{ 'a.d.ts': '' }, {}, 'it contains no modules.', 'point root at'],
    [
      { 'dist/a.js': '' },
      {},
      'exclude leaves out every file that include matches, such as dist/a.js.',
      'set exclude, or point root at the directory of the controllers.',
    ],
    [
      { 'a.mts': '' },
      {},
      'include does not match its modules, such as a.mts.',
      "set include, as in include: ['**/*.mts'].",
    ],
    [{ 'a.js': '' }, { include: [] }, 'include does not match its modules', 'set include'],
    [
      { 'a.tsx': '' },
      {},
      'discovery only imports .ts, .mts, .js and .mjs files, not a.tsx.',
      'rename the files.',
    ],
  ])('warns if no file of %j matches the globs %j', async (files, globs, reason, fix) => {
    const root = await writeTree(files);
    const logger = silent();
    await serve({ root, logger, ...globs });
    const [warning = ''] = logger.warn.mock.calls.flat();
    expect(warning).toContain(`[controllers] no controllers found in ${root}: ${reason}`);
    expect(warning).toContain(`\n  Fix: ${fix}`);
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it('shows the globs that match no file', async () => {
    const root = await writeTree({ 'a.js': '' });
    const logger = silent();
    await serve({ root, logger, include: ['**/*.ts'], exclude: ['b', 'c/**'] });
    expect(logger.warn.mock.calls.flat()).toEqual([
      expect.stringContaining('\n  Include: **/*.ts\n  Exclude: b, c/**\n  Fix: '),
    ]);
  });

  it('warns if no file exports a controller', async () => {
    const root = await writeTree({ 'a.ts': '', 'b.ts': '' });
    const logger = silent();
    await serve({ root, logger });
    expect(logger.warn).toHaveBeenCalledWith(
      `[controllers] no controllers found in ${root}: none of its files (2) exports a class with @Controller() or a result of defineController(). If that is intended, pass the options to intended().`,
    );
  });

  it('warns if neither root nor controllers is set', async () => {
    const logger = silent();
    await serve({ logger });
    expect(logger.warn.mock.calls).toEqual([
      ['[controllers] no controllers to register: set root, or pass the options to intended()'],
    ]);
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
