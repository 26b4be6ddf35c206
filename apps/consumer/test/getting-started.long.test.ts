import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { add, installedVersion, run, workspace } from './support/project.js';

/** The versions to install of what is no dependency of this workspace package. */
const VERSIONS: Readonly<Record<string, string>> = {
  '@oxc-node/core': '@oxc-node/core@0.1.7',
  '@types/node@22': '@types/node@22.20.5',
};

/** A file, a list of commands, or commands with their output. */
interface Step {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
  /** The ways of writing routes that the step is for; empty for all. */
  readonly ways: string;
}

const page = await readFile(join(workspace, 'docs/getting-started.md'), 'utf8');

/**
 * Returns the code blocks of a section. The name of a file is in its first line. That of JSON is before the block, as are
 * the ways of a block between tabs.
 */
function stepsOf(heading: string): Step[] {
  const sections = page.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const blocks = section.matchAll(
    /(?:^(?:`(\S+)`[^\n]*|\*\*([^*]+)\*\*)\n\n)?^```(\w+)\n(.*?)^```$/gms,
  );
  return [...blocks].map(([, before, ways = '', language = '', text = '']) => {
    const file = language === 'json' ? before : /^\/\/ (\S+)\n/.exec(text)?.[1];
    return { language, file, text, ways };
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

const tarballs = Object.values(inject('tarballs'));

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
  if (list !== undefined) {
    const packages = await Promise.all(list.split(' ').map(packageOf));
    await add(project, [...flag.split(' '), ...packages].filter(Boolean), tarballs);
    return '';
  }
  const print = ({ stdout }: { stdout: string }) => stripVTControlCharacters(stdout);
  return run('sh', ['-c', `${line} 2>&1`], project).then(print, (failure) => {
    throw new Error(`${line} failed:\n${print(failure)}`);
  });
}

/** Starts a script, and returns functions that resolve with the URL of each of its starts, and with a printed report. */
function start(script: string) {
  const env = { ...process.env, PORT: '0' };
  const child = spawn('npm', ['run', script], { cwd: project, env, detached: true });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const url = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`npm run ${script} ended without listening.`);
    return /listens on (\S+)/.exec(value)?.[1] ?? url();
  };
  const errors = createInterface(child.stderr)[Symbol.asyncIterator]();
  const report = async (end: string): Promise<string> => {
    const { value, done } = await errors.next();
    if (done) throw new Error(`npm run ${script} ended without a report.`);
    return value === end ? value : `${value}\n${await report(end)}`;
  };
  const stop = async () => {
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await once(child, 'exit');
    running.delete(stop);
  };
  running.add(stop);
  return { url, report, stop };
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

type Json = Readonly<Record<string, unknown>>;

/** Adds or changes members of an object, and of the objects in it. */
function merge(before: Json, changes: Json): Json {
  const changed = Object.entries(changes).map(([name, value]) => {
    const old = before[name];
    const nested = Object(value) === value && !Array.isArray(value) && old !== undefined;
    return [name, nested ? merge(Object(old), Object(value)) : value];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

/** Writes a file. JSON changes the members of a file that exists. */
async function writeStep(file: string, text: string): Promise<void> {
  const path = join(project, file);
  await mkdir(dirname(path), { recursive: true });
  const isChange = file.endsWith('.json') && existsSync(path);
  const before = isChange ? JSON.parse(await readFile(path, 'utf8')) : {};
  await writeFile(path, isChange ? JSON.stringify(merge(before, JSON.parse(text))) : text);
}

/** Takes the steps of a section for one way, without the scripts that run until they are stopped. */
async function take(heading: string, way = ''): Promise<string> {
  let output = '';
  for (const { language, file, text, ways } of stepsOf(heading)) {
    if (ways !== '' && !ways.split(', ').includes(way)) continue;
    if (file !== undefined) {
      await writeStep(file, text);
    } else if (language === 'sh') {
      const lines = text.trimEnd().split('\n');
      const finite = lines.filter((line) => !/^npm (run dev|start)$/.test(line));
      for (const line of finite) output += await runLine(line);
    }
  }
  return output;
}

const blocksOf = (heading: string, language: string) =>
  stepsOf(heading).flatMap((step) => (step.language === language ? [step.text] : []));

const consoleOf = (heading: string) => blocksOf(heading, 'console')[0] ?? '';

/** Replaces the lines that a diff removes with those that it adds. */
function applyDiff(source: string, diff: string): string {
  const [before = '', after = ''] = ['-', '+'].map((mark) =>
    diff.replaceAll(/^([-+])(.*\n)/gm, (_, own, line) => (own === mark ? line : '')),
  );
  return source.replace(before, () => after);
}

/** The ways of writing routes, with the section that prepares each, and the commands before its start. */
const WAYS = [
  { way: 'Functions', prepare: [], build: [] },
  { way: 'Values', prepare: [], build: [] },
  { way: 'Classes', prepare: ['Compile classes'], build: ['npm run build'] },
];

describe('the page Getting started, by hand', { concurrent: false }, () => {
  it('leads from an empty folder to a service that restarts on changes', async () => {
    await take('Start from an empty folder');
    await take('Write the first route');
    const expected = consoleOf('Write the first route');
    const dev = start('dev');
    const url = await dev.url();
    expect(await repeatConsole(expected, url)).toBe(expected);

    const app = join(project, 'src/app.ts');
    const source = await readFile(app, 'utf8');
    const [diff = ''] = blocksOf('Write the first route', 'diff');
    const [, report = ''] = blocksOf('Write the first route', 'console');
    await writeFile(app, applyDiff(source, diff));
    expect(await dev.report(report.trimEnd().split('\n').at(-1) ?? '')).toContain(report.trimEnd());

    await writeFile(app, source.replace('hello: ', 'bye: '));
    const changed = await fetch(`${await dev.url()}/hello/Ada`);
    expect(await changed.json()).toEqual({ bye: 'Ada' });
    await writeFile(app, source);
    expect(await dev.url()).toMatch(/^http/);
    await writeFile(join(project, 'src/new.ts'), '');
    expect(await dev.url()).toMatch(/^http/);
    await dev.stop();
  });

  it('tests it, and checks its types', async () => {
    expect(await take('Test it, and check the types')).toMatch(/pass 1\b/);
  });

  it.each(WAYS)('groups its routes: $way', async ({ way, prepare, build }) => {
    project = join(root, way);
    await cp(join(root, 'my-api'), project, { recursive: true, verbatimSymlinks: true });
    for (const heading of prepare) await take(heading);
    expect(await take('Group routes in one of three ways', way)).toMatch(/pass 1\b/);
    for (const line of build) await runLine(line);
    for (const script of ['dev', 'start']) {
      const service = start(script);
      const expected = consoleOf('Group routes in one of three ways');
      expect(await repeatConsole(expected, await service.url())).toBe(expected);
      await service.stop();
    }
  });
});
