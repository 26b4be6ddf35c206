import { parseArgs } from 'node:util';
import { nearestName } from '@fairlead/options';
import {
  DATABASES,
  DATABASES_OF,
  type DatabaseName,
  PACKAGE_MANAGERS,
  type PackageManager,
  TEMPLATES,
  type Template,
} from './templates.js';

/** A mistake in the command line. The message explains how to fix it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the command line asks for. */
export interface CommandLine {
  /** Path of the project's folder. */
  readonly directory: string | undefined;
  readonly template: Template | undefined;
  readonly database: DatabaseName | undefined;
  readonly auth: boolean;
  readonly jobs: boolean;
  readonly packageManager: PackageManager;
  /** Whether the package manager is Yarn 1. */
  readonly isYarn1: boolean;
  readonly install: boolean;
  readonly git: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const OPTIONS = {
  template: { type: 'string', short: 't' },
  database: { type: 'string' },
  auth: { type: 'boolean' },
  jobs: { type: 'boolean' },
  'package-manager': { type: 'string' },
  'no-install': { type: 'boolean' },
  'no-git': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export const USAGE = `Creates a project with Fairlead.

Usage: npm create fairlead@latest [folder] [-- options]
       pnpm create fairlead [folder] [options]
       yarn create fairlead [folder] [options]
       bun create fairlead [folder] [options]

Options:
  -t, --template <name>         the template to copy:
${Object.entries(TEMPLATES)
  .map(([name, text]) => `                                  ${name.padEnd(10)}${text}\n`)
  .join('')}\
      --database <name>         in values: ${DATABASES_OF.values.join(', ')}; default: memory, or sqlite with --auth or --jobs
                                in rest-api: ${DATABASES_OF['rest-api'].join(', ')}; default: sqlite
      --auth                    accounts, sign-in with tokens and roles, in values and rest-api
      --jobs                    jobs in the background, with retries, in values and rest-api
      --package-manager <name>  ${Object.keys(PACKAGE_MANAGERS).join(', ')}; default: the one that runs this command
      --no-install              do not install the dependencies
      --no-git                  do not create a git repository
  -h, --help                    print this help
  -v, --version                 print the version

In a terminal, the command asks for the folder and the template if you leave them out. Without --template,
--database, --auth and --jobs imply rest-api.`;

/**
 * Reads the arguments of the program.
 *
 * @param args - Without the paths of node and of the program.
 * @param userAgent - `npm_config_user_agent` of the environment, which names the running package manager.
 * @throws {UsageError} When an argument is unknown or invalid.
 */
export function parseCommandLine(args: readonly string[], userAgent = ''): CommandLine {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { rawName, value } = token;
    const option = Object.hasOwn(OPTIONS, token.name)
      ? OPTIONS[token.name as keyof typeof OPTIONS]
      : undefined;
    if (option === undefined) {
      const names = Object.keys(OPTIONS).map((name) => `--${name}`);
      throw new UsageError(`Unknown option ${rawName}. ${suggestion(rawName, names)}`);
    }
    if (option.type === 'string' && !value) {
      throw new UsageError(
        `The option ${rawName} needs a value, such as ${rawName} ${exampleOf(token.name)}.`,
      );
    }
    if (option.type === 'boolean' && value !== undefined) {
      throw new UsageError(`The option ${rawName} takes no value. Remove '=${value}'.`);
    }
  }
  const [directory, extra] = positionals;
  if (extra !== undefined) {
    throw new UsageError(
      `Unexpected argument '${extra}'. Pass one folder. npm needs -- before options: npm create fairlead@latest my-app -- --template minimal`,
    );
  }
  const { 'package-manager': name = runningManager(userAgent) } = values;
  const packageManager = oneOf(namesOf(PACKAGE_MANAGERS), 'package manager', String(name));
  const choices = (['database', 'auth', 'jobs'] as const).filter(
    (choice) => values[choice] !== undefined,
  );
  const implied = choices.length === 0 ? undefined : 'rest-api';
  const template = values.template === undefined ? implied : parseTemplate(String(values.template));
  if (template === 'minimal' && implied !== undefined) {
    throw new UsageError(
      `The template minimal has no --${choices[0]}. Use --template values or rest-api, or leave out --${choices[0]}.`,
    );
  }
  const [auth, jobs] = [values.auth === true, values.jobs === true];
  const database =
    values.database === undefined || template === undefined
      ? undefined
      : parseDatabase(String(values.database), template);
  if (auth && database === 'memory') {
    throw new UsageError(
      'The database memory has no accounts. Use --database sqlite or postgres, or leave out --auth.',
    );
  }
  if (jobs && database === 'memory') {
    throw new UsageError(
      'The database memory has no jobs. Use --database sqlite or postgres, or leave out --jobs.',
    );
  }
  return {
    // An unset variable of a shell becomes an empty argument, which would mean the current folder.
    directory: directory || undefined,
    template,
    database,
    auth,
    jobs,
    packageManager,
    isYarn1: packageManager === 'yarn' && userAgent.startsWith('yarn/1.'),
    install: values['no-install'] !== true,
    git: values['no-git'] !== true,
    help: values.help === true,
    version: values.version === true,
  };
}

/** @throws {UsageError} When no template has this name. */
export function parseTemplate(name: string): Template {
  return oneOf(namesOf(TEMPLATES), 'template', name);
}

/** @throws {UsageError} When no database has this name, or the template has no such database. */
export function parseDatabase(name: string, template: Template): DatabaseName {
  const known = DATABASES_OF[template];
  if (!Object.hasOwn(DATABASES, name)) return oneOf(known, 'database', name);
  const database = known.find((each) => each === name);
  if (database !== undefined) return database;
  throw new UsageError(
    `The template ${template} has no database ${name}. Use one of: ${known.join(', ')}.`,
  );
}

/** Returns the names of templates, databases or package managers. */
export function namesOf<Name extends string>(known: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(known) as Name[];
}

function oneOf<Name extends string>(known: readonly Name[], kind: string, name: string): Name {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw new UsageError(`Unknown ${kind} '${name}'. ${suggestion(name, known)}`);
}

/** Returns a sentence with the nearest name, or with all of them. */
function suggestion(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean ${nearest}?`;
}

function exampleOf(option: string): string {
  return { template: 'minimal', database: 'postgres' }[option] ?? 'npm';
}

/** Returns the package manager of a user agent such as `pnpm/12.21.0 npm/? node/v24.21.0`. */
function runningManager(userAgent: string): PackageManager {
  const [name = ''] = userAgent.split('/');
  return Object.hasOwn(PACKAGE_MANAGERS, name) ? (name as PackageManager) : 'npm';
}
