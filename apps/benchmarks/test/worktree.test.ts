import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withWorktree } from '../src/engine/worktree.js';

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
    const module = pathToFileURL(join(import.meta.dirname, '../dist/engine/worktree.js')).href;
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
