import type { Command } from 'commander';
import { acceptModule, withApplication } from '../application.js';
import { formatTable, print, printJson } from '../output.js';
import { type RouteSummary, summarizeRoutes } from '../routes.js';

const COLUMNS = [
  ...(['method', 'path', 'version', 'handler', 'guards', 'middleware', 'interceptors'] as const),
  ...(['schemas', 'file'] as const),
];

export function addRoutes(program: Command): void {
  const command = program
    .command('routes')
    .summary('list the routes')
    .description('Lists the routes with their guards, middleware, schemas and files.');
  acceptModule(command)
    .option('--json', 'print an array of objects')
    .action(async (module: string | undefined, { json }: { json?: true }) => {
      const routes = await withApplication(module, summarizeRoutes);
      if (json) printJson(routes);
      else print(formatRoutes(routes));
    });
}

function formatRoutes(routes: readonly RouteSummary[]): string {
  if (routes.length === 0) return 'The application has no routes.';
  const rows = routes.map((route) => COLUMNS.map((name) => [route[name] ?? ''].flat().join(', ')));
  const names = COLUMNS.map((name) => name.toUpperCase());
  return formatTable(names, rows);
}
