import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADA, bodyOf, clientOf } from './support/api.js';
import { APP, startProcess } from './support/service-process.js';
import { temporaryFolder } from './support/temporary-folder.js';

const README = readFileSync(join(APP, 'README.md'), 'utf8');
const [CONTROLLER = ''] = [...README.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '');

/** Copies what the app needs to run from source into a folder of the running test. */
function copyApp(): string {
  const folder = temporaryFolder();
  cpSync(join(APP, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(APP, 'package.json'), join(folder, 'package.json'));
  cpSync(join(APP, '../../tsconfig.base.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(APP, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe('README', () => {
  it('shows a controller that is served once its file is in src/controllers', async () => {
    const app = copyApp();
    writeFileSync(join(app, 'src/controllers/health-controller.ts'), CONTROLLER);
    const url = await startProcess({ DATABASE_URL: 'memory:' }, app).url;
    await clientOf(`${url}/api/users`).create(ADA);
    const response = await fetch(`${url}/api/v1/health`);
    expect(await bodyOf(response)).toEqual({ status: 'ok', users: 1 });
  });

  it.each(['PORT', 'HOST', 'DATABASE_URL', 'NODE_ENV'])('has %s in its table', (name) => {
    expect(README).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  });
});
