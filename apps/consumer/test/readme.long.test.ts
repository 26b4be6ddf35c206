import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { install, installedVersion, run } from './support/project.js';
import { testBlocks } from './support/test-blocks.js';

/** Middleware of Express that the documents use. */
const EXPRESS = ['compression', 'express', 'express-session', 'passport', 'passport-local'];

/** What the documents use beside the packages: peers, validators, clients, a database, a queue, templates, middleware. */
const LIBRARIES = [
  'reflect-metadata',
  'zod',
  'valibot',
  'arktype',
  'class-transformer',
  'class-validator',
  'fast-json-stringify',
  'swagger-ui-dist',
  'openapi-fetch',
  'pino',
  'pino-pretty',
  'prom-client',
  'redis',
  'jose',
  'rate-limiter-flexible',
  'ws',
  '@types/ws',
  'better-sqlite3',
  '@types/better-sqlite3',
  'kysely',
  'bullmq',
  'eta',
  'graphql',
  'graphql-http',
  'helmet',
  ...EXPRESS.flatMap((name) => [name, `@types/${name}`]),
];

/** Imports a module whose servers take a free port and do not keep the process alive. */
const RUNNER = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { ...options, port: 0 }, ...rest).unref();
};
await import(process.argv[2]);
`;

testBlocks({
  compiler: 'typescript',
  async provide(project) {
    const libraries = await Promise.all(LIBRARIES.map(installedVersion));
    await install(project, [...Object.values(inject('tarballs')), ...libraries]);
    await writeFile(join(project, 'run.mjs'), RUNNER);
  },
  run: (project, file) => run(process.execPath, ['run.mjs', `./dist/${file}.js`], project),
});
