import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, withoutSqliteWarning } from './project.js';

/** Imports a module whose servers take a free port and do not keep the process alive. */
const RUNNER = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  // Idle connections do not keep the process alive either.
  this.on('connection', (socket) => socket.unref());
  return listen.call(this, { ...options, port: 0 }, ...rest).unref();
};
await import(process.argv[2]);
`;

/** Prepares a project for {@link runModule}. */
export async function writeRunner(project: string): Promise<void> {
  await writeFile(join(project, 'run.mjs'), RUNNER);
}

/**
 * Runs a compiled module until it finishes. Its servers do not keep it running.
 *
 * @param file - Path of the module in the project, without its extension.
 */
export async function runModule(project: string, file: string) {
  const { stdout, stderr } = await run(process.execPath, ['run.mjs', `./dist/${file}.js`], project);
  return { stdout, stderr: withoutSqliteWarning(stderr) };
}
