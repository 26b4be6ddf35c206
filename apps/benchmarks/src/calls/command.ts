import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { formatList, pick } from '../command.js';
import { formatSection } from '../report.js';
import { type Calls, countCalls } from './calls.js';
import { COUNTED_ROUTES, type CountedRoute } from './routes.js';

/** Counts what one warm request passes through in our packages. Prints a table and writes no file. */
export const calls = new Command('calls')
  .description('Count the files, functions and calls of a warm request in our packages')
  .argument('[route...]', 'names of routes (default: all)')
  .addOption(
    new Option('--node <path>', 'node binary to count with')
      .argParser((path) => resolve(path))
      .default(process.execPath, 'the running one'),
  )
  .option('--functions', 'list the functions of each route, most calls first')
  .addHelpText('after', `\nRoutes\n${formatList(COUNTED_ROUTES)}`)
  .action(runCalls);

async function runCalls(
  names: readonly string[],
  { node, functions }: { readonly node: string; readonly functions?: true },
): Promise<void> {
  const routes = pick(COUNTED_ROUTES, names, 'route');
  const counts = await countCalls(routes, node);
  const rows = counts.map((count, index) => [routes[index]?.name ?? '', ...numbersOf(count)]);
  console.log(formatSection('A warm request', ['Route', 'Files', 'Functions', 'Calls'], rows));
  if (functions) for (const [index, route] of routes.entries()) list(route, counts[index]);
}

const numbersOf = (count: Calls) => [count.files, count.functions, count.calls].map(String);

function list({ name, title }: CountedRoute, count: Calls | undefined): void {
  const lines = count?.called.map(
    ({ calls: number, file, line, name: called }) =>
      `${String(number).padStart(4)}  ${file}:${line} ${called}`,
  );
  console.log(`## ${name}: ${title}\n\n${lines?.join('\n')}\n`);
}
