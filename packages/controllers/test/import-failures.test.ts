import { describe, expect, it } from 'vitest';
import { message } from './support/message.js';
import { FAIRLEAD, PACKAGE_JSON, runNode } from './support/program.js';
import { writeTree } from './support/tree.js';

/** Prints the errors of the directory `controllers`, one after the other. */
const MAIN = `
import { discoverControllers, getErrorsFromResults } from '#fairlead';
const results = await discoverControllers({ root: 'controllers' });
for (const { message } of getErrorsFromResults(results)) console.log(message);
`;

const COMPILE =
  'Fix: build with tsc or swc and point root at the output, or start Node.js with a loader that compiles decorators, such as `node --import @oxc-node/core/register`.';

const WITHOUT_DECORATORS =
  'Without a compiler, write controllers with defineController(), and list the dependencies of services in static inject.';

const STALE = 'If the file is stale build output, delete the output directory and build again.';

/** Prints the errors of the files in `controllers`, in node without a loader. */
async function errorOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await writeTree({
    'package.json': PACKAGE_JSON,
    'fairlead.js': FAIRLEAD,
    'main.js': MAIN,
    ...files,
  });
  const { stdout } = await runNode(root, ['main.js']);
  return stdout.replaceAll(`${root}/`, '').trimEnd();
}

describe('discovery explains', () => {
  it('an import of a module that was removed', async () => {
    expect(await errorOf({ 'controllers/users.js': "import './service.js';" })).toBe(
      message(
        "Discovery failed: importing the file threw Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'controllers/service.js' imported from controllers/users.js",
        'At: controllers/users.js',
        `Fix: correct the import. ${STALE}`,
      ),
    );
  });

  it('an import of a name that was removed', async () => {
    const files = {
      'controllers/users.js': "import './lib/service.js';\nimport { b } from './lib/other.js';",
      'controllers/lib/service.js': '',
      'controllers/lib/other.js': 'export const a = 1;',
    };
    expect(await errorOf(files)).toBe(
      message(
        "Discovery failed: importing the file threw SyntaxError: The requested module './lib/other.js' does not provide an export named 'b'",
        'At: controllers/users.js:2',
        `Fix: export b from './lib/other.js', or import it with \`import type\` if it is a type. ${STALE}`,
      ),
    );
  });

  it.each([
    ['a similar one', 'UseGuards', 'UseGuard'],
    ['what other frameworks call it', 'Injectable', 'Service'],
    ['none of them', 'Module', "a name that 'decorators' exports"],
  ])('an import of a name that a package does not export: %s', async (_name, name, known) => {
    const files = {
      'controllers/users.js': `import { ${name} } from 'decorators';`,
      'node_modules/decorators/package.json': '{ "type": "module", "main": "main.js" }',
      'node_modules/decorators/main.js': 'export let UseGuard, UseMiddleware, InjectAll, Service;',
    };
    expect(await errorOf(files)).toBe(
      message(
        `Discovery failed: importing the file threw SyntaxError: The requested module 'decorators' does not provide an export named '${name}'`,
        'At: controllers/users.js:1',
        `Fix: import ${known}, or import ${name} with \`import type\` if it is a type.`,
      ),
    );
  });

  it('a name of a package whose exports cannot be listed', async () => {
    const files = {
      'controllers/users.js': "import { red } from 'colors';",
      'node_modules/colors/package.json': '{ "type": "module", "exports": { "import": "./a.js" } }',
      'node_modules/colors/a.js': 'export let Red;',
    };
    expect(await errorOf(files)).toContain("\n  Fix: import a name that 'colors' exports, or ");
  });

  it('an import without a file extension', async () => {
    const files = { 'controllers/users.js': "import '../service';", 'service.js': '' };
    expect(await errorOf(files)).toContain(
      "\n  At: controllers/users.js\n  Fix: import it with its file extension: 'service.js'.",
    );
  });

  it('a package that is not installed', async () => {
    expect(await errorOf({ 'controllers/users.js': "import 'not-installed';" })).toContain(
      '\n  At: controllers/users.js\n  Fix: install not-installed, or correct the import.',
    );
  });

  it('decorators that nothing compiles', async () => {
    const files = { 'controllers/users.js': '@Controller()\nexport class Users {}' };
    expect(await errorOf(files)).toBe(
      message(
        'Discovery failed: importing the file threw SyntaxError: Invalid or unexpected token',
        'At: controllers/users.js:1',
        `${COMPILE} ${WITHOUT_DECORATORS}`,
      ),
    );
  });

  it('a misused decorator of a property, which compilers apply after the class', async () => {
    const files = {
      'controllers/users.js':
        "import { Inject } from '#fairlead';\nconst injectName =\n  Inject('name');\nexport class Users {}\ninjectName(Users.prototype, 'name', undefined);",
    };
    expect(await errorOf(files)).toBe(
      message(
        'Discovery failed: importing the file threw InvalidDecoratorError: Cannot apply @Inject() to the property Users.name: only parameters of a constructor are injected.',
        'At: controllers/users.js:3:3',
        'Fix: move it to a parameter of the constructor.',
      ),
    );
  });

  it('a loader that asks for experimentalDecorators', async () => {
    const failure = 'decorators require `"experimentalDecorators": true` in a tsconfig.json';
    const files = { 'controllers/users.js': `throw new Error(${JSON.stringify(failure)});` };
    expect(await errorOf(files)).toContain(
      'Fix: set "experimentalDecorators" and "emitDecoratorMetadata" to true in the tsconfig.json that includes the file. If they are, the loader cannot read it, or what it extends: run npx tsc --noEmit.',
    );
  });

  it('a decorator in a service that a controller without decorators imports', async () => {
    const files = {
      'controllers/users.ts': "import { Users } from '../lib/users.ts';\nexport { Users };",
      'lib/users.ts': "import './clock.ts';\nexport class Users {}",
      'lib/clock.ts': "import './users.ts';\n\n@Service()\nexport class Clock {}",
    };
    expect(await errorOf(files)).toBe(
      message(
        'Discovery failed: importing controllers/users.ts threw SyntaxError: Invalid or unexpected token',
        'At: lib/clock.ts:3',
        `${COMPILE} ${WITHOUT_DECORATORS}`,
      ),
    );
  });

  it.each([
    [
      'a parameter property',
      'class Users { constructor(private name: string) {} }',
      'parameter property',
    ],
    ['an enum', 'export enum Role { Admin }', 'enum'],
    ['a namespace', 'export namespace Roles { export const admin = 1; }', 'namespace declaration'],
    ['import =', "import fs = require('node:fs');", 'import equals declaration'],
  ])('TypeScript that Node.js cannot strip: %s', async (_name, source, syntax) => {
    expect(await errorOf({ 'controllers/users.ts': `\n${source}` })).toBe(
      message(
        `Discovery failed: importing the file threw SyntaxError [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]: TypeScript ${syntax} is not supported in strip-only mode`,
        'At: controllers/users.ts:2',
        `${COMPILE} Without a compiler, rewrite the code: "erasableSyntaxOnly" in tsconfig.json reports what Node.js does not run.`,
      ),
    );
  });

  it('a parameter property of a class with decorators', async () => {
    const files = {
      'controllers/users.ts': '@Controller()\nclass Users { constructor(private name: string) {} }',
    };
    expect(await errorOf(files)).toMatch(
      `TypeScript parameter property is not supported in strip-only mode\n  At: controllers/users.ts:2\n  ${COMPILE} ${WITHOUT_DECORATORS}`,
    );
  });

  it('an import of TypeScript by the name of its compiled file', async () => {
    const files = {
      'controllers/users.ts': "import '../lib/users.js';",
      'lib/users.ts': 'export class Users {}',
    };
    expect(await errorOf(files)).toContain(
      "\n  At: controllers/users.ts\n  Fix: import it with its file extension: 'users.ts'.",
    );
  });

  it('an import of a type without `type`', async () => {
    const files = {
      'controllers/users.ts':
        "import { User } from '../lib/user.ts';\nexport const all: User[] = [];",
      'lib/user.ts': 'export interface User {}',
    };
    expect(await errorOf(files)).toContain(
      "\n  At: controllers/users.ts:1\n  Fix: export User from '../lib/user.ts', or import it with `import type` if it is a type.",
    );
  });

  it('a syntax error as such', async () => {
    const files = { 'controllers/users.js': "// @Controller\nconst name = '\n" };
    expect(await errorOf(files)).toBe(
      message(
        'Discovery failed: importing the file threw SyntaxError: Invalid or unexpected token',
        'At: controllers/users.js',
        'Fix: correct the syntax of the file, or of a module that it imports. `node --check controllers/users.js` shows the line.',
      ),
    );
  });
});
