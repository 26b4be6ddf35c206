import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createProject, here, install, installedVersion, run, runTsc } from './support/project.js';

const FIXTURE = join(here, 'fixtures/page');

const COMPILERS = inject('compilers');

let folder: string;
let server: string;
let page: string;

/** The server has all its packages. The page has the client, and the declarations of the controller. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-page-'));
  server = join(folder, 'server');
  page = join(folder, 'page');
  const tarballs = inject('tarballs');
  const tarball = (name: string) => tarballs[name] ?? expect.unreachable();

  await createProject(server);
  await cp(FIXTURE, server, { recursive: true });
  const names = ['core', 'di', 'controllers', 'middleware', 'client'];
  const libraries = await Promise.all(['zod', 'reflect-metadata'].map(installedVersion));
  await install(server, [...names.map(tarball), ...libraries]);
  const options = { declaration: true, lib: ['ES2024'], types: ['node'] };
  await compile('typescript', server, ['server/api.ts'], { ...options, outDir: 'dist' });

  await mkdir(join(page, 'server'), { recursive: true });
  await cp(join(FIXTURE, 'page.ts'), join(page, 'page.ts'));
  for (const file of ['server/api.d.ts', 'server/tasks.d.ts']) {
    await cp(join(server, 'dist', file), join(page, file));
  }
  await writeFile(join(page, 'package.json'), '{ "private": true, "type": "module" }');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...flags, tarball('client')], page);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the errors of a compiler. */
async function compile(
  compiler: string,
  project: string,
  files: readonly string[],
  options: object,
): Promise<string> {
  const compilerOptions = {
    strict: true,
    target: 'ES2022',
    module: 'NodeNext',
    rootDir: '.',
    ...options,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const failed = await runTsc(compiler, ['-p', '.'], project).catch((error) => error);
  return failed.stdout;
}

/** Checks the page without types of Node.js, and the declarations that it imports, too. */
const checkPage = (compiler: string) =>
  compile(compiler, page, ['page.ts'], {
    ...{ module: 'ESNext', moduleResolution: 'Bundler', noEmit: true },
    ...{ lib: ['DOM', 'ES2022'], types: [], skipLibCheck: false },
  });

describe('a page that calls a server', () => {
  it('needs the declarations of controllers, which import nothing', async () => {
    expect(await readFile(join(page, 'server/tasks.d.ts'), 'utf8')).not.toMatch(/\bimport\b/);
    const { packages } = JSON.parse(await readFile(join(page, 'package-lock.json'), 'utf8'));
    expect(Object.keys(packages).slice(1)).toEqual([
      'node_modules/@fairlead/client',
      'node_modules/eventsource-parser',
    ]);
  });

  it.each(COMPILERS)(
    'compiles with the packed client and types of browsers only: %s',
    async (compiler) => {
      expect(await checkPage(compiler)).toBe('');
    },
  );

  it.each(COMPILERS)(
    'does not compile if the server does not accept its calls: %s',
    async (compiler) => {
      const file = join(page, 'page.ts');
      const code = await readFile(file, 'utf8');
      await writeFile(
        file,
        code.replace("{ title: 'Read' }", '{ name: 1 }').replace('found.title', 'found.name'),
      );
      const errors = await checkPage(compiler);
      await writeFile(file, code);
      expect(errors).toMatch(/TS2353: .*'name' does not exist in type '\{ title: string; \}'/);
      expect(errors).toMatch(/TS2339: Property 'name' does not exist on type/);
    },
  );

  it('bundles no code of the server, although the types come from its source', async () => {
    const { metafile } = await build({
      absWorkingDir: server,
      entryPoints: ['page.ts'],
      bundle: true,
      minify: true,
      format: 'esm',
      metafile: true,
      write: false,
    });
    const [output] = Object.values(metafile.outputs);
    const packages = Object.keys(output?.inputs ?? {}).map((path) =>
      path.replace(/\/dist\/.*/, ''),
    );
    expect([...new Set(packages)].toSorted()).toEqual([
      'node_modules/@fairlead/client',
      'node_modules/eventsource-parser',
      'page.ts',
    ]);
  });
});
