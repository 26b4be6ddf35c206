import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, withoutSqliteWarning } from './project.js';

/** Separates the output of modules. */
const NEXT = '--- next module ---';

/** Imports modules one after the other. Their servers take a free port and do not keep the process alive. */
const RUNNER = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  // Idle connections do not keep the process alive either.
  this.on('connection', (socket) => socket.unref());
  return listen.call(this, { ...options, port: 0 }, ...rest).unref();
};
for (const [index, file] of process.argv.slice(2).entries()) {
  if (index > 0) console.log('${NEXT}');
  await import(file);
}
`;

/** Prepares a project for {@link runModules}. */
export async function writeRunner(project: string): Promise<void> {
  await writeFile(join(project, 'run.mjs'), RUNNER);
}

/**
 * Runs compiled modules in one process until they finish. Their servers do not keep it running.
 *
 * @param files - Paths of the modules in the project, without their extensions.
 * @returns The output of each module, and the errors of all.
 */
export async function runModules(project: string, files: readonly string[]) {
  const paths = files.map((file) => `./dist/${file}.js`);
  const { stdout, stderr } = await run(process.execPath, ['run.mjs', ...paths], project);
  return { stdout: stdout.split(`${NEXT}\n`), stderr: withoutSqliteWarning(stderr) };
}
