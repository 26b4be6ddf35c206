import { type Command, Option } from 'commander';
import { acceptModule, findModule, importOpenapi, withApplication } from '../application.js';
import { Document, DocumentError } from '../client/index.js';
import type { Change } from '../contract/changes.js';
import { compareDocuments } from '../contract/compare.js';
import { countChanges, formatChanges, sortChanges } from '../contract/report.js';
import type { Source } from '../document-source.js';
import { LoadError, UsageError } from '../errors.js';
import { print, printError, printJson, refuseFile, style } from '../output.js';
import { readPublished } from '../published-document.js';

interface OpenapiOptions {
  readonly document?: string;
  readonly out?: string;
  readonly yaml?: true;
  readonly against?: string;
  readonly failOn?: FailOn;
  readonly json?: true;
}

/** The least severe changes that are an error. */
const FAIL_ON = ['breaking', 'maybe'] as const;

type FailOn = (typeof FAIL_ON)[number];

/** The file of a commit, unless `--out` names another one. */
const FILE = 'openapi.json';

export function addOpenapi(program: Command): void {
  const command = program
    .command('openapi')
    .summary('print the OpenAPI document, or what has changed since another one')
    .description(
      'Prints a document of the plugin openapi() as JSON or YAML. With --against, prints which changes break clients of an older document instead, and exits with 1 if there are some.',
    );
  acceptModule(command)
    .option('-d, --document <path>', 'path of the document (default: that of the first one)')
    .option('-o, --out <file>', 'write the document to a file; to one that ends in .yaml, as YAML')
    .option('--yaml', 'print YAML')
    .option(
      '--against <document>',
      `compare with a file, a URL, or a commit such as main, which has the file of --out (default: ${FILE}) or the one in main:docs/api.json`,
    )
    .addOption(
      new Option(
        '--fail-on <severity>',
        'with --against, exit with 1 also if changes may break clients',
      ).choices(FAIL_ON),
    )
    .option('--json', 'with --against, print { against, changes }')
    .action(async (module: string | undefined, options: OpenapiOptions) => {
      const { against, failOn, json, yaml, out } = options;
      if (against === undefined && (failOn !== undefined || json)) {
        throw new UsageError(
          `${json ? '--json' : '--fail-on'} is for a comparison. Add --against, as in --against ${FILE}.`,
        );
      }
      if (against !== undefined && yaml && out === undefined) {
        throw new UsageError(
          '--yaml is for the document, which --against does not print. Add --out.',
        );
      }
      findModule(module);
      const openapi = await importOpenapi();
      // Before --out replaces it.
      const published =
        against === undefined ? undefined : await readPublished(against, out ?? FILE);
      await withApplication(module, async (app) => {
        app.seal();
        const { document } = options;
        const refuse = (error: Error & { readonly code?: unknown }): never => {
          if (document !== undefined && error.code === 'NO_DOCUMENT') {
            throw new UsageError(error.message);
          }
          return refuseFile(error as NodeJS.ErrnoException, out);
        };
        if (published !== undefined) {
          let present: unknown;
          try {
            present = openapi.createDocument(app, document);
          } catch (error) {
            refuse(error as Error);
          }
          const name = 'the document of the application';
          const changes = compare(published, { root: { ...Object(present) }, origin: name });
          report(published.origin, changes, options);
        }
        if (published !== undefined && out === undefined) return;
        const print = { ...(document && { document }), ...(yaml && { format: 'yaml' as const }) };
        await openapi.printDocument(app, out, print).catch(refuse);
        // Standard output is for the document.
        if (out !== undefined) printError(`Wrote ${out}.`);
      });
    });
}

/** @throws {LoadError} When one of them is not a document. */
function compare(before: Source, after: Source): readonly Change[] {
  try {
    const old = new Document(before.root, before.origin);
    const now = new Document(after.root, after.origin);
    const changes = compareDocuments(old, now, new Date().toISOString().slice(0, 10));
    old.throwProblems();
    now.throwProblems();
    return changes;
  } catch (error) {
    if (error instanceof DocumentError) throw new LoadError(error.message, { cause: error });
    throw error;
  }
}

function report(
  against: string,
  changes: readonly Change[],
  { json, failOn = 'breaking' }: OpenapiOptions,
): void {
  const failing = FAIL_ON.slice(0, FAIL_ON.indexOf(failOn) + 1);
  const isWrong = changes.some(({ severity }) => failing.some((one) => one === severity));
  if (isWrong) process.exitCode = 1;
  if (json) {
    printJson({ against, changes: sortChanges(changes) });
    return;
  }
  if (changes.length > 0) print(`${formatChanges(changes)}\n`);
  print(style(isWrong ? 'red' : 'green', `${countChanges(changes)} since ${against}.`));
}
