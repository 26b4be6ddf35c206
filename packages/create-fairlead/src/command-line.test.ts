import { describe, expect, it } from 'vitest';
import { parseCommandLine, UsageError } from './command-line.js';

describe('parseCommandLine()', () => {
  it('installs, and creates a repository, unless told otherwise', () => {
    expect(parseCommandLine(['my-app', '-t', 'rest-api'])).toEqual({
      directory: 'my-app',
      template: 'rest-api',
      database: undefined,
      auth: false,
      jobs: false,
      packageManager: 'npm',
      isYarn1: false,
      install: true,
      git: true,
      help: false,
      version: false,
    });
    expect(parseCommandLine(['', '--no-install', '--no-git'])).toMatchObject({
      directory: undefined,
      template: undefined,
      install: false,
      git: false,
    });
  });

  it('chooses the template with a database, sign-in or jobs', () => {
    const chosen = { template: 'rest-api', database: 'postgres', auth: true };
    expect(parseCommandLine(['my-app', '--database', 'postgres', '--auth'])).toMatchObject(chosen);
    expect(parseCommandLine(['--auth', '-t', 'rest-api'])).toMatchObject({ auth: true });
    expect(parseCommandLine(['--jobs'])).toMatchObject({ template: 'rest-api', jobs: true });
    expect(parseCommandLine(['--auth', '-t', 'values', '--database', 'sqlite'])).toMatchObject({
      template: 'values',
      database: 'sqlite',
      auth: true,
    });
  });

  it.each([
    ['npm/11.6.2 node/v24.21.0 linux x64', 'npm'],
    ['pnpm/12.21.0 npm/? node/v24.21.0 linux x64', 'pnpm'],
    ['yarn/4.9.1 npm/? node/v24.21.0 linux x64', 'yarn'],
    ['bun/1.4.4 npm/? node/v24.21.0 linux x64', 'bun'],
    ['cnpm/9.0.0', 'npm'],
    [undefined, 'npm'],
  ])('uses the package manager of the user agent %s', (userAgent, packageManager) => {
    expect(parseCommandLine([], userAgent)).toMatchObject({ packageManager });
  });

  it('prefers the package manager of the options', () => {
    const commandLine = parseCommandLine(['--package-manager=yarn'], 'pnpm/12.21.0');
    expect(commandLine.packageManager).toBe('yarn');
  });

  it.each([
    [[], 'yarn/1.22.22 npm/? node/v24.21.0 linux x64', true],
    [[], 'yarn/4.9.1 npm/? node/v24.21.0 linux x64', false],
    [['--package-manager=npm'], 'yarn/1.22.22', false],
  ])('recognizes Yarn 1: %j with %s', (args, userAgent, isYarn1) => {
    expect(parseCommandLine(args, userAgent)).toMatchObject({ isYarn1 });
  });

  it.each([
    [['--templat', 'minimal'], 'Unknown option --templat. Did you mean --template?'],
    [
      ['-x'],
      'Unknown option -x. Use one of: --template, --database, --auth, --jobs, --package-manager, --no-install, --no-git, --help, --version.',
    ],
    [['--template', 'rest'], "Unknown template 'rest'. Use one of: minimal, values, rest-api."],
    [['--template', 'restapi'], "Unknown template 'restapi'. Did you mean rest-api?"],
    [
      ['--template', 'constructor'],
      "Unknown template 'constructor'. Use one of: minimal, values, rest-api.",
    ],
    [['--template'], 'The option --template needs a value, such as --template minimal.'],
    [['--template='], 'The option --template needs a value, such as --template minimal.'],
    [['--database', 'mysql'], "Unknown database 'mysql'. Use one of: sqlite, postgres."],
    [
      ['-t', 'rest-api', '--database', 'memory'],
      'The template rest-api has no database memory. Use one of: sqlite, postgres.',
    ],
    [['-t', 'values', '--database', 'sqlit'], "Unknown database 'sqlit'. Did you mean sqlite?"],
    [
      ['-t', 'values', '--database', 'memory', '--auth'],
      'The database memory has no accounts. Use --database sqlite or postgres, or leave out --auth.',
    ],
    [
      ['-t', 'values', '--database', 'memory', '--jobs'],
      'The database memory has no jobs. Use --database sqlite or postgres, or leave out --jobs.',
    ],
    [['--database'], 'The option --database needs a value, such as --database postgres.'],
    [
      ['-t', 'minimal', '--auth'],
      'The template minimal has no --auth. Use --template values or rest-api, or leave out --auth.',
    ],
    [
      ['-t', 'minimal', '--jobs'],
      'The template minimal has no --jobs. Use --template values or rest-api, or leave out --jobs.',
    ],
    [
      ['--database=sqlite', '--template=minimal'],
      'The template minimal has no --database. Use --template values or rest-api, or leave out --database.',
    ],
    [
      ['--package-manager', 'cargo'],
      "Unknown package manager 'cargo'. Use one of: npm, pnpm, yarn, bun.",
    ],
    [['--no-git=yes'], "The option --no-git takes no value. Remove '=yes'."],
    [
      ['a', 'b'],
      "Unexpected argument 'b'. Pass one folder. npm needs -- before options: npm create fairlead@latest my-app -- --template minimal",
    ],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(new UsageError(message));
  });
});
