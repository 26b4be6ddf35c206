import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addVersion, readVersions } from './versions.ts';

const released = ['0.2.0', '0.1.0'];

it.each(['/', '/fairlead/'])('finds the versions of the site at %s', (root) => {
  const versions = [
    { name: 'main', path: root },
    { name: '0.2.0', path: `${root}0.2.0/` },
    { name: '0.1.0', path: `${root}0.1.0/` },
  ];
  expect(readVersions(root, released)).toEqual({ current: 'main', versions });
  expect(readVersions(`${root}0.1.0/`, released)).toEqual({ current: '0.1.0', versions });
});

it('has only main before the first release', () => {
  const versions = [{ name: 'main', path: '/' }];
  expect(readVersions('/', [])).toEqual({ current: 'main', versions });
});

it('lists the version of the packages when a release is prepared', () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const list = join(folder, 'apps/site/versions.json');
    for (const path of ['packages/core', 'apps/site'])
      mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, 'packages/core/package.json'), '{ "version": "0.2.0" }');
    writeFileSync(list, '["0.1.0"]');
    execFileSync(process.execPath, [join(import.meta.dirname, 'release.ts')], { cwd: folder });
    expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual(['0.2.0', '0.1.0']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('adds each version once, as the latest', () => {
  expect(addVersion(released, '0.10.0')).toEqual(['0.10.0', '0.2.0', '0.1.0']);
  expect(addVersion(released, '0.2.0')).toEqual(released);
});
