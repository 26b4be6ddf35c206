import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

const dist = join(import.meta.dirname, '../dist');

/** Runs the command line, which has to fail, and returns what it prints to standard error. */
function fail(...args: readonly string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [join(dist, 'cli.js'), ...args]);
  expect(status).toBe(1);
  return stderr.toString();
}

describe('pnpm bench --against', () => {
  it('names a ref that is no commit', () => {
    expect(fail('--against', 'no-such-ref')).toContain("Cannot find the commit 'no-such-ref'.");
  });

  it('needs two batches for an interval', () => {
    expect(fail('--against', 'HEAD', '--batches', '1')).toContain('Use at least 2 batches.');
  });

  it.each(['--servers=koa', '--autocannon', '--list', '--out=results'])(
    'refuses %s, which another comparison has',
    (option) => {
      expect(fail('--against', 'HEAD', option)).toContain('cannot be used with option');
    },
  );

  it.each(['--quick', '--batches=3', '--instructions'])(
    'refuses %s without --against',
    (option) => {
      expect(fail(option)).toContain(
        'Use --quick, --batches and --instructions only with --against.',
      );
    },
  );

  it('says what to install if instructions cannot be counted', () => {
    vi.stubEnv('PATH', '');
    expect(fail('--against', 'HEAD', '--instructions')).toContain(
      'Cannot count instructions without valgrind. Install it',
    );
    vi.unstubAllEnvs();
  });

  it('lists the workloads that it has if one is unknown', () => {
    expect(fail('--against', 'HEAD', 'json')).toContain(
      'Unknown workload: json. Use one of these: plaintext, param, post,',
    );
  });
});
