import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '@fairlead/serve';
import { describe, expect, it } from 'vitest';
import { Config, describeSettings, SETTING_HELP } from './config.js';

const appFolder = resolve(import.meta.dirname, '..');

const readConfig = (env: Readonly<Record<string, string | undefined>>) => new Config(env);

describe('Config', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      PORT: 8080,
      REUSE_PORT: false,
      MAX_BODY_SIZE: 1_048_576,
      POOL_SIZE: 10,
      CONNECT_TIMEOUT: 2_000,
      STATEMENT_TIMEOUT: 5_000,
      MAX_NAME_LENGTH: 256,
      MAX_EMAIL_LENGTH: 320,
      NODE_ENV: 'development',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'auto',
      DOCS: 'auto',
      METRICS: true,
      TRACING: false,
      SHUTDOWN_DELAY: 0,
      SHUTDOWN_TIMEOUT: 10_000,
      store: { kind: 'sqlite', path: join(appFolder, 'data', 'users.db') },
      hasDocs: true,
      includeStack: true,
      checkResponses: true,
    });
  });

  it('treats an empty variable as unset', () => {
    const empty = Object.fromEntries(SETTING_HELP.map(({ name }) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('returns a frozen configuration', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it.each(['0', '80', '65535'])('accepts PORT %s', (text) => {
    expect(readConfig({ PORT: text }).PORT).toBe(Number(text));
  });

  it.each(['65536', '-1', '80.5', '1e3', '0x50', 'http', ' 80'])('rejects PORT %j', (text) => {
    expect(() => readConfig({ PORT: text })).toThrow(
      `PORT is ${JSON.stringify(text)}. Use an integer from 0 to 65535.`,
    );
  });

  it('passes HOST through unchanged', () => {
    expect(readConfig({ HOST: '127.0.0.1' }).HOST).toBe('127.0.0.1');
  });

  it.each([
    ['production', false],
    ['development', true],
    ['test', true],
  ])('with NODE_ENV %s, sets includeStack and checkResponses to %s', (value, isOn) => {
    expect(readConfig({ NODE_ENV: value })).toMatchObject({
      includeStack: isOn,
      checkResponses: isOn,
    });
  });

  it.each([
    ['production', undefined, false],
    ['production', 'auto', false],
    ['production', 'on', true],
    ['development', 'auto', true],
    ['development', 'off', false],
  ])('with NODE_ENV %s and DOCS %s, sets hasDocs to %s', (NODE_ENV, DOCS, hasDocs) => {
    expect(readConfig({ NODE_ENV, DOCS }).hasDocs).toBe(hasDocs);
  });

  it.each([
    ['prod', 'production'],
    ['Production', 'production'],
    ['prodution', 'production'],
    ['dev', 'development'],
    ['TEST', 'test'],
  ])('rejects NODE_ENV %s and suggests %s', (value, similar) => {
    expect(() => readConfig({ NODE_ENV: value })).toThrow(
      `NODE_ENV is "${value}". Use one of development, test, production. Did you mean ${similar}?`,
    );
  });

  it('suggests no value when none has the same first letter', () => {
    expect(() => readConfig({ NODE_ENV: 'staging' })).toThrow(
      /"staging"\. Use one of development, test, production\.$/,
    );
  });

  it.each([
    ['memory:', { kind: 'memory' }],
    ['sqlite:/var/lib/users.db', { kind: 'sqlite', path: resolve('/var/lib/users.db') }],
    ['sqlite:///var/lib/users.db', { kind: 'sqlite', path: resolve('/var/lib/users.db') }],
    ['sqlite:data/users.db', { kind: 'sqlite', path: resolve('data/users.db') }],
  ])('parses DATABASE_URL %s', (url, store) => {
    expect(readConfig({ DATABASE_URL: url }).store).toEqual(store);
  });

  it.each(['postgres://ada@db/users', 'postgresql://db/users'])(
    'parses DATABASE_URL %s with the limits of PostgreSQL',
    (url) => {
      const limits = { POOL_SIZE: '3', CONNECT_TIMEOUT: '100', STATEMENT_TIMEOUT: '200' };
      expect(readConfig({ DATABASE_URL: url, ...limits }).store).toEqual({
        kind: 'postgres',
        url,
        poolSize: 3,
        connectTimeout: 100,
        statementTimeout: 200,
      });
    },
  );

  it.each([
    ['sqlite:', 'has the scheme sqlite:'],
    ['sqlite://data/users.db', 'has the scheme sqlite:'],
    ['sqlite::memory:', 'has the scheme sqlite:'],
    ['mysql://host/users', 'has the scheme mysql:'],
    ['memory', 'has no scheme'],
    ['users.db', 'has no scheme'],
    ['//ada:secret@host:5432/users', 'has no scheme'],
    ['127.0.0.1:5432/users?user=ada:secret', 'has no scheme'],
    ['ada:secret@host/users', 'has the scheme ada:'],
  ])('rejects DATABASE_URL %s', (url, problem) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      `DATABASE_URL ${problem}. Use postgres://`,
    );
  });

  it.each([
    [
      '?conect_timeout=3',
      'has the unknown parameter conect_timeout. Did you mean connect_timeout?',
    ],
    ['?sslrootcert=/missing.pem', 'names a file in sslrootcert that cannot be read (ENOENT'],
    ['#', 'has a special character that is not percent-encoded'],
  ])('rejects the end %s of a PostgreSQL URL', (end, problem) => {
    const DATABASE_URL = `postgres://ada:secret@db/users${end}`;
    expect(() => readConfig({ DATABASE_URL })).toThrow(`DATABASE_URL ${problem}`);
  });

  it.each([
    'mysql://ada:s3cr@t@host/users',
    'postgres://ada:s3cr@t@host:port/users',
    'host/users?password=s3cr@t',
    '//ada:s3cr@t@host/users',
    'ada:s3cr@t@host/users',
  ])('does not repeat the password of %s', (url) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('s3cr@t') }),
    );
  });

  it('lists every invalid variable in one error', () => {
    expect(() => readConfig({ PORT: 'x', DATABASE_URL: 'y' })).toThrow(ConfigError);
    expect(() => readConfig({ PORT: 'x', DATABASE_URL: 'y' })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/:\n {2}PORT .+\n {2}DATABASE_URL .+$/),
      }),
    );
  });

  it.each([
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['LOG_FORMAT', 'xml', 'one of auto, json, pretty'],
    ['DOCS', 'yes', 'one of auto, on, off'],
    ['METRICS', 'yes', 'one of on, off'],
    ['TRACING', '1', 'one of on, off'],
    ['REUSE_PORT', 'yes', 'one of on, off'],
    ['POOL_SIZE', '0', 'an integer from 1 to 1000'],
    ['CONNECT_TIMEOUT', '0', 'an integer from 1 to 600000'],
    ['STATEMENT_TIMEOUT', '2s', 'an integer from 1 to 600000'],
    ['MAX_PAGE_SIZE', '0', 'an integer from 1 to 999999999'],
    ['MAX_BODY_SIZE', '1mb', 'an integer from 1 to 99999999'],
    ['MAX_CONNECTIONS', '-1', 'an integer from 1 to 999999'],
    ['OPERATIONS_PORT', '65536', 'an integer from 0 to 65535'],
    ['MAX_NAME_LENGTH', '0', 'an integer from 1 to 10000'],
    ['MAX_EMAIL_LENGTH', '10001', 'an integer from 1 to 10000'],
    ['SHUTDOWN_DELAY', '1s', 'an integer from 0 to 600000'],
    ['SHUTDOWN_TIMEOUT', '99', 'an integer from 100 to 3600000'],
    ['REQUEST_ID_HEADER', 'X Request', 'a header name'],
  ])('rejects %s %j and lists the allowed values', (name, value, allowed) => {
    expect(() => readConfig({ [name]: value })).toThrow(
      `${name} is ${JSON.stringify(value)}. Use ${allowed}.`,
    );
  });

  it('rejects a shared port with the memory store', () => {
    expect(() => readConfig({ REUSE_PORT: 'on', DATABASE_URL: 'memory:' })).toThrow(
      'REUSE_PORT is on and DATABASE_URL is memory:',
    );
  });

  it('rejects the same port twice, unless the system chooses both', () => {
    expect(() => readConfig({ PORT: '81', OPERATIONS_PORT: '81' })).toThrow(
      'OPERATIONS_PORT is the same as PORT.',
    );
    expect(readConfig({ PORT: '0', OPERATIONS_PORT: '0' }).OPERATIONS_PORT).toBe(0);
  });

  it('rejects a delay that leaves no time to finish requests', () => {
    expect(() => readConfig({ SHUTDOWN_DELAY: '10000' })).toThrow(
      'SHUTDOWN_DELAY is 10000 and SHUTDOWN_TIMEOUT is 10000',
    );
  });
});

describe('describeSettings', () => {
  it('lists each variable with its meaning, allowed values and default', () => {
    const text = describeSettings('users-api');
    expect(text).toContain(
      '  PORT\n      TCP port to listen on, or 0 for any free port\n' +
        '      an integer from 0 to 65535 (default: 8080)\n',
    );
    expect(text).toContain('\n      a header name\n');
    for (const { name, meaning, allowed } of SETTING_HELP) {
      expect(text).toContain(`  ${name}\n      ${meaning}\n      ${allowed}`);
      expect([meaning, allowed]).not.toContain('undefined');
    }
  });
});

describe('README', () => {
  const README = readFileSync(join(appFolder, 'README.md'), 'utf8');

  it.each(SETTING_HELP)('lists $name in its table', ({ name }) => {
    expect(README).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
  });

  // The default of DATABASE_URL is an absolute path.
  const withDefault = SETTING_HELP.filter(
    ({ name, fallback }) => fallback !== undefined && name !== 'DATABASE_URL',
  );
  it.each(withDefault)('has the default of $name', ({ name, fallback }) => {
    expect(README).toContain(`\n| \`${name}\` | \`${fallback}\` |`);
  });

  const ranges = SETTING_HELP.flatMap(({ name, allowed }) =>
    [...allowed.matchAll(/integer from (\d+ to \d+)/g)].map(([, range]) => ({ name, range })),
  );
  it.each(ranges)('has the range of $name', ({ name, range }) => {
    const row = README.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toContain(`| ${range}`);
  });
});
