import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { bodyOf, createApps } from './support/api.js';
import { APP } from './support/built-program.js';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
}

/** The members of a document that these tests read. */
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

async function fetchDocument(): Promise<Document> {
  const { app } = await createApps({ config: { hasDocs: false } });
  return bodyOf(await app.request('/openapi.json'));
}

describe('/openapi.json', () => {
  it('lists the operations of all APIs and no others, with unique ids', async () => {
    const { paths } = await fetchDocument();
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method, path]),
    );
    expect(operations).toEqual([
      ['listUsers', 'get', '/api/users'],
      ['createUser', 'post', '/api/users'],
      ['showUser', 'get', '/api/users/{id}'],
      ['updateUser', 'put', '/api/users/{id}'],
      ['deleteUser', 'delete', '/api/users/{id}'],
      ['listUsersV1', 'get', '/api/v1/users'],
      ['createUserV1', 'post', '/api/v1/users'],
      ['showUserV1', 'get', '/api/v1/users/{id}'],
      ['updateUserV1', 'put', '/api/v1/users/{id}'],
      ['deleteUserV1', 'delete', '/api/v1/users/{id}'],
      ['listUsersV2', 'get', '/api/v2/users'],
      ['createUserV2', 'post', '/api/v2/users'],
      ['showUserV2', 'get', '/api/v2/users/{id}'],
      ['updateUserV2', 'put', '/api/v2/users/{id}'],
      ['deleteUserV2', 'delete', '/api/v2/users/{id}'],
    ]);
  });

  it('describes lists, creates and updates of all APIs alike', async () => {
    const { paths } = await fetchDocument();
    const describeAt = (mount: string) => {
      const { get, post } = paths[mount] ?? {};
      const { put } = paths[`${mount}/{id}`] ?? {};
      return [get, post, put].map((operation) => ({ ...operation, operationId: '' }));
    };
    expect(describeAt('/api/v1/users')).toEqual(describeAt('/api/users'));
    expect(describeAt('/api/v2/users')).toEqual(describeAt('/api/users'));
  });

  it('documents the error of a tag that does not match', async () => {
    const { paths } = await fetchDocument();
    const documented = Object.values(paths).flatMap((methods) =>
      Object.values(methods).filter(({ responses }) => responses['412'] !== undefined),
    );
    expect(documented.map(({ operationId }) => operationId)).toEqual([
      'updateUser',
      'deleteUser',
      'updateUserV1',
      'deleteUserV1',
      'updateUserV2',
      'deleteUserV2',
    ]);
  });

  it('shows the limits of a new user', async () => {
    const { components } = await fetchDocument();
    expect(components.schemas).toMatchObject({
      NewUser: {
        required: ['name', 'email'],
        properties: { name: { minLength: 1, maxLength: 256 }, email: { maxLength: 320 } },
      },
    });
  });

  it('follows the rules that Redocly recommends', async () => {
    const source = JSON.stringify(await fetchDocument());
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('is what the script prints without listening', async () => {
    const { scripts } = JSON.parse(await readFile(join(APP, 'package.json'), 'utf8'));
    const [, ...args] = scripts.openapi.split(' ');
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: APP });
    expect(JSON.parse(stdout)).toEqual(await fetchDocument());
    expect(scripts.routes).toBe(scripts.openapi.replace(/openapi$/, 'routes'));
  });
});

describe('/docs', () => {
  it.each([
    [true, 200],
    [false, 404],
  ])('with hasDocs %s responds with %i', async (hasDocs, status) => {
    const { app } = await createApps({ config: { hasDocs } });
    expect((await app.request('/docs')).status).toBe(status);
  });
});
