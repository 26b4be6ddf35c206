import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { message } from './support/message.js';
import { buildBundle, FAIRLEAD, PACKAGE_JSON, runNode } from './support/program.js';
import { writeTree } from './support/tree.js';

const base = { 'package.json': PACKAGE_JSON, 'fairlead.js': FAIRLEAD };

/** A controller as compilers write it. */
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

/** An application that installs the plugin at its top level, over its own directory. */
const INSTALL = `
import { controllersPlugin, createApp, createContainer, createRouter } from '#fairlead';
export const name = 'app';
const plugin = controllersPlugin({
  router: createRouter(),
  container: createContainer(),
  root: new URL('./', import.meta.url),
  exclude: ['fairlead.js'],
});
await createApp().plugin(plugin);
console.log('found', plugin.state.controllers.map(({ name }) => name).join());
`;

/** Keeps the process alive for as long as the installation takes. */
const BUSY = `const busy = setInterval(() => {}, 1000);${INSTALL}clearInterval(busy);`;

/** What a start writes of a file that it goes on without. */
const warning = (problem: string, ...details: readonly string[]): string =>
  `[controllers] ${message(`Discovery failed: ${problem}`, ...details)}\n`;

const TYPESCRIPT = `import { applyDecorators, Controller, controllersPlugin, createApp, createRouter } from '#fairlead';

const Api = (prefix: string) => applyDecorators(Controller(prefix));

/** Its decorator stands in line 6. */
@Controller('/plain')
class PlainController {}

/** Its decorator stands in line 10. */
@Api('/made')
class MadeController {}

const controllers = [PlainController, MadeController];
const plugin = controllersPlugin({ router: createRouter(), controllers });
await createApp().plugin(plugin).catch(({ message }: Error) => console.log(message));
`;

beforeAll(buildBundle);

describe('discovery from a module that is still being evaluated', () => {
  it.each([
    ['the entry', { 'main.js': INSTALL }],
    ['a module that the entry imports', { 'main.js': "import './app.js';", 'app.js': BUSY }],
    [
      'a module deep below the entry',
      {
        'main.js': "import { name } from './server.js'; console.log(name);",
        'server.js': "export * from './middle.js';",
        'middle.js': "var helper = 1;\nimport {\n  name,\n} from './app.js';\nexport { name };",
        'app.js': BUSY,
      },
    ],
    [
      'a function that the entry awaits',
      {
        'main.js': "import { start } from './start.js';\nawait start();",
        'start.js': `${INSTALL.replace('await createApp', 'export async function start() {\nawait null;\nawait createApp')}}`,
      },
    ],
    [
      'a module that was imported dynamically',
      {
        'main.js': "await import('./middle.js');",
        'middle.js': "await import('./app.js');",
        'app.js': INSTALL,
      },
    ],
  ])('does not wait for itself: %s', async (_case, files) => {
    const root = await writeTree({ ...base, ...files, 'users.js': compiled('Users') });
    const { code, stdout } = await runNode(root, ['main.js']);
    expect(stdout).toContain('found Users\n');
    expect(code).toBe(0);
  });

  it('does not import the entry of a directory, nor one without its extension', async () => {
    const root = await writeTree({
      ...base,
      'main.js': "console.log('entered');\nimport './app.js';",
      'app.js': INSTALL,
      'users.js': compiled('Users'),
    });
    const { code, stdout } = await runNode(root, ['.']);
    expect(stdout).toBe('found Users\nentered\n');
    expect(code).toBe(0);
  });

  it('warns of controllers that cannot be imported because they import that module', async () => {
    const root = await writeTree({
      ...base,
      'main.js': "import './app.js';",
      'app.js': BUSY,
      'lost.js': compiled('Lost', "import { name } from './app.js';"),
      'users.js': compiled('Users'),
    });
    const { code, stdout, stderr } = await runNode(root, ['main.js']);
    expect(stdout).toBe('found Users\n');
    expect(stderr).toBe(
      warning(
        'the file imports app.js, which is the module that starts the application and is still being evaluated, so its controllers cannot be imported.',
        'At: lost.js',
        'Fix: move them to a file that does not import it.',
      ),
    );
    expect(code).toBe(0);
  });

  it('warns of controllers in that module itself', async () => {
    const root = await writeTree({ ...base, 'main.js': `${compiled('Lost')}${INSTALL}` });
    const { code, stderr } = await runNode(root, ['main.js']);
    expect(stderr).toContain(
      warning(
        'the file is the module that starts the application and is still being evaluated, so its controllers cannot be imported.',
        'At: main.js',
        'Fix: move them to a file that does not import it.',
      ),
    );
    expect(code).toBe(0);
  });

  it('warns of a file whose import cannot finish', async () => {
    const root = await writeTree({
      ...base,
      'main.js': INSTALL,
      'stuck.js': 'await new Promise(() => {});',
      'users.js': compiled('Users'),
    });
    const { code, stdout, stderr } = await runNode(root, ['main.js']);
    expect(stdout).toBe('found Users\n');
    expect(stderr).toBe(
      warning(
        'importing the file cannot finish, because it waits for a module that waits for this start.',
        'At: stuck.js',
        'Fix: move what it imports from there to a file of its own, or add it to exclude.',
      ),
    );
    expect(code).toBe(0);
  });
});

describe('the files of a program', () => {
  it('that are TypeScript which node cannot run are reported with what to do', async () => {
    const root = await writeTree({
      ...base,
      'main.js': INSTALL,
      'users.ts': "import { Controller } from '#fairlead';\n@Controller()\nexport class Users {}",
    });
    const { stderr } = await runNode(root, ['main.js']);
    expect(stderr).toMatch(
      /importing the file threw .*\n {2}At: users\.ts.*\n {2}Fix: point root at compiled JavaScript/s,
    );
  });

  it('that are no JavaScript are reported', async () => {
    const root = await writeTree({ ...base, 'main.js': INSTALL, 'users.js': '\nexport class {' });
    const { stderr } = await runNode(root, ['main.js']);
    expect(stderr).toContain(
      warning(
        "importing the file threw SyntaxError: Unexpected token '{'",
        'At: users.js',
        'Fix: correct the file, or add it to exclude.',
      ),
    );
  });

  it('that were TypeScript are placed there, with source maps', async () => {
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
