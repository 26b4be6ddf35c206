import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverControllers, getErrorsFromResults } from '../src/index.js';
import { message } from './support/message.js';
import { writeTree } from './support/tree.js';

describe('discoverControllers', () => {
  it('names the compiler options for decorators that were compiled as standard ones', async () => {
    const source = `import { Get } from '../../src/index.js';
      Get('/')(() => {}, { kind: 'method', name: 'read' });`;
    const root = await writeTree({ 'a.ts': source });
    expect(getErrorsFromResults(await discoverControllers({ root }))).toMatchObject([
      {
        cause: { code: 'STANDARD_DECORATOR' },
        message: message(
          'Discovery failed: importing the file threw ControllerError: @Get() was compiled as a standard decorator, but it is an experimental one.',
          `At: ${relative(process.cwd(), root)}/a.ts:2:15`,
          'Fix: set experimentalDecorators and emitDecoratorMetadata to true in tsconfig.json.',
        ),
      },
    ]);
  });

  it('keeps the fix of an error that brings one', async () => {
    const source = `import { createCustomParamDecorator } from '../../src/index.js';
      createCustomParamDecorator('user');`;
    const root = await writeTree({ 'a.ts': source });
    const [error] = getErrorsFromResults(await discoverControllers({ root }));
    expect(error?.message).toBe(
      message(
        "Discovery failed: importing the file threw ControllerError: createCustomParamDecorator() cannot use 'user'.",
        `At: ${relative(process.cwd(), root)}/a.ts:2:7`,
        'Fix: pass a function (ctx) => value.',
      ),
    );
  });

  it('explains how to fix a class that is used before its declaration', async () => {
    const root = await writeTree({
      'c.js': 'export const use = D;\nclass D {}',
    });
    const [error] = getErrorsFromResults(await discoverControllers({ root }));
    expect(error?.message).toBe(
      message(
        "Discovery failed: importing the file threw ReferenceError: Cannot access 'D' before initialization",
        `At: ${relative(process.cwd(), root)}/c.js:1:20`,
        'Fix: break the import cycle, or declare D before its first use. For a constructor parameter, write @Inject(lazy(() => D)) and the type Lazy<D>.',
      ),
    );
  });
});
