import { describe, expect, it } from 'vitest';
import { writeProject } from './support/project.js';

const APP = `import { createApp, errorHandler, json, text } from '@fairlead/core';
export default createApp()
  .use(errorHandler({ onError: ({ message }) => console.error(message) }), json(), text())
  .get('/hello', ({ query, headers }) => ({ query, name: headers['x-name'] }))
  .get('/bytes', () => Buffer.from([0, 255]))
  .get('/stream', async function* () {
    yield 'one\\n';
    yield 'two\\n';
  })
  .get('/cookies/*rest', (ctx) => {
    for (const name of ctx.params.rest.split('/')) ctx.append('Set-Cookie', name + '=1');
    return null;
  })
  .get('/fails', () => {
    throw new Error('broken');
  })
  .on('PUT', '/echo', { status: 201 }, ({ body, headers }) => [headers['content-type'], body])
  .query('/echo', ({ body, method }) => [method, body])
  .post('/echo', ({ body, headers }) => [headers['content-type'], body]);
`;

const project = () => writeProject({ 'src/app.js': APP, 'body.json': '{"from":"file"}' });

describe('fairlead fetch', () => {
  it('prints the body of the response', async () => {
    const { run } = await project();
    expect(await run('fetch', '/hello?page=2', '-H', 'X-Name: Ada')).toEqual({
      status: 0,
      stdout: '{"query":{"page":"2"},"name":"Ada"}',
      stderr: '',
    });
    expect((await run('fetch', '/stream')).stdout).toBe('one\ntwo\n');
  });

  it.each([
    [['-d', '{"a":1}'], '["application/json",{"a":1}]'],
    [['-d', '@body.json', '-X', 'put'], '["application/json",{"from":"file"}]'],
    [['-d', '{"a":1}', '-X', 'query'], '["QUERY",{"a":1}]'],
    [['--data=x', '--header', 'content-type:text/plain'], '["text/plain","x"]'],
  ])('sends a body: %j', async (args, stdout) => {
    const { run } = await project();
    expect(await run('fetch', '/echo', ...args)).toEqual({ status: 0, stdout, stderr: '' });
  });

  it('sends standard input', async () => {
    const { pipe } = await project();
    expect((await pipe('{"from":"stdin"}', 'fetch', '/echo', '-d', '@-')).stdout).toBe(
      '["application/json",{"from":"stdin"}]',
    );
  });

  it('prints the status and the headers with --include', async () => {
    const { run } = await project();
    const { stdout } = await run('fetch', '/echo', '-X', 'PUT', '-d', '1', '-i');
    expect(stdout).toMatch(
      /^201 Created\n.*content-type: application\/json.*\n\n\["application\/json",1\]$/s,
    );
  });

  it('prints JSON', async () => {
    const { run } = await project();
    const { stdout } = await run('fetch', '/hello', '--json');
    expect(JSON.parse(stdout)).toEqual({
      status: 200,
      headers: expect.objectContaining({ 'content-type': expect.stringContaining('json') }),
      body: { query: {} },
    });
    expect(JSON.parse((await run('fetch', '/stream', '--json')).stdout).body).toBe('one\ntwo\n');
  });

  it('prints all cookies as JSON', async () => {
    const { run } = await project();
    const headersOf = async (path: string) =>
      JSON.parse((await run('fetch', path, '--json')).stdout).headers;
    expect(await headersOf('/cookies/a')).toMatchObject({ 'set-cookie': 'a=1' });
    expect(await headersOf('/cookies/a/b')).toMatchObject({ 'set-cookie': ['a=1', 'b=1'] });
  });

  it('exits with 1 when the request fails, and prints the status', async () => {
    const { run } = await project();
    const missing = await run('fetch', '/missing');
    expect(missing).toMatchObject({ status: 1, stderr: '404 Not Found\n' });
    expect(JSON.parse(missing.stdout)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const failed = await run('fetch', '/fails');
    expect(failed).toMatchObject({ status: 1, stderr: 'broken\n500 Internal Server Error\n' });
  });

  it.each([
    [['/echo', '-X', 'GTE'], "Cannot use the method 'GTE'. Use one such as GET."],
    [['echo'], "Cannot use the path 'echo'. Start it with a slash, as in /users/7."],
    [
      ['/', '-d', '1', '-X', 'GET'],
      'A GET request has no body. Omit --data, or use another method.',
    ],
    [
      ['/', '-d', '@no.json'],
      "Cannot read the body: ENOENT: no such file or directory, open 'no.json'. Correct the path in --data.",
    ],
    [
      ['/', '-H', 'Accept'],
      "Cannot use the header 'Accept'. Write a name, a colon and a value, as in 'Accept: text/html'.",
    ],
    [
      ['/', '-H', 'a b: c'],
      "Cannot use the header 'a b: c'. Write a name, a colon and a value, as in 'Accept: text/html'.",
    ],
  ])('exits with 2 when it is wrong: %j', async (args, message) => {
    const { run } = await project();
    expect(await run('fetch', ...args)).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: ${message}\n`,
    });
  });
});
