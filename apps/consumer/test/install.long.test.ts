import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { packages } from './support/packages.js';
import {
  createProject,
  here,
  install,
  run,
  runTsc,
  withoutSqliteWarning,
} from './support/project.js';

/** The projects, with the packages they install and the output of their app. */
const projects = [
  {
    name: 'core',
    installs: ['core'],
    peers: [],
    prints: [
      /^200 {"data":{"name":"Ada"}}$/,
      /^404 .*"code":"NOT_FOUND","error":"User 2 not found"/,
      /^201 {"data":{"name":"Grace"}}$/,
    ],
  },
  {
    name: 'di',
    installs: ['di'],
    peers: ['reflect-metadata@0.2.2'],
    prints: [/^7 8080 8080 true$/],
  },
  {
    name: 'controllers',
    installs: ['core', 'di', 'controllers'],
    peers: ['reflect-metadata@0.2.2'],
    prints: [/^200 {"data":{"id":"7","name":"Ada"}}$/, /^403 .*"guard":"signedIn"/, /^1 true$/],
  },
  {
    name: 'openapi',
    installs: ['core', 'openapi'],
    peers: [],
    prints: [/^3\.1\.1 \["\/users\/{id}"\]$/, /^DOCS_UNAVAILABLE$/, /^200$/],
  },
  {
    // A parser, a guard and middleware that use only public exports.
    name: 'extension',
    installs: ['core', 'di', 'controllers', 'openapi'],
    peers: ['reflect-metadata@0.2.2'],
    prints: [
      /^200 {"color":"red"}$/,
      /^401 .*"detail":"Send the key"/,
      /^\[ 'text\/x-lines' \] \[ { key: \[\] } \] \[ 'key' \]$/,
      /^\[ 'X-Key-Owner' \] \[ 'X-Key-Owner', 'WWW-Authenticate' \]$/,
      /^\[ 'text\/x-lines' \] \[ { key: \[\] } \] \[ 'key' \]$/,
      /^\[ 'X-Key-Owner' \] \[ 'X-Key-Owner', 'WWW-Authenticate' \]$/,
      /^app\.use\(\) received the factory lines\. Call it: lines\(\)\.$/,
      /^app\.use\(\) received the guard .* Use requireKey\(key\), or list the guard in @UseGuard\(\)/,
      /^lines\(\) runs for no route, because all of them are registered before it/,
      /^countKeys\(\) allows few requests\.$/,
      /^countKeys\(\) reads what requireKey\(key\) or keyGuard\(key\) provides, but runs before it\./,
    ],
  },
] as const;

const tarballs = inject('tarballs');
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-consumer-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe.each(projects)('$name, installed from its tarball with its peers', (definition) => {
  const { name, installs, peers, prints } = definition;
  let project: string;

  beforeAll(async () => {
    project = join(root, name);
    await createProject(project);
    await install(project, [
      ...installs.map((dependency) => tarballs[dependency] ?? dependency),
      ...peers,
    ]);
    await cp(join(here, 'fixtures', name), project, { recursive: true });
  });

  it.concurrent.each(inject('compilers'))(
    'compiles without skipLibCheck by %s, and prints the expected output',
    async (compiler) => {
      const compiled = await runTsc(compiler, ['--outDir', `dist/${compiler}`], project);
      expect(compiled.stdout).toBe('');
      const { stdout, stderr } = await run(process.execPath, [`dist/${compiler}/app.js`], project);
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toEqual(prints.map((line) => expect.stringMatching(line)));
      expect(stderr).toBe('');
    },
  );
});

describe('every package', () => {
  it('can be required by CommonJS', async () => {
    const project = join(root, 'require');
    await createProject(project);
    await install(project, [...Object.values(tarballs), 'reflect-metadata@0.2.2']);
    await cp(join(here, 'fixtures/require'), project, { recursive: true });
    const { stdout, stderr } = await run(process.execPath, ['app.cjs'], project);
    expect(stdout.trimEnd().split('\n')).toEqual([
      ...packages.map((name) => `@fairlead/${name} is one module`),
      '200 {"id":"7"}',
    ]);
    expect(withoutSqliteWarning(stderr)).toBe('');
  });

  it.each(packages)('has no problem that publint or attw finds: %s', async (name) => {
    const tarball = await readFile(tarballs[name] ?? name);
    const { buffer, byteOffset, byteLength } = tarball;
    const pack = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer };
    const { messages } = await publint({ pack, strict: true });
    expect(messages).toEqual([]);
    const { types, ...analysis } = await checkPackage(createPackageFromTarballData(tarball));
    expect(types).not.toBe(false);
    const problems = 'problems' in analysis ? analysis.problems : [];
    expect(problems.filter(isOfEsm)).toEqual([]);
  });
});

/** Whether a problem concerns an import. The packages are ES modules only. */
function isOfEsm(problem: Problem): boolean {
  if (!('resolutionKind' in problem)) return true;
  return problem.resolutionKind !== 'node10' && problem.resolutionKind !== 'node16-cjs';
}
