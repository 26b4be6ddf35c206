import { join } from 'node:path';
import { expect, it } from 'vitest';
import { here, runTsc } from './support/project.js';

it('a call with a renamed path, parameter, member of a body or code no longer compiles', async () => {
  const compiled = runTsc('typescript-7', ['--pretty', 'false'], join(here, 'fixtures/renamed'));
  const { stdout } = await compiled.catch((failure) => failure);
  const printed = [...stdout.matchAll(/^page\.ts\(\d+,\d+\): (error .*)$/gm)].map(
    ([, line]) => line,
  );
  expect(printed).toEqual([
    "error TS2353: Object literal may only specify known properties, and 'fullName' does not exist in type '{ name: string; email: string; tags: string[]; }'.",
    'error TS2345: Argument of type \'"/users/:key"\' is not assignable to parameter of type \'"/users" | "/users/:id"\'.',
    'error TS2367: This comparison appears to be unintentional because the types \'"USER_NOT_FOUND" | undefined\' and \'"USER_GONE"\' have no overlap.',
  ]);
});
