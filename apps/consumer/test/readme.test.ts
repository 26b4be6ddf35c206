import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject, here, packAll, run, runTsc } from './support/project.js';

/** Every document whose `ts` blocks are whole modules. */
const documents = [
  'README.md',
  'packages/core/README.md',
  'packages/di/README.md',
  'packages/controllers/README.md',
];

const blocks = (
  await Promise.all(
    documents.map(async (document) => {
      const text = await readFile(resolve(here, '../..', document), 'utf8');
      return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({
        code,
        name: `${document.replaceAll(/\W/g, '-')}-${index + 1}`,
        place: `${document}, block ${index + 1}, line ${lineOf(text, code)}`,
      }));
    }),
  )
).flat();

function lineOf(text: string, code: string): number {
  return text.slice(0, text.indexOf(code)).split('\n').length;
}

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-readme-'));
  const tarballs = await packAll(join(project, 'packed'));
  await createProject(project, [...tarballs.values(), 'reflect-metadata@0.2.2']);
  await Promise.all(blocks.map(({ name, code }) => writeFile(join(project, `${name}.ts`), code)));
  await writeFile(join(project, 'run.mjs'), RUNNER);
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** Imports a module whose servers take a free port and do not keep the process alive. */
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
    const files = blocks.map(({ name }) => `${name}.ts`);
    const config = JSON.parse(await readFile(join(project, 'tsconfig.json'), 'utf8'));
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ ...config, files }));
    const { stdout } = await runTsc('typescript', [], project);
    expect(stdout).toBe('');
  });

  it.each(blocks)('runs: $place', async ({ name }) => {
    const { stderr } = await run(process.execPath, ['run.mjs', `./dist/${name}.js`], project);
    expect(stderr).toBe('');
  });
});
