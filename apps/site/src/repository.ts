import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './pages.ts';

/**
 * The address of the repository on the web, as the package.json of core states it.
 * `undefined` when it states none: then the site has no links to files of the repository.
 */
export const repository = readRepository();

function readRepository(): string | undefined {
  const manifest = JSON.parse(
    readFileSync(join(workspace, 'packages/core/package.json'), 'utf8'),
  ) as { readonly repository?: string | { readonly url: string } };
  const { repository } = manifest;
  const url = typeof repository === 'object' ? repository.url : repository;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}
