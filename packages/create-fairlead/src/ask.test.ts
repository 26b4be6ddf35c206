import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { ask, CancelledError, type Given } from './ask.js';

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

it('asks for the folder and the template', async () => {
  const { result, text } = await answer({}, 'tasks', 'minimal');
  expect(result).toEqual({ directory: 'tasks', template: 'minimal' });
  expect(text).toMatch(
    /^Project folder \(my-app\): Templates:\n {2}1 {2}minimal .*\n {2}2 {2}values .*\n {2}3 {2}rest-api .*\nNumber or name \(1\): $/,
  );
});

it('asks for the database, sign-in and jobs of rest-api', async () => {
  const { result, text } = await answer({}, 'tasks', 'rest-api', '2', 'yes', 'y');
  const chosen = { template: 'rest-api', database: 'postgres', auth: true, jobs: true };
  expect(result).toEqual({ directory: 'tasks', ...chosen });
  expect(text).toMatch(
    /Databases:\n {2}1 {2}sqlite .*\n {2}2 {2}postgres .*\nNumber or name \(1\): Accounts and sign-in, yes or no \(no\): Jobs in the background, yes or no \(no\): $/,
  );
});

it('asks for the database of values, and for sign-in and jobs if it can store them', async () => {
  const { result, text } = await answer({}, 'tasks', 'values', '');
  expect(result).toEqual({ directory: 'tasks', template: 'values', database: 'memory' });
  expect(text).toMatch(
    /Databases:\n {2}1 {2}memory .*\n {2}2 {2}sqlite .*\n {2}3 {2}postgres .*\nNumber or name \(1\): $/,
  );
  const stored = await answer({}, 'tasks', 'values', 'sqlite', 'n', 'yes');
  const chosen = { template: 'values', database: 'sqlite', auth: false, jobs: true };
  expect(stored.result).toEqual({ directory: 'tasks', ...chosen });
});

it('has defaults, and accepts the number of a template', async () => {
  expect((await answer({}, '', '')).result).toEqual({ directory: 'my-app', template: 'minimal' });
  const chosen = { template: 'rest-api', database: 'sqlite', auth: false, jobs: false };
  expect((await answer({}, '', '3', '', '', '')).result).toEqual({
    directory: 'my-app',
    ...chosen,
  });
});

it('asks only for what is missing', async () => {
  const given = { template: 'rest-api', database: undefined, auth: true } as const;
  expect((await answer(given, 'tasks')).result).toEqual({ directory: 'tasks', ...given });
  const template = await answer({ directory: 'tasks', template: undefined }, '1');
  expect(template.result).toEqual({ directory: 'tasks', template: 'minimal' });
  expect(template.text).not.toContain('folder');
});

it('controls no terminal with what an answer contains', async () => {
  const { text } = await answer({}, 'tasks', '\u009b2J');
  expect(text).toContain('\\u009b2J');
  expect(text).not.toContain('\u009b');
});

it('asks again after an invalid answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'create-'));
  const taken = join(folder, 'taken');
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(taken);
  await writeFile(join(taken, 'file'), '');
  const answers = [taken, 'My App', 'my-app', '5', '3', 'mysql', '', 'maybe', 'N', 'no'];
  const { result, text } = await answer({}, ...answers);
  const chosen = { template: 'rest-api', database: 'sqlite', auth: false, jobs: false };
  expect(result).toEqual({ directory: 'my-app', ...chosen });
  expect(text).toContain('the folder is not empty. It contains file.');
  expect(text).toContain("Cannot name the project 'My App'");
  expect(text).toContain("Unknown template '5'. Use one of: minimal, values, rest-api.");
  expect(text).toContain("Unknown database 'mysql'. Use one of: sqlite, postgres.");
  expect(text).toContain('Answer yes or no.');
});

it('is cancelled when the input ends', async () => {
  expect((await answer({})).result).toEqual(new CancelledError('Canceled.'));
  expect((await answer({}, 'tasks')).result).toEqual(new CancelledError('Canceled.'));
});
