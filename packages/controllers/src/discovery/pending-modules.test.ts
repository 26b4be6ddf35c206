import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { modulesOnStack, processEntry } from './pending-modules.js';

const { argv } = process;

afterEach(() => {
  process.argv = argv;
});

describe('modulesOnStack', () => {
  it('leaves the way in which errors write their stack as it was', () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    modulesOnStack();
    expect(Error.prepareStackTrace).toBe(prepareStackTrace);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    expect(new Error('text').stack).toBeTypeOf('string');
  });
});

describe('processEntry', () => {
  const self = fileURLToPath(import.meta.url);

  it('is the file that node was started with', () => {
    process.argv = ['node', self];
    expect(processEntry()).toBe(self);
  });

  it.each([[['node']], [['node', '/missing/main.js']]])('is undefined for %j', (given) => {
    process.argv = given;
    expect(processEntry()).toBeUndefined();
  });
});
