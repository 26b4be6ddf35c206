import { escapeLine } from '@fairlead/options';
import type { FuzzReport } from '@fairlead/testing/fuzz';
import { type Command, InvalidArgumentError } from 'commander';
import { acceptModule, findModule, importFuzz, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { count, formatTable, print, printError, printJson, style } from '../output.js';
import { parseHeader } from '../request.js';

interface FuzzCommandOptions {
  readonly runs?: number;
  readonly seed?: number;
  readonly route?: readonly string[];
  readonly header?: readonly (readonly [string, string])[];
  readonly skip?: readonly string[];
  readonly timeout?: number;
  readonly strict?: true;
  readonly log?: true;
  readonly json?: true;
}

export function addFuzz(program: Command): void {
  const command = program
    .command('fuzz')
    .summary('send generated requests, and check what the application promises')
    .description(
      'Generates requests from the schemas of every route, sends them in process, and prints those after which the application does not keep its promises. Changes the data of the application.',
    );
  acceptModule(command)
    .option('--runs <number>', 'requests of each kind for each route (default: 20)', parseNumber)
    .option('--seed <number>', 'repeat the requests of an earlier run', parseNumber)
    .option(
      '--route <route>',
      "'GET /users/:id', or a path for the routes below it; may be repeated",
      append,
    )
    .option(
      '-H, --header <header>',
      "credentials, such as 'Authorization: Bearer …'; may be repeated",
      parseHeader,
    )
    .option(
      '--skip <promise>',
      "promise not to check, such as etag or 'etag GET /users'; may be repeated",
      append,
    )
    .option('--timeout <ms>', 'how long a response may take (default: 10000)', parseNumber)
    .option('--strict', 'fail on notes, too: on what was not tested')
    .option('--log', 'print what the application logs meanwhile')
    .option('--json', 'print { seed, requests, routes, failures }')
    .action(runFuzz);
}

function append(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text];
}

function parseNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Pass a non-negative integer.');
}

async function runFuzz(module: string | undefined, options: FuzzCommandOptions): Promise<void> {
  findModule(module);
  const { fuzz } = await importFuzz();
  const { header, route, strict, log, json, runs, seed, skip, timeout } = options;
  const report = await withApplication(module, async (app) => {
    // Its mistakes are those of the application, and not of the command line.
    app.checkResponses().seal();
    const output = log ? undefined : holdBack();
    try {
      return await fuzz(app, {
        ...(runs !== undefined && { runs }),
        ...(seed !== undefined && { seed }),
        ...(skip !== undefined && { skip }),
        ...(timeout !== undefined && { timeout }),
        ...(route !== undefined && { routes: route }),
        ...(header !== undefined && { headers: Object.fromEntries(header) }),
      });
    } catch (error) {
      const { code, message, report } = error as Error & { code?: unknown; report?: FuzzReport };
      if (code === 'INVALID_OPTION') throw new UsageError(message);
      if (code !== 'FUZZ_FAILED' || report === undefined) throw error;
      output?.restore();
      if (!json) printError(message);
      process.exitCode = 1;
      return report;
    } finally {
      output?.restore();
    }
  });
  if (strict && report.routes.some(({ notes }) => notes.length > 0)) process.exitCode = 1;
  if (json) printJson(report);
  else print(formatReport(report));
}

/** Holds back what the application writes, because its errors are in the report. */
function holdBack(): { restore(): void } {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map(({ write }) => write);
  const ignore = (_chunk: unknown, encoding?: unknown, callback?: unknown): boolean => {
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') process.nextTick(() => Reflect.apply(done, undefined, []));
    return true;
  };
  for (const stream of streams) stream.write = ignore;
  return {
    restore: () => {
      for (const [index, stream] of streams.entries()) stream.write = writes[index] ?? stream.write;
    },
  };
}

function formatReport({ seed, requests, routes, failures }: FuzzReport): string {
  const rows = routes.map(({ route, statuses, notes }) => [
    route,
    Object.entries(statuses)
      .map(([status, number]) => `${status}×${number}`)
      .join(' '),
    escapeLine(notes.join('; ')),
  ]);
  const table = formatTable(['ROUTE', 'RESPONSES', 'NOTE'], rows);
  const line = `${count(routes.length, 'route')}, ${count(requests, 'request')}, ${count(failures.length, 'failure')}, seed ${seed}.`;
  return `${table}\n\n${style(failures.length > 0 ? 'red' : 'green', line)}`;
}
