import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createProject, here, install, run, runTsc } from './support/project.js';

const tarballs = inject('tarballs');
const PACKAGES = ['core', 'di', 'controllers', 'middleware'].map((name) => tarballs[name] ?? name);

/** What the program checks, in process and over a socket. */
const CHECKS = [
  'route',
  'head',
  'empty',
  'json',
  'query',
  'malformed json',
  'large body',
  'errors',
  'stream',
  'events',
  'cookies',
  'class',
  'finish',
];
const groups = {
  socket: ['listen', ...CHECKS, 'disconnect', 'close'],
  process: [...CHECKS, 'address', 'disconnect', 'close'],
};

const bin = (name: string) => join(here, 'node_modules', '.bin', name);

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-runtimes-'));
  await createProject(project);
  await install(project, [...PACKAGES, 'reflect-metadata@0.2.2']);
  await cp(join(here, 'fixtures/runtimes'), project, { recursive: true });
  await runTsc('typescript', [], project);
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe.each([
  ['Node.js', process.execPath, []],
  ['Deno', bin('deno'), ['run', '--allow-all', '--no-lock']],
  ['Bun', bin('bun'), []],
])('an application runs on %s', (_, command, args) => {
  it.each([
    ['over a socket', 'socket'],
    ['in process', 'process'],
  ] as const)('%s', async (_title, group) => {
    const { stdout, stderr } = await run(command, [...args, 'dist/app.js', group], project);
    expect(stdout.trimEnd().split('\n')).toEqual(groups[group].map((name) => `passes: ${name}`));
    expect(stderr).toBe('');
  });
});
