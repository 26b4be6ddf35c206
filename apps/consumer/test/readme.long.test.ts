import { inject } from 'vitest';
import { blocks } from './support/documents.js';
import { install, installedVersion } from './support/project.js';
import { runModules, writeRunner } from './support/runner.js';
import { testBlocks } from './support/test-blocks.js';

/** Middleware of Express that the documents use. */
const EXPRESS = ['compression', 'express', 'express-session', 'passport', 'passport-local'];

/** What the documents use beside the packages: peers, validators, clients, databases, a queue, templates, middleware. */
const LIBRARIES = [
  'reflect-metadata',
  'zod',
  'valibot',
  'arktype',
  'class-transformer',
  'class-validator',
  'fast-check',
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
  'pg-boss',
  'eta',
  'graphql',
  'graphql-http',
  'helmet',
  'graphql-yoga',
  'drizzle-orm',
  'hono',
  '@hono/zod-validator',
  '@trpc/server',
  '@trpc/client',
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  'negotiator',
  '@types/negotiator',
  '@opentelemetry/sdk-node',
  ...EXPRESS.flatMap((name) => [name, `@types/${name}`]),
];

/** The folder of a document in the project. */
const folderOf = (file: string) => file.split('/')[0];
const folders = [...new Set(blocks.map(({ file }) => folderOf(file)))];

/**
 * The blocks that run in one process. Twelve documents share one, because each process loads the packages again. A test
 * runner needs a separate process.
 */
const groups = Map.groupBy(
  blocks.filter(({ runs }) => runs),
  ({ file, code }) =>
    code.includes("from 'node:test'") ? file : Math.floor(folders.indexOf(folderOf(file)) / 12),
);

const outputs = new Map<object, ReturnType<typeof runModules>>();

testBlocks({
  compiler: 'typescript-7',
  // The declarations of the libraries take three quarters of the time. Other tests check those of the packages.
  compilerOptions: { skipLibCheck: true },
  async provide(project) {
    const libraries = await Promise.all(LIBRARIES.map(installedVersion));
    await install(project, [...Object.values(inject('tarballs')), ...libraries]);
    await writeRunner(project);
  },
  async run(project, file) {
    const group =
      [...groups.values()].find((one) => one.some((block) => block.file === file)) ?? [];
    const files = group.map((block) => block.file);
    const output = outputs.get(group) ?? runModules(project, files);
    outputs.set(group, output);
    const { stdout, stderr } = await output;
    return { stdout: stdout[files.indexOf(file)] ?? '', stderr };
  },
});
