import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { message } from './support/message.js';
import { FAIRLEAD, PACKAGE_JSON, runNode } from './support/program.js';
import { writeTree } from './support/tree.js';

const base = { 'package.json': PACKAGE_JSON, 'fairlead.js': FAIRLEAD };

/** Source of a compiled controller. */
function compiled(name: string, imports = ''): string {
  return `
import { Controller, Get } from '#fairlead';
${imports}
export class ${name} { read() { return '${name}'; } }
__decorate([
  Get('/${name}'),
], ${name}.prototype, 'read');
__decorate([
  Controller(),
], ${name});
function __decorate(decorators, target, key) { for (const d of decorators) d(target, key); }
`;
}

/** Source of a module that installs the plugin at its top level, with its directory as root. */
const INSTALL = `
import { controllersPlugin, createApp, createContainer, createRouter } from '#fairlead';
export const name = 'app';
const plugin = controllersPlugin({
  router: createRouter(),
  container: createContainer(),
  root: new URL('./', import.meta.url),
  exclude: ['fairlead*.js'],
});
await createApp().plugin(plugin);
console.log('found', plugin.state.controllers.map(({ name }) => name).join());
`;

/** The log line for a file that the startup ignores. */
const warning = (problem: string, ...details: readonly string[]): string =>
  `[controllers] ${message(`Discovery failed: ${problem}`, ...details)}\n`;

const TYPESCRIPT = `import { applyDecorators, Controller, controllersPlugin, createApp, createRouter } from '#fairlead';

const Api = (prefix: string) => applyDecorators(Controller(prefix));

/** Its decorator is on line 6. */
@Controller('/plain')
class PlainController {}

/** Its decorator is on line 10. */
@Api('/made')
class MadeController {}

const controllers = [PlainController, MadeController];
const plugin = controllersPlugin({ router: createRouter(), controllers });
await createApp().plugin(plugin).catch(({ message }: Error) => console.log(message));
`;

describe('the entry file', () => {
  it.each([
    ['installs the plugin itself', { 'main.js': INSTALL }],
    [
      'awaits a function that installs the plugin',
      {
        'main.js': "import { start } from './start.js';\nawait start();",
        'start.js': `${INSTALL.replace('await createApp', 'export async function start() {\nawait null;\nawait createApp')}}`,
      },
    ],
    [
      'imports an excluded module that installs the plugin',
      { 'main.js': "import './fairlead.app.js';", 'fairlead.app.js': INSTALL },
    ],
  ])('is never imported when it %s', async (_case, files) => {
    const root = await writeTree({ ...base, ...files, 'users.js': compiled('Users') });
    const { code, stdout } = await runNode(root, ['main.js']);
    expect(stdout).toContain('found Users\n');
    expect(code).toBe(0);
  });

  it.each(['.', 'main'])('is never imported when node is started with %j', async (entry) => {
    const root = await writeTree({
      ...base,
      'main.js': `console.log('entered');\n${INSTALL}`,
      'users.js': compiled('Users'),
    });
    const { code, stdout, stderr } = await runNode(root, [entry]);
    expect(stdout).toBe('entered\nfound Users\n');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('causes a warning when it declares a controller', async () => {
    const root = await writeTree({ ...base, 'main.js': `${compiled('Lost')}${INSTALL}` });
    const { code, stderr } = await runNode(root, ['main.js']);
    expect(stderr).toContain(
      warning(
        'the file is the entry file of the process, which is never imported, so its controllers are not registered.',
        'At: main.js',
        'Fix: move them to another file.',
      ),
    );
    expect(code).toBe(0);
  });
});

describe('an import that can never finish fails the startup when', () => {
  it.each([
    [
      'a module that installs the plugin is imported',
      { 'main.js': "import './app.js';", 'app.js': INSTALL },
      ['app.js'],
    ],
    [
      'modules below the entry file wait for one that installs the plugin',
      {
        'main.js': "import { name } from './server.js'; console.log(name);",
        'server.js': "export * from './app.js';",
        'app.js': INSTALL,
      },
      ['app.js', 'server.js'],
    ],
    [
      'the module was imported dynamically',
      { 'main.js': "await import('./app.js');", 'app.js': INSTALL },
      ['app.js'],
    ],
    [
      'a controller file imports the entry file',
      { 'main.js': INSTALL, 'lost.js': compiled('Lost', "import { name } from './main.js';") },
      ['lost.js'],
    ],
    [
      'a top-level await never settles',
      { 'main.js': INSTALL, 'stuck.js': 'await new Promise(() => {});' },
      ['stuck.js'],
    ],
  ])('%s', async (_case, files, pending) => {
    const root = await writeTree({ ...base, ...files, 'users.js': compiled('Users') });
    const { code, stderr } = await runNode(root, ['main.js']);
    expect(stderr).toContain(
      message(
        `Discovery failed: these files cannot finish importing, and the process has nothing else to do: ${pending.join(', ')}. Either they import a module that awaits the startup at its top level, such as the entry file, or a top-level await never settles.`,
        `At: ${pending[0]}`,
        'Fix: move what they import from that module to a separate file. If that module is not the entry file, add it to exclude. Make any other top-level await settle.',
      ),
    );
    expect(code).toBe(1);
  });
});

describe('discovery in a program', () => {
  it('reports TypeScript that node cannot run, with the fix', async () => {
    const root = await writeTree({
      ...base,
      'main.js': INSTALL,
      'users.ts': "import { Controller } from '#fairlead';\n@Controller()\nexport class Users {}",
    });
    const { stderr } = await runNode(root, ['main.js']);
    expect(stderr).toMatch(
      /importing the file threw .*\n {2}At: users\.ts.*\n {2}Fix: build with tsc or swc and point root at the output, or start Node\.js with a loader/s,
    );
  });

  it('reports files that are not valid JavaScript', async () => {
    const root = await writeTree({ ...base, 'main.js': INSTALL, 'users.js': '\nexport class {' });
    const { stderr } = await runNode(root, ['main.js']);
    expect(stderr).toContain(
      warning(
        "importing the file threw SyntaxError: Unexpected token '{'",
        'At: users.js',
        'Fix: correct the syntax of the file, or of a module that it imports. `node --check users.js` shows the line.',
      ),
    );
  });

  it('locates controllers in TypeScript sources with source maps', async () => {
    const { outputText, sourceMapText = '' } = ts.transpileModule(TYPESCRIPT, {
      fileName: 'main.ts',
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ES2022,
        experimentalDecorators: true,
        sourceMap: true,
      },
    });
    const root = await writeTree({
      'package.json': PACKAGE_JSON,
      'fairlead.js': FAIRLEAD,
      'main.js': outputText,
      'main.js.map': sourceMapText,
      'main.ts': TYPESCRIPT,
    });
    const { stdout } = await runNode(root, ['--enable-source-maps', 'main.js']);
    expect(stdout).toContain('1. PlainController has no routes.\n       At: main.ts:6:2\n');
    expect(stdout).toContain('2. MadeController has no routes.\n       At: main.ts:10:2\n');
  });
});
