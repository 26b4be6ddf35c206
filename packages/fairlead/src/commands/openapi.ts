import { type Command, Option } from 'commander';
import { acceptModule, findModule, importOpenapi, withApplication } from '../application.js';
import { formatChanges, sortChanges } from '../contract/report.js';
import {
  DOCUMENT_FILE,
  describeReview,
  documentOf,
  type Review,
  refuseDocument,
  reviewDocument,
} from '../contract/review.js';
import { UsageError } from '../errors.js';
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
      `compare with a file, a URL, or a commit such as main, which has the file of --out (default: ${DOCUMENT_FILE}) or the one in main:docs/api.json`,
    )
    .addOption(
      new Option(
        '--fail-on <severity>',
        'with --against, exit with 1 also if changes may break clients',
      ).choices(FAIL_ON),
    )
    .option('--json', 'with --against, print { against, changes }')
    .action(async (module: string | undefined, options: OpenapiOptions) => {
      const { against, failOn = 'breaking', json, yaml, out } = options;
      if (against === undefined && (options.failOn !== undefined || json)) {
        throw new UsageError(
          `${json ? '--json' : '--fail-on'} is for a comparison. Add --against, as in --against ${DOCUMENT_FILE}.`,
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
        against === undefined ? undefined : await readPublished(against, out ?? DOCUMENT_FILE);
      await withApplication(module, async (app) => {
        app.seal();
        const { document } = options;
        if (published !== undefined) {
          const failing = FAIL_ON.slice(0, FAIL_ON.indexOf(failOn) + 1);
          const present = documentOf(openapi, app, document);
          report(reviewDocument(published, present, failing), json);
        }
        if (published !== undefined && out === undefined) return;
        const print = { ...(document && { document }), ...(yaml && { format: 'yaml' as const }) };
        await openapi
          .printDocument(app, out, print)
          .catch((error: NodeJS.ErrnoException) =>
            error.syscall === undefined ? refuseDocument(error, document) : refuseFile(error, out),
          );
        // Standard output is for the document.
        if (out !== undefined) printError(`Wrote ${out}.`);
      });
    });
}

function report(review: Review, json: true | undefined): void {
  const { against, changes, isWrong } = review;
  if (isWrong) process.exitCode = 1;
  if (json) {
    printJson({ against, changes: sortChanges(changes) });
    return;
  }
  if (changes.length > 0) print(`${formatChanges(changes)}\n`);
  print(style(isWrong ? 'red' : 'green', `${describeReview(review)}.`));
}
