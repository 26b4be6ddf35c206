import { describe, expect, it } from 'vitest';
import { FAIRLEAD, PACKAGE_JSON, runNode } from './support/program.js';
import { writeTree } from './support/tree.js';

/** A controller that needs something, compiled. */
function controller(name: string, dependency: string): string {
  return `
class ${name} {
  static inject = [${dependency}];
  constructor(dependency) {}
  read() {}
}
Get('/${name}')(${name}.prototype, 'read', {});
Controller()(${name});
`;
}

/** Starts a program with controllers, and prints its message before it fails. */
const program = (controllers: string, names: string, start: string): string => `
import { Controller, Get, controllersPlugin, createApp, createContainer, createRouter } from '#fairlead';
class Database {}
class Queue { constructor() { throw new TypeError('no broker'); } }
${controllers}
const container = createContainer().register(Queue);
const plugin = controllersPlugin({ router: createRouter(), container, controllers: [${names}] });
const failed = createApp().plugin(plugin);
await failed.catch(({ message }) => console.log(message));
${start}
`;

const several = `${controller('Users', 'Database')}${controller('Orders', 'Queue')}`;
const single = controller('Orders', 'Queue');

it('a process that ends while it waits for a factory names the factory', async () => {
  const root = await writeTree({
    'package.json': PACKAGE_JSON,
    'fairlead.js': FAIRLEAD,
    'main.js': program(controller('Users', "'database'"), 'Users', '').replace(
      'register(Queue)',
      "register('database', { useFactory: () => new Promise(() => {}) })",
    ),
  });
  const { code, stderr } = await runNode(root, ['main.js']);

  expect(stderr).toContain(
    "[controllers] still waiting for 'database' although the process has nothing else to do.\n  Fix: ",
  );
  expect(code).toBe(13);
});

describe('node prints', () => {
  it.each([
    ['an uncaught StartError', several, 'Users, Orders', 'await failed;'],
    ['an uncaught ControllerResolutionError', single, 'Orders', 'await failed;'],
    ['a logged StartError', several, 'Users, Orders', 'await failed.catch(console.error);'],
    ['a logged single error', single, 'Orders', 'await failed.catch(console.error);'],
  ])('%s once', async (_, controllers, names, start) => {
    const root = await writeTree({
      'package.json': PACKAGE_JSON,
      'fairlead.js': FAIRLEAD,
      'main.js': program(controllers, names, start),
    });
    const { stdout, stderr } = await runNode(root, ['main.js']);
    const lines = stdout.trimEnd().split('\n');
    const count = (text: string): number => stderr.split(text).length - 1;

    expect(lines.length).toBeGreaterThan(2);
    expect(lines.filter((line) => line !== '' && count(line) !== 1)).toEqual([]);
    // Node adds the line that threw, the code and its own version; the error adds its caller.
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(lines.length + 12);
    expect(stderr).toContain('main.js:');
  });
});
