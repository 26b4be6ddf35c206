import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { type Answers, ask, CancelledError } from './ask.js';

type Given = { readonly [Name in keyof Answers]: Answers[Name] | undefined };

/** Answers each question with the next line, and then ends the input. */
async function answer(given: Given, ...lines: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  const answers = lines.values();
  let text = '';
  output.on('data', (chunk: string) => {
    text += chunk;
    if (!text.endsWith('): ')) return;
    const { value, done } = answers.next();
    if (done) input.end();
    else input.write(`${value}\n`);
  });
  const result = await ask(given, { input, output }).catch((error) => error);
  return { result, text };
}

const NOTHING: Given = { directory: undefined, template: undefined };

it('asks for the folder and the template', async () => {
  const { result, text } = await answer(NOTHING, 'tasks', 'auth');
  expect(result).toEqual({ directory: 'tasks', template: 'auth' });
  expect(text).toMatch(
    /^Project folder \(my-app\): Templates:\n {2}1 {2}minimal .*\n {2}2 {2}values .*\n {2}3 {2}rest-api /,
  );
});

it('has defaults, and accepts the number of a template', async () => {
  expect((await answer(NOTHING, '', '')).result).toEqual({
    directory: 'my-app',
    template: 'minimal',
  });
  expect((await answer(NOTHING, '', '3')).result).toMatchObject({ template: 'rest-api' });
});

it('asks only for what is missing', async () => {
  const folder = await answer({ directory: undefined, template: 'auth' }, 'tasks');
  expect(folder.result).toEqual({ directory: 'tasks', template: 'auth' });
  const template = await answer({ directory: 'tasks', template: undefined }, '4');
  expect(template.result).toEqual({ directory: 'tasks', template: 'auth' });
  expect(template.text).not.toContain('folder');
});

it('asks again after an invalid answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'create-'));
  const taken = join(folder, 'taken');
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(taken);
  await writeFile(join(taken, 'file'), '');
  const { result, text } = await answer(NOTHING, taken, 'My App', 'my-app', '5', '1');
  expect(result).toEqual({ directory: 'my-app', template: 'minimal' });
  expect(text).toContain('the folder is not empty. It contains file.');
  expect(text).toContain("Cannot name the project 'My App'");
  expect(text).toContain("Unknown template '5'. Use one of: minimal, values, rest-api, auth.");
});

it('is cancelled when the input ends', async () => {
  expect((await answer(NOTHING)).result).toEqual(new CancelledError('Canceled.'));
  expect((await answer(NOTHING, 'tasks')).result).toEqual(new CancelledError('Canceled.'));
});
