import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './pages.ts';

/** The package.json of core, which states the addresses of the project. */
const manifest = JSON.parse(
  readFileSync(join(workspace, 'packages/core/package.json'), 'utf8'),
) as { readonly repository?: string | { readonly url: string }; readonly homepage?: string };

/**
 * The address of the repository on the web. `undefined` when core states none: then the site has no links to files of
 * the repository.
 */
export const repository = readRepository();

/** The address of the site. `undefined` when core states none: then previews of links have no pictures. */
export const homepage = manifest.homepage?.replace(/\/?$/, '/');

/**
 * Returns how VitePress links a page to the editor of its file.
 *
 * @param repository - The address of the repository on the web.
 */
export function editLinkOf(repository: string): { readonly pattern: string } {
  return { pattern: `${repository}/edit/main/:path` };
}

function readRepository(): string | undefined {
  const { repository } = manifest;
  const url = typeof repository === 'object' ? repository.url : repository;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}
