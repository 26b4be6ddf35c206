import type { Application } from '@fairlead/core';
import { nearestName } from '@fairlead/options';
import type { Command } from 'commander';
import { acceptModule, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { explain } from '../explain.js';
import { formatTable, print, printJson, style } from '../output.js';
import { parseMethod, parsePath } from '../request.js';
import { nameOf, summarizeRoutes } from '../routes.js';

export function addExplain(program: Command): void {
  const command = program
    .command('explain')
    .summary('show which route handles a request')
    .description(
      'Shows which route handles a request, what runs before it, and why similar routes do not match. Exits with 1 if no route handles it.',
    )
    .argument('<method>', 'such as GET', parseMethod)
    .argument('<path>', 'such as /users/7', parsePath);
  acceptModule(command)
    .option('--api-version <version>', 'the version of the request (default: none)')
    .option('--json', 'print { method, path, status, match, others }')
    .addHelpText('after', '\nExample: fairlead explain GET /users/7')
    .action(
      async (
        method: string,
        target: string,
        module: string | undefined,
        { json, apiVersion }: { json?: true; apiVersion?: string },
      ) => {
        const explanation = await withApplication(module, (app) =>
          explainRequest(app, method, target, apiVersion),
        );
        if (explanation.match === undefined) process.exitCode = 1;
        const { similar: _, isOtherVersion: _isOther, ...data } = explanation;
        if (json) printJson(data);
        else print(formatExplanation(explanation));
      },
    );
}

type Explanation = Awaited<ReturnType<typeof explainRequest>>;

async function explainRequest(app: Application, method: string, target: string, version?: string) {
  const { versions } = app;
  if (version !== undefined && versions === undefined)
    throw new UsageError('The application has no versions. Remove --api-version.');
  // Reports routes that conflict, with their locations.
  app.seal();
  const routes = app.routes();
  const summaries = await summarizeRoutes(app);
  const { path, match, status, isOtherVersion, others } = await explain(
    routes,
    method,
    target,
    versions,
    version,
  );
  const route = match && summaries[routes.indexOf(match.route)];
  const patterns =
    match === undefined && status === 404 ? [...new Set(routes.map(({ pattern }) => pattern))] : [];
  return {
    method,
    path,
    status,
    isOtherVersion,
    similar: nearestPattern(path, patterns),
    match: match &&
      route && {
        ...route,
        params: match.params,
        upstream: match.upstream.map(nameOf),
      },
    others: others.map(({ route: { method, pattern, options }, reason }) => ({
      method,
      path: pattern,
      version: options.version,
      reason,
    })),
  };
}

/** Returns the pattern whose fixed segments are spelled most like those of a path. */
function nearestPattern(path: string, patterns: readonly string[]): string | undefined {
  const segments = path.split('/');
  const filled = new Map(
    patterns.map((pattern) => [
      pattern
        .split('/')
        .map((part, index) => (/^[:*]/.test(part) ? (segments[index] ?? part) : part))
        .join('/'),
      pattern,
    ]),
  );
  return filled.get(nearestName(path, [...filled.keys()]) ?? '');
}

function formatExplanation(explanation: Explanation): string {
  const { method, path, status, isOtherVersion, similar, match, others } = explanation;
  const request = `${method} ${path}`;
  const lines =
    match === undefined
      ? [
          `${style('red', `No route handles ${request}`)}: ${isOtherVersion ? `the path has no such version, which is a ${status}` : STATUSES[status ?? 404]}.${similar === undefined ? '' : ` Did you mean ${similar}?`}`,
        ]
      : [`${request} is handled by ${style('green', `${match.method} ${match.path}`)}`];
  if (match !== undefined) {
    const { params, version, upstream, middleware, guards, interceptors, schemas, handler, file } =
      match;
    const details = {
      params: Object.entries(params).map(([name, value]) => `${name} = ${value}`),
      version: [version ?? ''],
      application: upstream,
      middleware,
      guards,
      schemas,
      interceptors,
      handler: [handler],
      file: [file ?? ''],
    };
    for (const [name, values] of Object.entries(details)) {
      const text = values.join(', ');
      if (text !== '') lines.push(`  ${name.padEnd(14)}${text}`);
    }
  }
  if (others.length === 0) return lines.join('\n');
  const rows = others.map((one) => [one.method, one.path, one.version ?? '', one.reason]);
  return [...lines, '', formatTable(['METHOD', 'PATH', 'VERSION', 'WHY NOT'], rows)].join('\n');
}

/** What responses without a route mean. */
const STATUSES: Readonly<Record<number, string>> = {
  204: 'OPTIONS gets a 204 with the methods of the path',
  400: 'the path is malformed, which is a 400',
  404: 'no pattern matches, which is a 404',
  405: 'the path has routes for other methods, which is a 405',
};
