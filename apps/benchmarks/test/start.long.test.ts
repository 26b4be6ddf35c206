import { expect, it } from 'vitest';
import { measureStart } from '../src/start/command.js';
import { FRAMEWORKS, generate } from '../src/start/frameworks.js';

it.each(FRAMEWORKS)('$name starts with three controllers and responds', async (framework) => {
  const program = { args: [generate(framework, 3)] };
  const start = await measureStart(program, process.execPath, '/c2/7');
  expect(JSON.parse(start.response)).toEqual({ id: '7', controller: 2 });
  expect(start.time).toBeGreaterThan(0);
  expect(start.cpu).toBeGreaterThan(0);
  expect(start.memory).toBeGreaterThan(0);
});
