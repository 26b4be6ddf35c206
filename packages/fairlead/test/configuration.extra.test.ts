import { describe, expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { LOADER, writeProject } from './support/project.js';

const refused = (message: string) => ({ status: 2, stdout: '', stderr: `fairlead: ${message}\n` });

/** The commands that read the project. */
const COMMANDS = [
  'routes',
  'explain GET /cats',
  'check',
  'access',
  'fetch /cats',
  'openapi',
  'client',
  'client --watch --out api.ts',
  'new controller dogs',
  'doctor',
  'upgrade',
];

/** Those that take a loader, which reads tsconfig.json. */
const LOADING = COMMANDS.filter((command) => !/^(?:new|doctor|upgrade)/.test(command));

describe('a package.json that Node.js cannot read', () => {
  it.each(COMMANDS)('is named by fairlead %s', async (command) => {
    const { run } = await writeProject({ ...CATS, 'package.json': '{\n  "type": "module",\n}' });
    expect(await run(...command.split(' '))).toEqual(
      refused(
        'Cannot read package.json: it is not JSON: Expected double-quoted property name in JSON at position 22 (line 3 column 1). Correct it.',
      ),
    );
  });

  it.each([
    ['', 'it is not JSON: Unexpected end of JSON input (line 1)'],
    ['[]', 'it is not an object'],
    ['{\n<<<<<<< HEAD\n}', 'it is not JSON: line 2 is a merge conflict'],
    ['{ "dependencies": ["zod"] }', 'dependencies is not an object'],
    ['{ "scripts": { "dev": 1 } }', 'dev of scripts is not a text'],
  ])('is %j', async (text, reason) => {
    const { run } = await writeProject({ ...CATS, 'package.json': text });
    const message = `Cannot read package.json: ${reason}. Correct it.`;
    expect(await run('routes', ...LOADER)).toEqual(refused(message));
  });

  it('may belong to the module, or to a package', async () => {
    const { run } = await writeProject({
      'app/package.json': '{',
      'app/src/app.js': 'export {};',
      'src/app.js': "import './broken/index.js';",
      'src/broken/package.json': '{',
      'src/broken/index.js': '',
    });
    expect(await run('routes', 'app/src/app.js')).toMatchObject(
      refused(
        "Cannot read app/package.json: it is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2). Correct it.",
      ),
    );
    const { status, stderr } = await run('routes');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Cannot load src\/app\.js: Invalid package config \S+\/src\/broken\/package\.json\.\n {2}Fix: install the packages again, or correct that file\.\n$/,
    );
  });
});

describe('a tsconfig.json that loaders cannot read', () => {
  const BROKEN = '{\n  // Comments are fine.\n  "compilerOptions": {\n}';
  const MESSAGE =
    "Cannot read tsconfig.json: it is not JSON: Expected ',' or '}' after property value in JSON at position 50 (line 4 column 2). Correct it.";

  it.each(LOADING)('is named by fairlead %s', async (command) => {
    const { run } = await writeProject({ ...CATS, 'tsconfig.json': BROKEN });
    expect(await run(...command.split(' '), ...LOADER)).toEqual(refused(MESSAGE));
  });

  it('is named by fairlead new, which writes nothing, and by fairlead doctor', async () => {
    const { run } = await writeProject({
      ...CATS,
      'package.json': '{ "type": "module", "dependencies": { "@fairlead/controllers": "*" } }',
      'tsconfig.json': BROKEN,
    });
    expect(await run('new', 'controller', 'dogs')).toEqual(refused(MESSAGE));
    const { status, stdout, stderr } = await run('doctor');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toContain(`\nproblem  compiler options: ${MESSAGE}\n`);
  });

  it.each([
    ['[]', 'tsconfig.json: it is not an object. Correct it.'],
    ['{ "compilerOptions": [] }', 'tsconfig.json: compilerOptions is not an object. Correct it.'],
    ['{ "extends": 1 }', 'tsconfig.json: extends is not a path. Correct it.'],
    [
      '{\n  "extends": "./missing.json"\n}',
      "tsconfig.json:2: it extends './missing.json', which does not exist. Correct the path.",
    ],
    [
      '{ "extends": ["@tsconfig/node24/tsconfig.json"] }',
      "tsconfig.json:1: it extends '@tsconfig/node24/tsconfig.json', which does not exist. Run npm install --save-dev @tsconfig/node24, or correct the name.",
    ],
    [
      '{ "extends": "./config/base" }',
      "config/base.json:2: it extends '../other.json', which does not exist. Correct the path.",
    ],
    [
      '{ "extends": "./config/broken.json" }',
      "config/broken.json: it is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2). Correct it.",
    ],
    [
      '{ "extends": "./config/cycle.json" }',
      'tsconfig.json: config/cycle.json extends itself, directly or through other files. Correct extends.',
    ],
  ])('is %s', async (text, message) => {
    const { run } = await writeProject({
      ...CATS,
      'tsconfig.json': text,
      'config/base.json': '{\n  "extends": "../other.json" }',
      'config/broken.json': '{',
      'config/cycle.json': '{ "extends": "./cycle.json" }',
    });
    expect(await run('routes', ...LOADER)).toEqual(refused(`Cannot read ${message}`));
  });

  it('may have comments, trailing commas, a byte order mark, and what several files set', async () => {
    const { run } = await writeProject({
      ...CATS,
      'tsconfig.json':
        '\uFEFF{\n  "extends": ["./base", "./node_modules/config/tsconfig.json"], // "a"\n  /* { */ "include": ["src/**/*",],\n}',
      'base.json': '{ "compilerOptions": { "experimentalDecorators": true, }, }',
      'node_modules/config/tsconfig.json':
        '{ "compilerOptions": { "emitDecoratorMetadata": true } }',
      'package.json': '{ "type": "module" }',
    });
    expect((await run('doctor')).stdout).toMatch(/\nok {7}compiler options\n$/);
  });

  it('does not matter without a loader', async () => {
    const { run } = await writeProject({
      'src/app.js': "import { createApp } from '@fairlead/core';\nexport default createApp();",
      'tsconfig.json': '{',
    });
    expect(await run('routes')).toMatchObject({ status: 0, stderr: '' });
  });
});

it('a tsconfig.json that does not allow decorators is the fault', async () => {
  const { run } = await writeProject({
    ...CATS,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': '{ "compilerOptions": {} }',
  });
  expect(await run('routes', ...LOADER)).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'Cannot load src/app.ts: src/signed-in.ts has decorators, which the compiler options do not allow.\n  Fix: set experimentalDecorators and emitDecoratorMetadata to true in the tsconfig.json that includes the file.\n',
  });
});
