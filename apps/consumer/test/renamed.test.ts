import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { here, runTsc, workspace } from './support/project.js';

const readme = readFileSync(join(workspace, 'packages/client/README.md'), 'utf8');

it('the messages in the README of the client are those of the compiler', async () => {
  const compiled = runTsc('typescript-7', ['--pretty', 'false'], join(here, 'fixtures/renamed'));
  const { stdout } = await compiled.catch((failure) => failure);
  const printed = [...stdout.matchAll(/^page\.ts\(\d+,\d+\): (error .*)$/gm)].map(
    ([, line]) => line,
  );
  const shown = readme.split('\n').filter((line) => line.startsWith('error TS'));
  expect(printed).toEqual(shown);
});
