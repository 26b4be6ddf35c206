import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { writeTree } from '../../test/support/tree.js';
import { entryFile, importControllers } from './discover-controllers.js';
import { findFiles } from './find-files.js';

const { argv } = process;

afterEach(() => {
  process.argv = argv;
});

describe('entryFile', () => {
  const self = fileURLToPath(import.meta.url);

  it('is the file that node was started with', () => {
    process.argv = ['node', self];
    expect(entryFile()).toBe(self);
  });

  it.each([[['node']], [['node', '/missing/main.js']]])('is undefined for %j', (given) => {
    process.argv = given;
    expect(entryFile()).toBeUndefined();
  });
});

describe('importControllers', () => {
  it('fails with the names of files that do not finish importing in time', async () => {
    const stuck = 'await new Promise(() => {});';
    const root = await writeTree({ 'a.js': stuck, 'b.js': stuck });
    const files = await findFiles({ root });
    await expect(importControllers(files, { timeout: 100 })).rejects.toMatchObject({
      name: 'DiscoveryError',
      file: join(root, 'a.js'),
      message: expect.stringMatching(
        /^Discovery failed: these files did not finish importing within 0\.1 seconds: \S+a\.js, \S+b\.js\. Either/,
      ),
    });
  });

  it('keeps waiting while imports finish one after another', async () => {
    const after = (milliseconds: number) =>
      `await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));`;
    const files = [400, 800, 1_200].map((delay) => [`after-${delay}.js`, after(delay)]);
    const root = await writeTree(Object.fromEntries(files));
    const found = await findFiles({ root });
    expect(await importControllers(found, { timeout: 1_000 })).toHaveLength(3);
  });
});
