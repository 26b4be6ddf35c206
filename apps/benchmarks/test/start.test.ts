import { expect, it } from 'vitest';
import { generate } from '../src/start/generate.js';
import { measureStart } from '../src/start/measure.js';
import { SUBJECTS } from '../src/start/subjects.js';

it.each(SUBJECTS)('$name starts with three controllers, and answers', async (subject) => {
  const program = { args: [generate(subject, 3)] };
  const start = await measureStart(program, process.execPath, '/c2/7');
  expect(JSON.parse(start.answer)).toEqual({ id: '7', controller: 2 });
  expect(start.time).toBeGreaterThan(0);
  expect(start.cpu).toBeGreaterThan(0);
  expect(start.memory).toBeGreaterThan(0);
});
