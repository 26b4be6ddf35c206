import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { captureDeclaration, describeDeclaration } from './declaration.js';

const file = resolve('src/users.ts');
const { href } = pathToFileURL(file);
const other = resolve('/elsewhere/users.ts');

describe('describeDeclaration', () => {
  it.each([
    ['the top level of a module', `Error\n    at ${href}:12:2\n    at ModuleJob.run (node:a:1:1)`],
    ['one that is awaited', `Error\n    at async ${href}:12:2`],
    ['one that source maps name', `Error\n    at <anonymous> (${file}:12:2)`],
    ['one that CommonJS names', `Error\n    at Object.<anonymous> (${file}:12:2)`],
    ['one that calls a function', `Error\n    at Api (${other}:1:1)\n    at ${href}:12:2`],
    [
      'a function that nothing nameless calls',
      `Error\n    at Api (${href}:12:2)\n    at b (${other}:1:1)`,
    ],
    ['a module under a loader', `Error\n    at eval (eval at a (b))\n    at ${file}:12:2`],
  ])('finds %s', (_, stack) => {
    expect(describeDeclaration({ stack })).toBe('src/users.ts:12:2');
  });

  it('shows the whole path of a file that is not below the working directory', () => {
    expect(describeDeclaration({ stack: `Error\n    at ${other}:1:1` })).toBe(`${other}:1:1`);
  });

  it.each([[{}], [{ stack: 'Error' }], [{ stack: 'Error\n    at run (node:vm:1:1)' }]])(
    'knows nothing of %j',
    (declaration) => {
      expect(describeDeclaration(declaration)).toBeUndefined();
    },
  );
});

describe('captureDeclaration', () => {
  it('does not write the stack out before it is read', () => {
    const { prepareStackTrace } = Error;
    let written = 0;
    Error.prepareStackTrace = () => {
      written += 1;
      return 'Error';
    };
    const declaration = captureDeclaration(captureDeclaration);
    const before = written;
    expect(describeDeclaration(declaration)).toBeUndefined();
    expect([before, written]).toEqual([0, 1]);
    Object.assign(Error, { prepareStackTrace });
  });
});
