import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { withWorktree } from '../src/engine/worktree.js';

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

describe('withWorktree()', () => {
  const repository = mkdtempSync(join(tmpdir(), 'repository-'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
  git('init', '--quiet');
  writeFileSync(join(repository, 'file'), 'committed');
  git('add', 'file');
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  git(...author, 'commit', '--quiet', '--message', 'One');
  const countWorktrees = () => git('worktree', 'list').trim().split('\n').length;

  it('checks a commit out while a function runs, and removes it', async () => {
    const folder = await withWorktree(repository, 'HEAD', async (worktree) => {
      expect(readdirSync(worktree.folder)).toContain('file');
      expect(countWorktrees()).toBe(2);
      return worktree.folder;
    });
    expect(existsSync(folder)).toBe(false);
    expect(countWorktrees()).toBe(1);
  });

  it('removes it when a command fails, and shows the output of the command', async () => {
    const failing = withWorktree(repository, 'HEAD', ({ run }) =>
      run('sh', ['-c', 'echo the reason >&2; exit 3']),
    );
    await expect(failing).rejects.toThrow(/failed with code 3:\nthe reason/);
    expect(countWorktrees()).toBe(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('removes it on %s while a command runs', (signal, code) => {
    const module = pathToFileURL(join(dist, 'engine/worktree.js')).href;
    const program = `
      const { withWorktree } = await import('${module}');
      await withWorktree('.', 'HEAD', ({ folder, run }) => {
        console.log(folder);
        return run('sh', ['-c', 'kill -s ${signal.slice(3)} $PPID; sleep 600']);
      });`;
    const args = ['--input-type=module', '--eval', program];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: repository });
    expect(status).toBe(code);
    expect(existsSync(stdout.toString().trim())).toBe(false);
    expect(countWorktrees()).toBe(1);
  });
});
