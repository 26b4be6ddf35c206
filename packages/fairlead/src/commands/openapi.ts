import type { Command } from 'commander';
import { acceptModule, importOptional, withApplication } from '../application.js';
import { UsageError } from '../errors.js';

export function addOpenapi(program: Command): void {
  const command = program
    .command('openapi')
    .summary('print the OpenAPI document')
    .description('Prints the document of the plugin openapi() as JSON.');
  acceptModule(command)
    .option('-o, --out <file>', 'write the document to a file')
    .action(async (module: string | undefined, { out }: { out?: string }) => {
      if (out !== undefined && /\.ya?ml$/i.test(out)) {
        throw new UsageError(`Cannot write YAML to ${out}. Use the name of a JSON file.`);
      }
      const load = () => import('@fairlead/openapi');
      const openapi = await importOptional('@fairlead/openapi', load);
      if (openapi === undefined) {
        throw new UsageError(
          'The project does not have @fairlead/openapi. Run npm install @fairlead/openapi, and install its plugin openapi() in the application.',
        );
      }
      await withApplication(module, async (app) => {
        app.seal();
        await openapi.printDocument(app, out).catch((error) => refuseFile(error, out));
      });
    });
}

function refuseFile(error: NodeJS.ErrnoException, file: string | undefined): never {
  if (file === undefined || error.syscall === undefined) throw error;
  throw new UsageError(
    `Cannot write ${file}: ${error.message}. Use a file in a folder that exists.`,
  );
}
