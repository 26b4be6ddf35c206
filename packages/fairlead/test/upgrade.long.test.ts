import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeProject } from './support/project.js';

const MANIFEST = `{
    "name": "mine",
    "dependencies": {
        "@fairlead/core": "^0.1.0",
        "@fairlead/di": "0.1.0",
        "@fairlead/jwt": "workspace:*",
        "zod": "^4.0.0"
    },
    "devDependencies": {
        "fairlead": "~0.1.0"
    }
}
`;

/** The versions of each package. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  '@fairlead/core': ['0.2.0', '0.3.0', '0.4.0'],
  '@fairlead/di': ['0.2.0', '0.3.0'],
  fairlead: ['0.2.0', '0.3.0', '0.4.0'],
};

/** Starts a registry. Returns the environment of an npm that uses it. */
async function startRegistry(): Promise<NodeJS.ProcessEnv> {
  const server = createServer((req, res) => {
    const name = decodeURIComponent(req.url?.slice(1) ?? '');
    const versions = (VERSIONS[name] ?? []).map((version) => [version, { name, version }] as const);
    res.writeHead(versions.length > 0 ? 200 : 404, { 'Content-Type': 'application/json' });
    const tags = { latest: '0.3.0' };
    res.end(JSON.stringify({ name, 'dist-tags': tags, versions: Object.fromEntries(versions) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    npm_config_cache: '.npm',
    npm_config_update_notifier: 'false',
  };
}

describe('fairlead upgrade', () => {
  it('moves the packages to a version, and keeps ranges, other packages and the format', async () => {
    const { folder, run } = await writeProject(
      { 'package.json': MANIFEST, 'pnpm-lock.yaml': '' },
      await startRegistry(),
    );
    expect(await run('upgrade', '0.2.0')).toEqual({
      status: 0,
      stdout: `PACKAGE         FROM    TO
@fairlead/core  ^0.1.0  ^0.2.0
@fairlead/di    0.1.0   0.2.0
fairlead        ~0.1.0  ~0.2.0

Next: read the release notes, and run pnpm install
`,
      stderr: '',
    });
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(
      MANIFEST.replaceAll('0.1.0', '0.2.0'),
    );
    expect((await run('upgrade', '0.2.0')).stdout).toBe('All packages have the version 0.2.0.\n');
  });

  it('moves the packages to the latest version of the registry', async () => {
    const { folder, run } = await writeProject({ 'package.json': MANIFEST }, await startRegistry());
    const { status, stdout } = await run('upgrade');
    expect(status).toBe(0);
    expect(stdout).toContain('\nNext: read the release notes, and run npm update\n');
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(
      MANIFEST.replaceAll('0.1.0', '0.3.0'),
    );
    const unknown = await run('upgrade', 'next');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(
      /^fairlead: Cannot find the version 'next' of @fairlead\/core: .+\. Pass a version that all packages have, such as fairlead upgrade 0\.2\.0\.\n$/,
    );
  });

  it.each([
    ['0.9.0', '@fairlead/core'],
    ['0.4.0', '@fairlead/di'],
  ])('writes nothing if a package lacks the version: %s', async (version, name) => {
    const { folder, run } = await writeProject({ 'package.json': MANIFEST }, await startRegistry());
    const { status, stderr } = await run('upgrade', version);
    expect(status).toBe(2);
    expect(stderr).toContain(`fairlead: Cannot find the version '${version}' of ${name}: `);
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(MANIFEST);
  });

  it.each([
    ['{\n  "name": "a",\n}', /it is not JSON: .+\(line 3 column 1\)\. Correct it\.\n$/],
    ['{\n  "name": "a"\n', /it is not JSON: .+\(line 3( column 1)?\)\. Correct it\.\n$/],
    ['', /it is not JSON: .+\(line 1\)\. Correct it\.\n$/],
    ['[]', /it is not an object\. Correct it\.\n$/],
  ])('names the file and the line if package.json is broken: %j', async (manifest, message) => {
    const { run } = await writeProject({ 'package.json': manifest });
    for (const command of ['upgrade', 'doctor']) {
      const { status, stderr } = await run(command);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^fairlead: Cannot read package\.json: /);
      expect(stderr).toMatch(message);
    }
  });

  it.each([
    ['1.x', MANIFEST, "Cannot use the version '1.x'. Use one such as 0.2.0, or latest."],
    [
      '0.2.0',
      '{ "dependencies": { "@fairlead/core": "workspace:*" } }',
      'package.json has no versions of @fairlead packages. Run fairlead upgrade in the folder of a project.',
    ],
  ])('exits with 2 when it is wrong: %s', async (version, manifest, message) => {
    const { run } = await writeProject({ 'package.json': manifest });
    expect(await run('upgrade', version)).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: ${message}\n`,
    });
  });
});
