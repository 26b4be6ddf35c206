import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { here, run, runTsc, workspace } from './support/project.js';

const read = (name: string) => readFileSync(join(workspace, 'docs/tutorial', name), 'utf8');

/** The pages in the order in which the first one links them. */
const pages = [...read('README.md').matchAll(/^\d\. \[.*?\]\((.*?)\)/gm)].map(
  ([, name = '']) => name,
);

/** A file, a change of a file, commands, the request to undo the changes of the page, or the end of a section. */
interface Step {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

/** Returns the steps of a page. The name of a file is before its block, or in the first line of it. */
function stepsOf(page: string): Step[] {
  const steps = read(page).matchAll(/(?:^`(\S+)`\n\n)?^```(\w+)\n(.*?)^```$|^(Undo|##) /gms);
  return [...steps].map(([, before, language, text = '', mark]) => ({
    language: language ?? (mark === 'Undo' ? 'undo' : 'section'),
    text,
    file: before ?? /^\/\/ (\S+)\n/.exec(text)?.[1],
  }));
}

const env = {
  ...process.env,
  PORT: '0',
  // Node.js 22 warns about SQLite and types, and has another reporter for tests.
  NODE_OPTIONS: '--disable-warning=ExperimentalWarning --test-reporter=spec',
};

/** Takes the commands of the second terminal, which keeps its variables. */
const TERMINAL = `
curl() { command curl --silent "$@"; }
npx() { shift && node '${join(here, 'node_modules/fairlead/dist/main.js')}' "$@"; }
[ ! -f ../variables ] || . ../variables
set -a
`;

let root: string;
let project: string;
/** The service in the first terminal, while it runs the present files. */
let service: Awaited<ReturnType<typeof start>> | undefined;
/** The number of sections so far. */
let sections = 0;
/** The files before the changes of this page. */
const originals = new Map<string, string>();
const installed = new Set<string>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-tutorial-'));
  project = join(root, 'bookmarks');
});

afterAll(async () => {
  await stopService();
  await rm(root, { recursive: true, force: true });
});

/** Starts a service. Returns its URL, and a function that presses Ctrl-C and resolves with what it has printed. */
async function start(command: string, cwd: string, settings: NodeJS.ProcessEnv = {}) {
  const options = { cwd, env: { ...env, ...settings } };
  const child = spawn('sh', ['-c', `exec env ${command}`], options);
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk) => errors.push(chunk));
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(`${line}\n`));
  const exit = once(child, 'exit');
  await Promise.race([once(output, 'line'), exit]);
  const [, url] = / listens on (\S+)$/m.exec(lines[0] ?? '') ?? [];
  if (url === undefined) throw new Error(`${command} failed:\n${Buffer.concat(errors)}`);
  const stop = async (): Promise<string> => {
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(String(Buffer.concat(errors))).toBe('');
    return lines.join('').replace(url, 'http://localhost:8080');
  };
  return { url, stop };
}

async function stopService(): Promise<void> {
  await service?.stop();
  service = undefined;
}

async function scriptOf(name: string): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  return scripts[name];
}

/** Runs a command, and returns what it prints. One that sends a request starts the service if it does not run. */
async function runCommand(command: string): Promise<string> {
  let script = command === 'npm test' ? await scriptOf('test') : command;
  if (command.includes('localhost:8080')) {
    service ??= await start((await scriptOf('dev')).replace('--watch-path=src', ''), project);
    script = script.replaceAll('localhost:8080', new URL(service.url).host);
  }
  const lines = `${TERMINAL}${script}\nstatus=$?\nexport -p > ../variables\nexit $status`;
  const options = { env: { ...env, TMPDIR: root } };
  const { stdout, stderr } = await run('sh', ['-c', lines], project, options).catch(
    (failure) => failure,
  );
  return `${stderr}${stdout}`.replace(/(?<=[^\n])$/, '\n');
}

/** Takes a line of a block whose output the page does not show. */
async function takeLine(line: string): Promise<void> {
  const [, list] = /^npm install (?:--save-dev )?(.*)$/.exec(line) ?? [];
  if (list !== undefined) {
    for (const name of list.split(' ')) installed.add(name.replace(/(?<=.)@.*/, ''));
  } else if (line === 'mkdir bookmarks') {
    await mkdir(project);
    await symlink(join(here, 'node_modules'), join(project, 'node_modules'));
  } else if (line === 'npm run dev') {
    await stopService();
  } else if (!/^(?:cd|docker|npm run typecheck)\b/.test(line)) {
    expect(await runCommand(line)).toBe('');
  }
}

/** Compares the output of commands with that of the page, where `…` stands for any text, or for any lines. */
async function takeConsole(text: string): Promise<void> {
  for (const [block, command = ''] of text.matchAll(/^\$ (.*)\n(?:(?!\$ ).*\n)*/gm)) {
    const actual = block.includes('^C')
      ? await (await start(command, project)).stop()
      : await runCommand(command);
    const expected = block.slice(block.indexOf('\n') + 1).replace('^C', '');
    const pattern = expected
      .replaceAll(/[^\w\s…]/g, '\\$&')
      .replaceAll(/^…\n/gm, '(?:.*\\n)*')
      .replaceAll('…', '.*');
    expect(new RegExp(`^${pattern}$`).test(actual) ? expected : actual).toBe(expected);
  }
}

/** Writes a file whose packages the reader has installed. */
async function writeStep(file: string, text: string): Promise<void> {
  await stopService();
  await mkdir(dirname(join(project, file)), { recursive: true });
  await writeFile(join(project, file), text);
  const imports = [...text.matchAll(/ from '([^.'][^']*)';$/gm)].map(([, name = '']) => name);
  expect(imports.filter((name) => !name.startsWith('node:') && !installed.has(name))).toEqual([]);
}

/** Changes a file. `…` separates its parts. */
async function changeStep(file: string, diff: string): Promise<void> {
  let text = await readFile(join(project, file), 'utf8');
  if (!originals.has(file)) originals.set(file, text);
  for (const part of diff.split(/^ …\n/m)) {
    const [before = '', after = ''] = ['+', '-'].map((added) =>
      part.replaceAll(/^([-+ ]?)(.*\n)/gm, (_, mark, line) => (mark === added ? '' : line)),
    );
    expect(text.split(before), `once in ${file}:\n${before}`).toHaveLength(2);
    text = text.replace(before, () => after);
  }
  await writeStep(file, text);
}

/** Copies the sources for the compiler. */
async function copySources(folder: string): Promise<void> {
  for (const name of ['src', 'test'].filter((name) => existsSync(join(project, name)))) {
    await cp(join(project, name), join(project, folder, name), { recursive: true });
  }
}

async function take({ language, file, text }: Step): Promise<void> {
  if (language === 'section') {
    sections += 1;
    await copySources(`sections/${sections}`);
  } else if (language === 'undo') {
    await cp(join(project, 'src'), join(project, 'undone/src'), { recursive: true });
    for (const [path, original] of originals) await writeStep(path, original);
  } else if (file !== undefined) {
    await (language === 'diff' ? changeStep : writeStep)(file, text);
  } else if (language === 'sh') {
    for (const line of text.trimEnd().split('\n')) await takeLine(line);
  } else {
    await takeConsole(text);
  }
}

describe('the tutorial', { concurrent: false }, () => {
  it.each(pages)('runs and prints what it shows: %s', async (page) => {
    originals.clear();
    for (const step of stepsOf(page)) await take(step);
    await copySources(page);
    // What an offline application writes is gone when it is closed.
    expect((await readdir(root)).filter((name) => name.startsWith('bookmarks-'))).toEqual([]);
  });

  it('compiles after each section, and with the mistakes that the compiler accepts', async () => {
    const mistakes = [
      ['2-schemas.md', '({ body })', '({ boby })'],
      ['4-sign-in.md', '    .use(auth.middleware)\n', ''],
    ] as const;
    const broken = mistakes.map(([page]) => `${page}/src/broken.ts`);
    for (const [page, right, wrong] of mistakes) {
      const source = await readFile(join(project, page, 'src/bookmarks.ts'), 'utf8');
      await writeFile(join(project, page, 'src/broken.ts'), source.replace(right, wrong));
    }
    const file = join(project, 'tsconfig.json');
    const include = [...pages, 'sections', 'undone'].map((folder) => `${folder}/**/*`);
    const config = { ...JSON.parse(await readFile(file, 'utf8')), include };
    await writeFile(file, JSON.stringify(config));
    const { stdout } = await runTsc('typescript-7', [], project).catch((failure) => failure);
    const files = [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, name]) => name);
    expect([...new Set(files)]).toEqual(broken);
  });

  it('ends with an image that has what its command needs', async () => {
    const dockerfile = await readFile(join(project, 'Dockerfile'), 'utf8');
    const image = join(root, 'image');
    const sources = [...dockerfile.matchAll(/^COPY (?:--from=\w+ \/app\/)?(\S+) \S+$/gm)];
    for (const [, source = ''] of sources) {
      const options = { recursive: true, verbatimSymlinks: true };
      await cp(join(project, source), join(image, source), options);
    }
    const [, command = ''] = /^CMD (.*)$/m.exec(dockerfile) ?? [];
    const settings = { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(32) };
    const { url, stop } = await start(JSON.parse(command).join(' '), image, settings);
    expect((await fetch(new URL('/health/ready', url))).status).toBe(200);
    expect((await fetch(new URL('/docs', url))).status).toBe(404);
    await stop();
  });
});
