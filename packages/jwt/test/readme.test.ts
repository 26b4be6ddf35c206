import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JwtAuthOptions, RemoteKeysOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

/** Returns the names in the first column of the table below a heading. */
function optionsBelow(heading: string): readonly (string | undefined)[] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const [part = ''] = section.split('\n## ');
  return [...part.matchAll(/^\| `([a-z]\w+)` /gim)].map(([, option]) => option);
}

it("the README's tables list every option", () => {
  const options: Readonly<Record<keyof JwtAuthOptions, true>> = {
    secret: true,
    publicKey: true,
    privateKey: true,
    jwks: true,
    issuer: true,
    audience: true,
    algorithms: true,
    claims: true,
    type: true,
    clockTolerance: true,
    maxTokenLength: true,
    realm: true,
    scopes: true,
    roles: true,
    expiresIn: true,
    remote: true,
  };
  const remote: Readonly<Record<keyof RemoteKeysOptions, true>> = {
    timeout: true,
    cooldown: true,
    lifetime: true,
    maxStale: true,
    onError: true,
  };
  expect(optionsBelow('Options')).toEqual(Object.keys(options));
  expect(optionsBelow('Keys from a URL')).toEqual(Object.keys(remote));
});
