import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callBudgets } from '../../consumer/test/support/budgets.js';
import { countCalls } from '../src/calls/calls.js';
import { COUNTED_ROUTES } from '../src/calls/routes.js';

const names = COUNTED_ROUTES.map(({ name }) => name);
const counts = await countCalls(COUNTED_ROUTES);

it('every counted route has a budget', () => {
  expect(Object.keys(callBudgets)).toEqual(names);
});

it.each(names)(
  'a warm request stays within its budget of files, functions and calls: %s',
  (name) => {
    const count = counts[names.indexOf(name)] ?? expect.unreachable();
    const [files = 0, functions = 0, calls = 0] = callBudgets[name] ?? [];
    const message = `A warm request to ${name} passes through ${count.files} files, ${count.functions} functions and ${count.calls} calls of our packages. Its budget is ${files}, ${functions} and ${calls}. Call less ('pnpm bench calls ${name} --functions' lists the functions), or see docs/contributing/sizes.md`;
    expect(count.files, message).toBeLessThanOrEqual(files);
    expect(count.functions, message).toBeLessThanOrEqual(functions);
    expect(count.calls, message).toBeLessThanOrEqual(calls);
  },
);

it('lists the functions of a route by source file and line, most calls first', () => {
  const cli = join(import.meta.dirname, '../dist/cli.js');
  const args = [cli, 'calls', 'get', '--functions'];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const listed = [...output.matchAll(/^ *(\d+) {2}packages\/core\/src\/[\w/-]+\.ts:\d+ .+$/gm)];
  const calls = listed.map(([, number]) => Number(number));
  expect(calls).toEqual(calls.toSorted((one, other) => other - one));
  const total = calls.reduce((sum, number) => sum + number, 0);
  expect(output).toMatch(
    new RegExp(`^\\| get \\| \\d+ \\| ${calls.length} \\| ${total} \\|$`, 'm'),
  );
});

it('lists the routes if one is unknown', () => {
  const cli = join(import.meta.dirname, '../dist/cli.js');
  expect(() => execFileSync(process.execPath, [cli, 'calls', 'none'], { stdio: 'pipe' })).toThrow(
    'Unknown route: none. Use one of these: get, post,',
  );
});
