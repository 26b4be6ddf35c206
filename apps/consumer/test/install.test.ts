import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const execute = promisify(execFile);

function run(command: string, args: readonly string[], cwd: string) {
  return execute(command, args, { cwd, timeout: 100_000 });
}

const here = resolve(import.meta.dirname, '..');
const bin = join(here, 'node_modules/.bin');
const packages = ['core', 'di', 'controllers'] as const;

/** What each installation holds, and what its app prints. */
const installations = [
  {
    name: 'core',
    needs: ['core'],
    extra: [],
    prints: [
      /^200 {"data":{"name":"Ada"}}$/,
      /^404 .*"code":"NOT_FOUND","error":"User 2 not found"/,
      /^201 {"data":{"name":"Grace"}}$/,
    ],
  },
  { name: 'di', needs: ['di'], extra: ['reflect-metadata@0.2.2'], prints: [/^7 8080 8080 true$/] },
  {
    name: 'controllers',
    needs: ['core', 'di', 'controllers'],
    extra: ['reflect-metadata@0.2.2'],
    prints: [/^200 {"data":{"id":"7","name":"Ada"}}$/, /^403 .*"guard":"signedIn"/, /^1 true$/],
  },
] as const;

let root: string;
let tarballs: Record<string, string>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-consumer-'));
  tarballs = Object.fromEntries(
    await Promise.all(
      packages.map(async (name) => {
        const cwd = resolve(here, '../../packages', name);
        await run('pnpm', ['pack', '--pack-destination', join(root, 'packed', name)], cwd);
        const [file = ''] = await readdir(join(root, 'packed', name));
        return [name, join(root, 'packed', name, file)] as const;
      }),
    ),
  );
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe.each(installations)(
  '$name, installed from its tarball into an empty project',
  (installation) => {
    const { name, needs, extra, prints } = installation;
    let project: string;

    beforeAll(async () => {
      project = join(root, name);
      await cp(join(here, 'fixtures', name), project, { recursive: true });
      await cp(join(here, 'fixtures/tsconfig.json'), join(project, 'tsconfig.json'));
      await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
      const tars = needs.map((need) => tarballs[need] ?? '');
      const flags = ['--no-audit', '--no-fund', '--strict-peer-deps', '--prefer-offline'];
      await run('npm', ['install', ...flags, ...tars, ...extra, '@types/node@22.20.5'], project);
    });

    it.each([
      ['5.9', 'typescript'],
      ['6.0', 'typescript-6'],
      ['7.0', 'typescript-7'],
    ])('type-checks without skipLibCheck under TypeScript %s', async (_version, compiler) => {
      const tsc = join(here, 'node_modules', compiler, 'bin/tsc');
      const { stdout } = await run(process.execPath, [tsc, '--noEmit'], project);
      expect(stdout).toBe('');
    });

    it('answers', async () => {
      await run(process.execPath, [join(here, 'node_modules/typescript/bin/tsc')], project);
      const { stdout, stderr } = await run(process.execPath, ['dist/app.js'], project);
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toEqual(prints.map((line) => expect.stringMatching(line)));
      expect(stderr).toBe('');
    });

    it('is packed as publint and attw want it', async () => {
      const tarball = tarballs[name] ?? '';
      await run(join(bin, 'publint'), ['run', tarball, '--strict'], root);
      await run(join(bin, 'attw'), [tarball, '--profile', 'esm-only'], root);
    });
  },
);
