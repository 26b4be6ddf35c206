import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './project.js';

/** A module that a document shows. */
export interface Block {
  /** Path of the file in the project, without its ending. */
  readonly file: string;
  readonly code: string;
  /** Where it stands, for people. */
  readonly place: string;
}

/** Its blocks are configurations of tools; apps/compilers runs them. */
const RUN_ELSEWHERE = ['docs/compilers.md'];

/** Every document for users, by its path in the workspace. */
export const documents: readonly string[] = globSync(
  ['README.md', 'docs/**/*.md', 'packages/*/README.md'],
  { cwd: workspace },
).toSorted();

/**
 * The `ts` blocks of every document, which are whole modules. Those of one document share a folder; one that begins with
 * `// some/path.ts` is that file, so that others can import it.
 */
export const blocks: readonly Block[] = documents.flatMap((document) => {
  if (RUN_ELSEWHERE.includes(document)) return [];
  const text = readFileSync(join(workspace, document), 'utf8');
  const folder = document.replace(/\.md$/, '').replaceAll('/', '-');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({
    code,
    file: join(folder, /^\/\/ (\S+)\.ts\n/.exec(code)?.[1] ?? `block-${index + 1}`),
    place: `${document}:${text.slice(0, text.indexOf(code)).split('\n').length}`,
  }));
});
