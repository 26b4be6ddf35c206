import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('measures the packages of a commit and of this tree, each twice', () => {
  const cli = join(import.meta.dirname, '../dist/cli.js');
  const options = ['--batches', '2', '--rounds', '1', '--slice', '5', '--warm-up', '5'];
  const args = [cli, 'plaintext', '--against', 'HEAD', ...options];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const interval = String.raw`[+−]\d+\.\d % \([+−]\d+\.\d % to [+−]\d+\.\d %\)`;
  for (const row of ['functions', 'classes', 'A/A: HEAD, functions', 'A/A: this tree, classes']) {
    expect(output).toMatch(new RegExp(String.raw`^\| ${row} \| ${interval} \|$`, 'm'));
  }
  expect(output).toMatch(/^\| get \| \d+, \d+, \d+ \| \d+, \d+, \d+ \|$/m);
});
