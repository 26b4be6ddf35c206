import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { captureCallSite, describeCaller, describeCallSite } from './call-site.js';
import { describeFile } from './files.js';

const file = resolve('src/users.ts');
const { href } = pathToFileURL(file);
const other = resolve('/elsewhere/users.ts');

describe('describeCallSite', () => {
  it.each([
    ['the top level of a module', `Error\n    at ${href}:12:2\n    at ModuleJob.run (node:a:1:1)`],
    ['a module that is awaited', `Error\n    at async ${href}:12:2`],
    ['a module with source maps', `Error\n    at <anonymous> (${file}:12:2)`],
    ['a CommonJS module', `Error\n    at Object.<anonymous> (${file}:12:2)`],
    ['a module that calls a function', `Error\n    at Api (${other}:1:1)\n    at ${href}:12:2`],
    [
      'a function that no module calls',
      `Error\n    at Api (${href}:12:2)\n    at b (${other}:1:1)`,
    ],
    [
      'a module that calls a helper',
      `Error\n    at <anonymous> (${resolve('node_modules/tslib/tslib.js')}:1:1)\n    at ${href}:12:2`,
    ],
    [
      'a callback of a module',
      `Error\n    at Timeout._onTimeout (${href}:12:2)\n    at <anonymous> (${resolve('node_modules/runner/run.js')}:1:1)`,
    ],
    [
      'a callback behind an installed package of Fairlead',
      `Error\n    at <anonymous> (${resolve('node_modules/@fairlead/jwt/dist/index.js')}:1:1)\n    at Timeout._onTimeout (${href}:12:2)`,
    ],
    ['a module under a loader', `Error\n    at eval (eval at a (b))\n    at ${file}:12:2`],
  ])('finds %s', (_, stack) => {
    expect(describeCallSite({ stack })).toBe('src/users.ts:12:2');
  });

  it('shows the whole path of a file that is not below the working directory', () => {
    expect(describeCallSite({ stack: `Error\n    at ${other}:1:1` })).toBe(`${other}:1:1`);
  });

  it.each([
    [{}],
    [{ stack: 'Error' }],
    [{ stack: `Error\n    at a (${resolve('node_modules/@fairlead/di/dist/index.js')}:1:1)` }],
    [{ stack: 'Error\n    at run (node:vm:1:1)' }],
  ])('returns undefined for %j', (site) => {
    expect(describeCallSite(site)).toBeUndefined();
  });
});

describe('describeCaller', () => {
  it('picks the nearest frame, with or without a name', () => {
    const stack = `Error\n    at createApp (${href}:12:2)\n    at ${other}:1:1`;
    expect(describeCaller({ stack })).toBe('src/users.ts:12:2');
  });

  it('names no file of an installed package of Fairlead', () => {
    const own = resolve('node_modules/@fairlead/openapi/dist/index.js');
    const stack = `Error\n    at install (${own}:1:1)\n    at ${href}:12:2`;
    expect(describeCaller({ stack })).toBeUndefined();
  });
});

describe('describeFile', () => {
  it('shows the path of a file URL relative to the working directory', () => {
    const { href: spaced } = pathToFileURL(resolve('a b/%/ü.ts'));
    expect(describeFile(spaced)).toBe(join('a b', '%', 'ü.ts'));
  });

  it('shows a whole path that only starts like the working directory', () => {
    const sibling = `${process.cwd()}-old/users.ts`;
    expect(describeFile(sibling)).toBe(sibling);
  });

  it('shows a drive', () => {
    expect(describeFile('file:///C:/app/users.ts')).toBe('C:\\app\\users.ts');
  });
});

describe('captureCallSite', () => {
  it('does not format the stack before it is read', () => {
    const { prepareStackTrace } = Error;
    onTestFinished(() => void Object.assign(Error, { prepareStackTrace }));
    let formatted = 0;
    Error.prepareStackTrace = () => {
      formatted += 1;
      return 'Error';
    };
    const site = captureCallSite(captureCallSite);
    const before = formatted;
    expect(describeCallSite(site)).toBeUndefined();
    expect([before, formatted]).toEqual([0, 1]);
  });
});
