import { afterEach, expect, it, vi } from 'vitest';

const features = [
  { owner: Promise, name: 'withResolvers' },
  { owner: process, name: 'getBuiltinModule' },
].map((one) => ({ ...one, original: Object.getOwnPropertyDescriptor(one.owner, one.name) }));

afterEach(() => {
  for (const { owner, name, original } of features) {
    Object.defineProperty(owner, name, { ...original });
  }
  // The next files of the process must not get the module that has failed.
  vi.resetModules();
});

it.each(features)(
  'the import names the Node.js that it needs on one without $name()',
  async ({ owner, name }) => {
    vi.resetModules();
    Reflect.deleteProperty(owner, name);
    await expect(import('./index.js')).rejects.toMatchObject({
      code: 'UNSUPPORTED_NODE',
      message: `Fairlead needs Node.js 22.16 or newer: this is ${process.version}. Update Node.js.`,
    });
  },
);
