import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Application,
  createApp,
  json,
  listen,
  NotFoundError,
  type StandardSchema,
} from '@fairlead/core';
import { openapi, printDocument } from '@fairlead/openapi';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createProject, here, runTsc } from './support/project.js';

const User = z.object({ id: z.string(), name: z.string(), age: z.int().optional() });

const ada = { id: '1', name: 'Ada', age: 36 };

/** Creates a service. */
async function createService(response: StandardSchema = User): Promise<Application> {
  const app = createApp().use(json());
  await app.plugin(openapi({ info: { title: 'Users', version: '1' }, docs: false }));
  return app
    .post(
      '/users',
      { operationId: 'createUser', body: User.omit({ id: true }), response: { 201: response } },
      ({ body: { name, age = 0 } }) => ({ id: '2', name, age }),
    )
    .get('/users/:id', { operationId: 'findUser', response }, ({ params }) => {
      if (params.id !== ada.id) throw new NotFoundError(`There is no user ${params.id}.`);
      return ada;
    });
}

/** The code of a client. Each of its types differs from that of another response schema. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

export async function useService(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });

  const found = await client.GET('/users/{id}', { params: { path: { id: '1' } } });
  if (found.data === undefined) throw new Error(found.error.detail);
  const name: string = found.data.name;
  const age: number | undefined = found.data.age;

  const created = await client.POST('/users', { body: { name: 'Grace' } });
  const id: string | undefined = created.data?.id;

  const refused = await client.POST('/users', { body: { name: '', age: 0.5 } });
  const issues = refused.error && 'issues' in refused.error ? refused.error.issues : [];
  const paths: (string | number)[][] | undefined = issues?.map(({ path }) => path);

  const missing = await client.GET('/users/{id}', { params: { path: { id: '7' } } });
  const code: string | undefined = missing.error?.code;
  return { name, age, id, paths, code };
}
`;

describe('a client of openapi-typescript and openapi-fetch', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-client-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** Generates a client from the printed document of a service, and returns the errors of the compiler. */
  async function compileClient(name: string, app: Application): Promise<string> {
    const project = join(folder, name);
    await createProject(project);
    await symlink(join(here, 'node_modules'), join(project, 'node_modules'));
    await printDocument(app, join(project, 'openapi.json'));
    const document = await readFile(join(project, 'openapi.json'), 'utf8');
    await writeFile(join(project, 'api.ts'), astToString(await openapiTS(document)));
    await writeFile(join(project, 'app.ts'), CLIENT.trimStart());
    const args = ['--noEmit', '--skipLibCheck', '--lib', 'ES2023,DOM'];
    const failure = await runTsc('typescript-7', args, project).catch((error) => error);
    return failure.stdout;
  }

  it('compiles, and receives what its types say', async () => {
    expect(await compileClient('right', await createService())).toBe('');

    const server = await listen(await createService(), 0);
    const { useService } = await import(join(folder, 'right/app.ts'));
    const results = await useService(server.url);
    await server.close();

    expect(results).toEqual({
      name: 'Ada',
      age: 36,
      id: '2',
      paths: [['body', 'age']],
      code: 'NOT_FOUND',
    });
  });

  it.each([
    ['lacks a member', User.omit({ name: true }), "error TS2339: Property 'name' does not exist"],
    [
      'has a member of another type',
      User.extend({ age: z.union([z.number(), z.string()]) }),
      "error TS2322: Type 'string | number' is not assignable to type 'number | undefined'",
    ],
  ])('does not compile if the response schema %s', async (difference, schema, message) => {
    expect(await compileClient(difference, await createService(schema))).toContain(message);
  });
});
