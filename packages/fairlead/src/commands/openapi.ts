import type { Command } from 'commander';
import { acceptModule, findModule, importOpenapi, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { printError, refuseFile } from '../output.js';

interface OpenapiOptions {
  readonly document?: string;
  readonly out?: string;
  readonly yaml?: boolean;
}

export function addOpenapi(program: Command): void {
  const command = program
    .command('openapi')
    .summary('print the OpenAPI document')
    .description('Prints a document of the plugin openapi() as JSON or YAML.');
  acceptModule(command)
    .option('-d, --document <path>', 'path of the document (default: that of the first one)')
    .option('-o, --out <file>', 'write the document to a file; to one that ends in .yaml, as YAML')
    .option('--yaml', 'print YAML')
    .action(async (module: string | undefined, { document, out, yaml }: OpenapiOptions) => {
      findModule(module);
      const openapi = await importOpenapi();
      await withApplication(module, async (app) => {
        app.seal();
        const options = { ...(document && { document }), ...(yaml && { format: 'yaml' as const }) };
        await openapi.printDocument(app, out, options).catch((error) => {
          if (document === undefined || error.code !== 'NO_DOCUMENT') refuseFile(error, out);
          throw new UsageError(error.message);
        });
        // Standard output is for the document.
        if (out !== undefined) printError(`Wrote ${out}.`);
      });
    });
}
