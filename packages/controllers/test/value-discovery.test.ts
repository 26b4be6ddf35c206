import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverControllers, getErrorsFromResults } from '../src/index.js';
import { message } from './support/message.js';
import { serve } from './support/serve.js';
import { controllerSource, writeTree } from './support/tree.js';

const IMPORT = "import { defineController } from '../../src/index.js';";

const value = (prefix: string) =>
  `defineController('${prefix}', { routes: ({ get }) => ({ read: get('/', () => '${prefix}') }) });`;

/** Finds the values of files whose routes would be missing, and formats their errors. */
async function lostIn(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await writeTree(files);
  const errors = getErrorsFromResults(await discoverControllers({ root }));
  return errors.map((error) => error.message.replaceAll(`${relative(process.cwd(), root)}/`, ''));
}

const lost = (name: string, location: string) =>
  message(
    `Discovery failed: ${name} is the result of defineController(), but its file does not export it, so its routes are not registered.`,
    `At: ${location}`,
    'Fix: export it. If its routes are registered elsewhere, pass the controller to intended().',
  );

describe('discovery', () => {
  it('finds values and classes, in one file and in several', async () => {
    const root = await writeTree({
      'a.ts': `${IMPORT}\n${controllerSource('Mixed', '/mixed')}\nexport const a = ${value('/a')}`,
      'b.ts': `${IMPORT}\nexport default ${value('/b')}`,
      'c.ts': controllerSource('Only', '/only'),
      'd.ts': `export * from './b.js';\nexport { default } from './b.js';`,
    });
    const { fetch, plugin } = await serve({ root, strict: true });
    expect(plugin.state.routeCount).toBe(4);
    const read = async (path: string) => (await fetch(path)).json();
    expect(await Promise.all(['/a', '/b', '/mixed', '/only'].map(read))).toEqual([
      '/a',
      '/b',
      'Mixed',
      'Only',
    ]);
  });

  it('reports values that their file does not export', async () => {
    expect(
      await lostIn({ 'a.ts': `${IMPORT}\nexport const none = 1;\n${value('/users')}` }),
    ).toEqual([lost('users', 'a.ts:3:1')]);
  });

  it('tells values of the same prefix in one file apart', async () => {
    const files = { 'a.ts': `${IMPORT}\nexport const a = ${value('/a')}\n${value('/a')}` };
    expect(await lostIn(files)).toEqual([lost('a', 'a.ts:3:1')]);
  });

  it('does not report values that a function returns, or that are passed to intended()', async () => {
    const files = {
      'a.ts': `${IMPORT}
        import { intended } from '@fairlead/core';
        export const create = () => ${value('/a')}
        create();
        intended(${value('/b').replace(';', '')});
      `,
    };
    expect(await lostIn(files)).toEqual([]);
  });
});
