import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestApp } from '@fairlead/testing';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { createApp } from './support/client.ts';

const folder = mkdtempSync(join(tmpdir(), 'conduit-'));
let database: Database;
let app: TestApp;

beforeAll(async () => {
  database = await openDatabase(join(folder, 'conduit.db'), () => {});
});
beforeEach(async () => {
  app = await createApp(database);
  return () => app.close();
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const post = (path: string, init: object) => app.request(path, { method: 'POST', ...init });

describe('every error', () => {
  it.each([
    ['an unknown path', () => app.request('/api/nothing'), 404],
    ['a wrong method', () => app.request('/api/tags', { method: 'PUT' }), 405],
    ['malformed JSON', () => post('/api/users', { body: '{', headers: JSON_TYPE }), 400],
    ['a form', () => post('/api/users', { body: new URLSearchParams('a=b') }), 415],
    ['an empty body', () => post('/api/users', {}), 422],
  ])('has the form of RealWorld: %s', async (_, send, status) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(Object.values(Object(await response.json()).errors)).toEqual([[expect.any(String)]]);
  });
});

const JSON_TYPE = { 'Content-Type': 'application/json' };

it('allows ten failed sign-ins in a minute from one address', async () => {
  const user = { email: 'nobody@example.com', password: 'a guess' };
  const signIn = async (ip: string) =>
    (await post('/api/users/login', { json: { user }, ip })).status;
  const statuses = await Promise.all(Array.from({ length: 11 }, () => signIn('192.0.2.1')));
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  expect(await signIn('192.0.2.2')).toBe(401);
});

it('lets pages of other origins call it', async () => {
  const headers = {
    Origin: 'https://demo.example',
    'Access-Control-Request-Method': 'PUT',
    'Access-Control-Request-Headers': 'authorization,content-type',
  };
  const response = await app.request('/api/user', { method: 'OPTIONS', headers });
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(response.headers.get('Access-Control-Allow-Methods')).toContain('PUT');
  expect(response.headers.get('Access-Control-Allow-Headers')).toContain('authorization');
});

it('is ready while the database is', async () => {
  expect((await app.request('/health/ready')).status).toBe(200);
});

describe('the OpenAPI document', () => {
  it('has no errors', async () => {
    const source = await (await app.request('/openapi.json')).text();
    const config = await createConfig({ extends: ['spec'] });
    expect(await lintFromString({ source, config })).toEqual([]);
  });

  it('has every operation of RealWorld, and says which ones need a token', async () => {
    const { paths } = (await (await app.request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { security?: object[] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [] }]) => {
        const token = ['none', 'required', 'optional'][security.length];
        return `${method} ${path} ${token}`;
      }),
    );
    expect(operations).toMatchInlineSnapshot(`
      [
        "post /api/users none",
        "post /api/users/login none",
        "get /api/user required",
        "put /api/user required",
        "get /api/profiles/{username} optional",
        "post /api/profiles/{username}/follow required",
        "delete /api/profiles/{username}/follow required",
        "get /api/articles optional",
        "post /api/articles required",
        "get /api/articles/feed required",
        "get /api/articles/{slug} optional",
        "put /api/articles/{slug} required",
        "delete /api/articles/{slug} required",
        "post /api/articles/{slug}/favorite required",
        "delete /api/articles/{slug}/favorite required",
        "get /api/articles/{slug}/comments optional",
        "post /api/articles/{slug}/comments required",
        "delete /api/articles/{slug}/comments/{id} required",
        "get /api/tags none",
      ]
    `);
  });
});
