import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { findUrlProblem } from './database-url.js';

const UNENCODED =
  'has a special character that is not percent-encoded. In the user and the password';

describe('findUrlProblem', () => {
  it.each([
    'postgres://ada:secret@db/users',
    'postgresql://ada@db:5433/users',
    'postgres://db',
    'postgres:///users',
    'postgres:///users?host=%2Fvar%2Frun%2Fpostgresql&user=ada&password=p@ss',
    'postgres://ada:s%23cr%2Fe%3Ft%40%25@[::1]:5432/users',
    'postgres://ada:s@cret@db/users',
    'postgres://db/users?options=-csearch_path%3Dapp%20-cwork_mem%3D8MB&application_name=a@b',
    'postgres://db/users?sslmode=verify-full&connect_timeout=3',
  ])('accepts %s', (url) => {
    expect(findUrlProblem(url)).toBeUndefined();
  });

  it.each([
    ['conect_timeout=3', 'conect_timeout. Did you mean connect_timeout?'],
    ['sslmod=require', 'sslmod. Did you mean sslmode?'],
    ['applicationname=x', 'applicationname. Did you mean application_name?'],
    ['channel_binding=require', 'channel_binding. Remove it.'],
    ['sslmode=require&binary=true', 'binary. Remove it.'],
  ])('rejects ?%s and names the nearest parameter', (query, problem) => {
    const expected = `has the unknown parameter ${problem}`;
    expect(findUrlProblem(`postgres://ada:secret@db/users?${query}`)).toBe(expected);
  });

  it.each([
    'postgres://ada:s#cret@db/users',
    'postgres://ada:12#3@db/users',
    'postgres://ada:s/cret@db/users',
    'postgres://ada:12/3@db/users',
    'postgres://ada:s?cret@db/users',
    'postgres://ada:12?secret=3@db/users',
    'postgres://ada:s@1?secret=3@db/users',
    'postgres://ada:100%@db/users',
    'postgres://ada:%E4@db/users',
    'postgres://ada@db/users?password=s#cret',
  ])('explains how to encode the password of %s', (url) => {
    expect(findUrlProblem(url)).toMatch(UNENCODED);
  });

  it.each([
    'postgres://ada:secret@db:99999/users',
    'postgres://ada:secret@db:0/users',
    'postgres://ada:secret@db/users?port=5432x',
    'postgres://ada:secret',
  ])('rejects the port of %s', (url) => {
    expect(findUrlProblem(url)).toBe('has an invalid port. Use a number from 1 to 65535.');
  });

  it.each([
    ['postgres:users', 'does not begin with postgres://'],
    ['postgres://ada:secret@/users', 'has no host'],
    ['postgres://ada:secret@d b/users', 'has an invalid host'],
  ])('rejects %s, because it %s', (url, problem) => {
    const expected = `${problem}. Use postgres://USER:PASSWORD@HOST/DATABASE.`;
    expect(findUrlProblem(url)).toBe(expected);
  });

  it.each([
    'postgres://ada:secret@one,two/users',
    'postgres://ada:secret@one:5432,two:5433/users?target_session_attrs=read-write',
    'postgres://ada:secret@db/users?target_session_attrs=primary',
    'postgres://ada:secret@db/users?load_balance_hosts=random',
    'postgres:///users?host=one,two',
  ])('says what to use in place of the servers of %s', (url) => {
    expect(findUrlProblem(url)).toBe(
      'chooses among several servers, which users-api leaves to a balancer. Use one host that leads to the ' +
        'primary, such as HAProxy with a check of Patroni, PgBouncer, or an address that moves with the primary.',
    );
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])('rejects %s without a readable file', (name) => {
    const folder = temporaryFolder();
    const file = join(folder, 'root.pem');
    const problem = findUrlProblem(`postgres://db/users?${name}=${file}`);
    expect(problem).toMatch(`names a file in ${name} that cannot be read (ENOENT`);
    expect(problem).toContain(file);
    expect(findUrlProblem(`postgres://db/users?${name}=${folder}`)).toContain('(EISDIR');
    writeFileSync(file, '');
    expect(findUrlProblem(`postgres://db/users?${name}=${file}`)).toBeUndefined();
  });

  it('accepts a URL in which pg finds the password, or explains how to encode it', () => {
    const end = fc.string({ unit: fc.constantFrom(...'aB3%#/?@:&=+ 2f') });
    fc.assert(
      fc.property(end, (text) => {
        const password = `Zq9${text}`;
        const encoded = `postgres://ada:${encodeURIComponent(password)}@db/users`;
        expect(findUrlProblem(encoded)).toBeUndefined();
        expect(new pg.Client(encoded).password).toBe(password);
        const url = `postgres://ada:${password}@db/users`;
        const problem = findUrlProblem(url);
        return problem === undefined ? new pg.Client(url).host === 'db' : !problem.includes('Zq9');
      }),
      { numRuns: cases(300) },
    );
  });
});
