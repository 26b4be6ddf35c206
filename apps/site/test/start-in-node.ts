import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Starts a program of the playground in Node.js, as `app.js` of a folder that has the built packages.
 *
 * @returns What it prints, as the playground shows it: without the number of the process, the hint about
 *   `--trace-warnings`, the free port, and what a stack shows of other code.
 */
export async function startInNode(program: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'playground-')));
  try {
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
    // On one line more, the program ends once it listens.
    const source = `${program.replace('port: 8080', 'port: 0')}\nprocess.exit();`;
    writeFileSync(join(folder, 'app.js'), source);
    const file = openSync(join(folder, 'output'), 'w');
    const stdio = ['ignore', file, file] as const;
    const args = ['app.js'];
    await once(spawn(process.execPath, args, { cwd: folder, stdio: [...stdio] }), 'close');
    return readFileSync(join(folder, 'output'), 'utf8')
      .replaceAll(pathToFileURL(folder).href, 'file:///app')
      .replaceAll(/^\(Use `node --trace-warnings .*\n/gm, '')
      .replaceAll(/^\(node:\d+\) /gm, '')
      .replaceAll(/^ +at (?!.*file:\/\/\/app\/app\.js).*\n/gm, '')
      .replace(/localhost:\d+/, 'localhost:8080')
      .trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
