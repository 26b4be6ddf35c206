import { expect, it } from 'vitest';
import { LOADER, writeProject } from './support/project.js';

const IMPORTS = `import { createApp, HttpError } from '@fairlead/core';
import { secured } from '@fairlead/openapi';
import { z } from 'zod';
const Note = z.object({ text: z.string() });
const signedIn = secured(
  (ctx, next) => {
    if (ctx.get('Authorization') === 'Bearer a-long-secret') return next();
    throw new HttpError(401, 'Sign in.');
  },
  { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } },
);
`;
const WORKING = `${IMPORTS}export default () => createApp()
  .get('/notes', { response: Note.array() }, () => [])
  .post('/notes', { body: Note, response: { 201: Note } }, signedIn, ({ body }) => body);
`;
const BROKEN = `${IMPORTS}export default () => createApp({ onError: () => {} })
  .get('/notes', { response: Note.array() }, () => [])
  .post('/notes', { body: Note }, signedIn, ({ body, headers }) => {
    if (body.text.length > 2) throw new RangeError('no ' + headers.authorization);
    return {};
  });
`;
const CREDENTIALS = ['-H', 'Authorization: Bearer a-long-secret'];

it('prints what it has sent', async () => {
  const { run } = await writeProject({ 'src/app.js': WORKING });
  const { status, stdout, stderr } = await run('fuzz', '--seed', '1', '--runs', '5');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^ROUTE +RESPONSES +NOTE\nGET \/notes +200×5\nPOST \/notes +401×10 +needs credentials\n\n2 routes, \d+ requests, 0 failures, seed 1\.\n$/,
  );
});

it('runs with a loader, and fails for what it has not tested with --strict', async () => {
  const { run } = await writeProject({ 'src/app.js': WORKING });
  const options = ['--seed', '1', '--runs', '5', ...LOADER];
  expect(await run('fuzz', ...options)).toMatchObject({ status: 0, stderr: '' });
  expect(await run('fuzz', ...options, '--strict')).toMatchObject({ status: 1, stderr: '' });
  const tested = await run('fuzz', ...options, '--strict', ...CREDENTIALS);
  expect(tested).toMatchObject({ status: 0, stderr: '' });
});

it('prints the failures, without the credentials that it was given', async () => {
  const { run } = await writeProject({ 'src/app.js': BROKEN });
  const { status, stdout, stderr } = await run('fuzz', '--seed', '1', ...CREDENTIALS);
  expect(status).toBe(1);
  expect(stdout).toMatch(/\n2 routes, \d+ requests, 1 failure, seed 1\.\n$/);
  expect(stderr).toMatch(/^1 failure with the seed 1\.\n\n {2}1\. POST \/notes \(server-error\)\n/);
  expect(stderr).toContain('The response is 500: RangeError: no ***, at ');
  expect(stderr).toMatch(
    /\n {5}curl -i -X POST 'http:\/\/localhost:8080\/notes' .*-H "Authorization: \$AUTHORIZATION" --data-raw '\{"text":".{3}"\}' {2}# 500\n/,
  );
  expect(stderr).toMatch(
    /\n {5}it\("POST \/notes: .*\n.*createTestApp.*\n.*app\.request\("\/notes"/,
  );
  expect(stderr + stdout).not.toContain('a-long-secret');
});

it('holds back what the application logs, unless --log is given', async () => {
  const app = BROKEN.replace('createApp({ onError: () => {} })', 'createApp()').replace(
    "'/notes', { response: Note.array() }, () => []",
    "'/notes', { response: Note.array() }, () => (console.log('read'), [])",
  );
  const { run } = await writeProject({ 'src/app.js': app });
  const options = ['fuzz', '--seed', '1', '--runs', '20', ...CREDENTIALS];
  const quiet = await run(...options);
  expect(quiet.stdout).toMatch(/^ROUTE /);
  expect(quiet.stderr).toMatch(/^1 failure with the seed 1\.\n/);
  // In the message, and in the title of the test.
  expect(quiet.stderr.match(/RangeError: no/g)).toHaveLength(2);
  const loud = await run(...options, '--log');
  expect(loud.stdout).toMatch(/^read\n/);
  expect(loud.stderr.match(/RangeError: no/g)?.length).toBeGreaterThan(2);
  expect(JSON.parse((await run(...options, '--json')).stdout)).toMatchObject({ seed: 1 });
});

it('passes its options on, and prints JSON', async () => {
  const { run } = await writeProject({ 'src/app.js': BROKEN });
  const route = ['--route', 'GET /notes', '--skip', 'etag GET /notes'];
  const { status, stdout } = await run('fuzz', '--seed', '7', '--runs', '5', '--json', ...route);
  const routes = [{ route: 'GET /notes', statuses: { 200: 5 }, refused: 0, notes: [] }];
  expect([status, JSON.parse(stdout)]).toEqual([0, { seed: 7, requests: 5, routes, failures: [] }]);
});

it('rejects invalid options', async () => {
  const { run } = await writeProject({ 'src/app.js': WORKING });
  expect(await run('fuzz', '--runs', 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("argument 'x' is invalid. Pass a non-negative integer."),
  });
  expect(await run('fuzz', '--route', 'GET /note')).toEqual({
    status: 2,
    stdout: '',
    stderr: "fairlead: fuzz() knows no route 'GET /note'. Did you mean 'GET /notes'?\n",
  });
});
