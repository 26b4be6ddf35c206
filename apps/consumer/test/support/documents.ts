import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './project.js';

/** A code block of a document, which is a whole module. */
export interface Block {
  /** The path of the file in the project, without its extension. */
  readonly file: string;
  readonly code: string;
  /** The document and line, for test titles. */
  readonly location: string;
  /** Whether to run the block. `ts no-run` marks one that only compiles, such as a program that ends. */
  readonly runs: boolean;
}

/** Documents whose code is no independent module. apps/compilers and tests named after the documents run it. */
const EXCLUDED = /^docs\/(?:contributing\/compilers|getting-started|tutorial\/.*)\.md$/;

/** The paths of all user documentation, relative to the workspace. */
export const documents: readonly string[] = globSync(
  ['README.md', 'docs/**/*.md', 'packages/*/{README,AGENTS}.md'],
  { cwd: workspace },
).toSorted();

/**
 * The `ts` blocks of every document, except `ts extra`, which libraries.extra.test.ts runs. Blocks of one document share
 * a folder. A block that starts with `// some/path.ts` becomes that file, which other blocks can import.
 */
export const blocks: readonly Block[] = documents.flatMap((document) => {
  if (EXCLUDED.test(document)) return [];
  const text = readFileSync(join(workspace, document), 'utf8');
  const folder = document.replace(/\.md$/, '').replaceAll('/', '-');
  return [...text.matchAll(/^```ts( no-run)?\n(.*?)^```$/gms)].map(
    ([, flag, code = ''], index) => ({
      code,
      runs: flag === undefined,
      file: join(folder, /^\/\/ (\S+)\.ts\n/.exec(code)?.[1] ?? `block-${index + 1}`),
      location: `${document}:${text.slice(0, text.indexOf(code)).split('\n').length}`,
    }),
  );
});
