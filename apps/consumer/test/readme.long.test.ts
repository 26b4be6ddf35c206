import { inject } from 'vitest';
import { install, installedVersion } from './support/project.js';
import { runModule, writeRunner } from './support/runner.js';
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
  '@modelcontextprotocol/client',
  'pino',
  'pino-pretty',
  'prom-client',
  'redis',
  'jose',
  'ws',
  '@types/ws',
  'better-sqlite3',
  '@types/better-sqlite3',
  'kysely',
  'pg',
  '@types/pg',
  'bullmq',
  'eta',
  'graphql',
  'graphql-http',
  'helmet',
  ...EXPRESS.flatMap((name) => [name, `@types/${name}`]),
];

testBlocks({
  compiler: 'typescript',
  async provide(project) {
    const libraries = await Promise.all(LIBRARIES.map(installedVersion));
    await install(project, [...Object.values(inject('tarballs')), ...libraries]);
    await writeRunner(project);
  },
  run: runModule,
});
