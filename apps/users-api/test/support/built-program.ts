import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of this app. */
export const APP = resolve(import.meta.dirname, '../..');

/** Source maps of everything that a built program runs. */
const SOURCE_MAPS = [
  'dist/**/*.js.map',
  ...[
    'core',
    'di',
    'controllers',
    'metrics',
    'middleware',
    'openapi',
    'opentelemetry',
    'pino',
    'serve',
  ].map((name) => `../../packages/${name}/dist/*.js.map`),
];

let isChecked = false;

/**
 * Returns the path of a built program.
 *
 * @param name - The program, a file in `dist` without its extension.
 * @throws {Error} When the build is missing or older than the sources, so that no test runs old code.
 */
export function builtProgram(name: 'main' | 'seed'): string {
  const program = join(APP, 'dist', `${name}.js`);
  const outdated = isChecked ? undefined : findOutdated();
  if (outdated !== undefined || !existsSync(program)) {
    const problem =
      outdated === undefined ? 'is missing' : `does not have ${outdated} as it is now`;
    throw new Error(`The build of users-api ${problem}. Run: pnpm build --filter=users-api`);
  }
  isChecked = true;
  return program;
}

/** A source file that has changed since the build. */
function findOutdated(): string | undefined {
  return globSync(SOURCE_MAPS, { cwd: APP })
    .flatMap((path) => {
      const map = join(APP, path);
      const { sources, sourcesContent } = JSON.parse(readFileSync(map, 'utf8')) as SourceMap;
      return sources.map((source, n) => [resolve(map, '..', source), sourcesContent[n]] as const);
    })
    .find(([source, built]) => !existsSync(source) || readFileSync(source, 'utf8') !== built)?.[0];
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
}
