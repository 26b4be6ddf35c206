import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { blocks } from './support/documents.js';
import { createProject, here, run, runTsc } from './support/project.js';

/** Other libraries that the documents use: a peer dependency, validators and a schema compiler. */
const LIBRARIES = ['reflect-metadata', 'zod', 'valibot', 'arktype', 'fast-json-stringify'];

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-readme-'));
  const libraries = await Promise.all(LIBRARIES.map(installedVersion));
  await createProject(project, [...Object.values(inject('tarballs')), ...libraries]);
  for (const { file, code } of blocks) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, `${file}.ts`), code);
  }
  await writeFile(join(project, 'run.mjs'), RUNNER);
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** Returns the npm specifier of a library in the version that this workspace package uses. */
async function installedVersion(name: string): Promise<string> {
  const manifest = await readFile(join(here, 'node_modules', name, 'package.json'), 'utf8');
  return `${name}@${JSON.parse(manifest).version}`;
}

/** Imports a module. Its servers listen on a free port and do not keep the process alive. */
const RUNNER = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { ...options, port: 0 }, ...rest).unref();
};
await import(process.argv[2]);
`;

describe('the code in the documents', () => {
  it('exists', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  it('compiles', async () => {
    const files = blocks.map(({ file }) => `${file}.ts`);
    const config = JSON.parse(await readFile(join(project, 'tsconfig.json'), 'utf8'));
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ ...config, files }));
    const { stdout } = await runTsc('typescript', [], project);
    expect(stdout).toBe('');
  });

  // A comment after console.log() on the same line is the expected output.
  it.concurrent.each(blocks)('runs and prints its comments: $location', async ({ file, code }) => {
    const module = `./dist/${file}.js`;
    const { stdout, stderr } = await run(process.execPath, ['run.mjs', module], project);
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(stdout.split('\n').filter((line) => expected.includes(line))).toEqual(expected);
    expect(stderr).toBe('');
  });
});
