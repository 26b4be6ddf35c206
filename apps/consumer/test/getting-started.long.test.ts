import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { installedVersion, run, workspace } from './support/project.js';

/** The versions to install of what is no dependency of this workspace package. */
const VERSIONS: Readonly<Record<string, string>> = {
  '@oxc-node/core': '@oxc-node/core@0.1.7',
  '@types/node@22': '@types/node@22.20.5',
  jest: 'jest@30.5.2',
  '@jest/globals': '@jest/globals@30.5.2',
  '@swc/core': '@swc/core@1.16.22',
  '@swc/jest': '@swc/jest@0.2.39',
};

/** A file, a list of commands, or commands with their output. */
interface Step {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const page = await readFile(join(workspace, 'docs/getting-started.md'), 'utf8');

/** Returns the code blocks of a section. The name of a file is in its first line. That of JSON is before the block. */
function stepsOf(heading: string): Step[] {
  const [, section = ''] = new RegExp(`^## ${heading}\\n(.*?)(?=^## )`, 'ms').exec(page) ?? [];
  const blocks = section.matchAll(/(?:^`(\S+)`[^\n]*\n\n)?^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].map(([, before, language = '', text = '']) => {
    const file = language === 'json' ? before : /^\/\/ (\S+)\n/.exec(text)?.[1];
    return { language, file, text };
  });
}

/** Stop the services that a failed test has left. */
const running = new Set<() => Promise<void>>();
let root: string;
let project: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-start-'));
  project = join(root, 'my-api');
});

afterAll(async () => {
  for (const stop of running) await stop();
  await rm(root, { recursive: true, force: true });
});

/** Names a package as the registry would provide it. */
function packageOf(name: string): string | Promise<string> {
  const tarball = inject('tarballs')[name.replace('@fairlead/', '')];
  return tarball ?? VERSIONS[name] ?? installedVersion(name);
}

/** Runs a line of a shell block. Packages come from tarballs, or in the version of the workspace. */
async function runLine(line: string): Promise<string> {
  if (line === 'mkdir my-api') await mkdir(project);
  if (/^(mkdir|cd) my-api$/.test(line)) return '';
  const [, flag = '', list] = /^npm install( --save-dev)? (.*)$/.exec(line) ?? [];
  const packages = await Promise.all(list?.split(' ').map(packageOf) ?? []);
  const flags = '--no-audit --no-fund --prefer-offline --strict-peer-deps';
  const command = list === undefined ? line : `npm install ${flags}${flag} ${packages.join(' ')}`;
  const print = ({ stdout }: { stdout: string }) => stripVTControlCharacters(stdout);
  return run('sh', ['-c', `${command} 2>&1`], project).then(print, (failure) => {
    throw new Error(`${line} failed:\n${print(failure)}`);
  });
}

/** Starts a script, and returns a function that resolves with the URL of each of its starts. */
function start(script: string) {
  const env = { ...process.env, PORT: '0' };
  const child = spawn('npm', ['run', script], { cwd: project, env, detached: true });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const url = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`npm run ${script} ended without listening.`);
    return /listens on (\S+)/.exec(value)?.[1] ?? url();
  };
  const stop = async () => {
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await once(child, 'exit');
    running.delete(stop);
  };
  running.add(stop);
  return { url, stop };
}

/** Returns what the commands of a console block print when they run on another port. */
async function repeatConsole(text: string, url: string): Promise<string> {
  let output = '';
  for (const [line, command = ''] of text.matchAll(/^\$ curl (.*)$/gm)) {
    const script = `curl --silent ${command.replace('localhost:8080', url)}`;
    const { stdout } = await run('sh', ['-c', script], project);
    output += `${line}\n${stdout}\n`;
  }
  return output;
}

/** Takes the steps of a section, without the scripts that run until they are stopped. */
async function take(heading: string): Promise<string> {
  let output = '';
  for (const { language, file, text } of stepsOf(heading)) {
    if (file !== undefined) {
      await mkdir(dirname(join(project, file)), { recursive: true });
      await writeFile(join(project, file), text);
    } else if (language === 'sh') {
      const lines = text.trimEnd().split('\n');
      const finite = lines.filter((line) => !/^npm (run dev|start)$/.test(line));
      for (const line of finite) output += await runLine(line);
    }
  }
  return output;
}

const consoleOf = (heading: string) =>
  stepsOf(heading).find(({ language }) => language === 'console')?.text ?? '';

describe('the page Getting started, by hand', { concurrent: false }, () => {
  it('leads from an empty folder to a service that restarts on changes', async () => {
    await take('Start from an empty folder');
    await take('Write the first route');
    const expected = consoleOf('Run it while you edit');
    const dev = start('dev');
    const url = await dev.url();
    expect(await repeatConsole(expected, url)).toBe(expected);

    const app = join(project, 'src/app.ts');
    const source = await readFile(app, 'utf8');
    await writeFile(app, source.replace('hello: ', 'bye: '));
    const changed = await fetch(`${await dev.url()}/hello/Ada`);
    expect(await changed.json()).toEqual({ bye: 'Ada' });
    await writeFile(app, source);
    expect(await dev.url()).toMatch(/^http/);
    await writeFile(join(project, 'src/new.ts'), '');
    expect(await dev.url()).toMatch(/^http/);
    await dev.stop();
  });

  it('tests it with vitest', async () => {
    expect(await take('Test it')).toMatch(/Tests .*1 passed/);
  });

  it('adds a controller, with tests that pass', async () => {
    expect(await take('Add a controller')).toMatch(/Tests .*2 passed/);
  });

  it('builds and starts it', async () => {
    await take('Build and start');
    const service = start('start');
    const expected = consoleOf('Build and start');
    expect(await repeatConsole(expected, await service.url())).toBe(expected);
    await service.stop();
  });

  it('tests it with Jest', async () => {
    expect(await take('Test it with Jest instead')).toMatch(/Tests: +1 passed/);
  });
});
