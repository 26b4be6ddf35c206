import { relative } from 'node:path';
import { createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import ts from 'typescript';
import { describe, expect, it, vi } from 'vitest';
import {
  Controller,
  discoverControllers,
  Get,
  getErrorsFromResults,
  registerController,
} from '../src/index.js';
import { message } from './support/message.js';
import { FAIRLEAD, PACKAGE_JSON, runNode } from './support/program.js';
import { serve } from './support/serve.js';
import { controllerSource, writeTree } from './support/tree.js';

const IMPORT = "import { Controller, Get } from '../../src/index.js';";

/** Finds the classes of files whose routes would be missing, and formats their errors. */
async function lostIn(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await writeTree(files);
  const errors = getErrorsFromResults(await discoverControllers({ root }));
  return errors.map((error) => error.message.replaceAll(`${relative(process.cwd(), root)}/`, ''));
}

describe('discovery reports', () => {
  it('a controller that its file does not export', async () => {
    const files = { 'a.ts': `${IMPORT}\n@Controller('/a')\nclass Users { @Get() read() {} }` };
    expect(await lostIn(files)).toEqual([
      message(
        'Discovery failed: Users has @Controller(), but its file does not export it, so its routes are not registered.',
        'At: a.ts:2:2',
        'Fix: export Users, or remove @Controller(). If its routes are registered elsewhere, pass the class to intended().',
      ),
    ]);
  });

  it('each of several such controllers in files that export others', async () => {
    const hidden = (name: string) => `@Controller() class ${name} { @Get('/${name}') read() {} }`;
    const files = {
      'a.ts': `${controllerSource('A')}${hidden('One')}${hidden('Two')}`,
      'b.ts': `${controllerSource('B')}${hidden('Three')}`,
    };
    const lost = await lostIn(files);
    expect(lost.map((text) => /: (\w+) has @Controller/.exec(text)?.[1])).toEqual([
      'One',
      'Two',
      'Three',
    ]);
  });

  it('a subclass of a controller without its own @Controller()', async () => {
    const files = { 'a.ts': `${controllerSource('A')}\nexport class Derived extends A {}` };
    expect(await lostIn(files)).toEqual([
      message(
        'Discovery failed: Derived extends the controller A but is not decorated with @Controller() itself, so its routes are not registered.',
        'At: a.ts',
        'Fix: add @Controller() to Derived, or do not export it. If its routes are registered elsewhere, pass the class to intended().',
      ),
    ]);
  });

  it('a class with routes but without @Controller()', async () => {
    const files = { 'a.ts': `${IMPORT}\nexport class Users { @Get() read() {} }` };
    expect(await lostIn(files)).toEqual([
      message(
        'Discovery failed: Users has route decorators but is not decorated with @Controller() itself, so its routes are not registered.',
        'At: a.ts',
        'Fix: add @Controller() to Users, or do not export it. If its routes are registered elsewhere, pass the class to intended().',
      ),
    ]);
  });

  it('a class that only inherits routes, not its base class', async () => {
    const base = `${IMPORT}\nexport class Base { @Get() read() {} }\nexport class Users extends Base {}`;
    expect(await lostIn({ 'a.ts': base })).toEqual([
      expect.stringContaining(': Users has route decorators'),
    ]);
  });
});

describe('discovery accepts', () => {
  it.each([
    [
      'base classes, decorated or not, exported or not',
      `@Controller() class Decorated { @Get('/1') one() {} }
       export abstract class Plain extends Decorated { @Get('/2') two() {} }
       @Controller('/last') export class Last extends Plain {}`,
    ],
    ['a class without routes', 'export class Helper { help() {} } export function help() {}'],
    [
      'intended classes, which something else registers',
      `import { intended } from '@fairlead/core';
       @intended @Controller() class Own { @Get() read() {} }
       @intended export class Base { @Get() read() {} }`,
    ],
    [
      'a class that registerController has registered',
      `import { createRouter, } from '@fairlead/core';
       import { registerController } from '../../src/index.js';
       @Controller() class Own { @Get() read() {} }
       registerController(createRouter(), Own);`,
    ],
  ])('%s', async (_, source) => {
    expect(await lostIn({ 'a.ts': `${IMPORT}${source}` })).toEqual([]);
  });

  it('a base class whose controllers may be in a file that cannot be imported', async () => {
    const files = {
      'a.ts': `${IMPORT}\nexport class Base { @Get() read() {} }`,
      'b.js': "throw new Error('no disk');",
    };
    expect(await lostIn(files)).toEqual([expect.stringContaining('no disk')]);
  });

  it('controllers of other files and of functions', async () => {
    @Controller()
    class Elsewhere {
      @Get()
      read() {}
    }
    const files = {
      'a.ts': `${controllerSource('A')}
        export function create() { @Controller() class Made { @Get() read() {} } return Made; }`,
    };
    const root = await writeTree(files);
    const { create } = await import(`${root}/a.ts`);
    registerController(createRouter(), Elsewhere, { container: createContainer() });
    expect(create().name).toBe('Made');
    expect(getErrorsFromResults(await discoverControllers({ root }))).toEqual([]);
  });

  it('an earlier evaluation of a module', async () => {
    const root = await writeTree({ 'a.ts': controllerSource('A') });
    const { A: first } = await import(`${root}/a.ts`);
    vi.resetModules();
    const results = await discoverControllers({ root });
    expect(results[0]?.controllers[0]).not.toBe(first);
    expect(getErrorsFromResults(results)).toEqual([]);
  });
});

describe('controllersPlugin', () => {
  it('warns of such a class, and does not start if it is strict', async () => {
    const root = await writeTree({
      'a.ts': `${IMPORT}\n@Controller() class A { @Get() read() {} }`,
    });
    const warn = vi.fn();
    await serve({ root, logger: { warn, debug: warn } });
    const lost = expect.stringContaining('A has @Controller()');
    expect(warn.mock.calls).toEqual([[lost]]);
    await expect(serve({ root, strict: true })).rejects.toMatchObject({
      name: 'DiscoveryError',
      message: lost,
    });
  });

  it('starts if it is in `controllers`', async () => {
    const source = `${IMPORT}\n@Controller() class A { @Get() read() {} }\nexport const all = [A];`;
    const root = await writeTree({ 'a.ts': source });
    const { all } = await import(`${root}/a.ts`);
    const logger = { debug() {}, warn() {} };
    const { plugin } = await serve({ root, controllers: all, logger });
    expect(plugin.state.routeCount).toBe(1);
  });
});

describe('in a program', () => {
  const program = {
    'package.json': PACKAGE_JSON,
    'fairlead.js': FAIRLEAD,
    'main.js': `import { discoverControllers, getErrorsFromResults } from '#fairlead';
      const errors = getErrorsFromResults(await discoverControllers({ root: 'out' }));
      console.log(errors.map(({ message }) => message).join());`,
  };

  it('a class that several files export is reported once', async () => {
    const root = await writeTree({
      ...program,
      'out/a.js': `import { Controller, Get } from '#fairlead';
        export class A { read() {} }
        Get()(A.prototype, 'read');
        Controller()(A);
        export class Derived extends A {}`,
      'out/index.js': "export * from './a.js';",
    });
    const { stdout } = await runNode(root, ['main.js']);
    expect(stdout.match(/Derived extends/g)).toHaveLength(1);
  });

  it('a class that another file exports is accepted', async () => {
    const root = await writeTree({
      ...program,
      'out/a.js': `import { Controller } from '#fairlead';
        class A {}
        Controller()(A);
        export const all = { A };`,
      'out/b.js': "import { all } from './a.js';\nexport const { A } = all;",
    });
    expect((await runNode(root, ['main.js'])).stdout).toBe('\n');
  });

  it('a compiled class is located in its TypeScript source', async () => {
    const source = `import { Controller, Get } from '#fairlead';

/** Its decorator is on line 4. */
@Controller('/plain')
class PlainController { @Get() read() {} }
`;
    const { outputText, sourceMapText = '' } = ts.transpileModule(source, {
      fileName: 'users.ts',
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ES2022,
        experimentalDecorators: true,
        sourceMap: true,
        sourceRoot: '../src',
      },
    });
    const root = await writeTree({
      ...program,
      'src/users.ts': source,
      'out/users.js': outputText,
      'out/users.js.map': sourceMapText,
    });
    const { stdout } = await runNode(root, ['--enable-source-maps', 'main.js']);
    expect(stdout).toContain('PlainController has @Controller()');
    expect(stdout).toContain('At: src/users.ts:4:2\n');
  });
});
