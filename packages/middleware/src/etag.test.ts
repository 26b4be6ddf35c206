import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createApp, PreconditionFailedError } from '@fairlead/core';
import { createDocument, openapi } from '@fairlead/openapi';
import { errorOf, setupError } from '@fairlead/test-support/option-tests';
import { describe, expect, it } from 'vitest';
import { etag, requireMatch } from './etag.js';

describe('etag()', () => {
  const app = createApp().use(etag(), (ctx) => {
    if (ctx.path === '/dated') ctx.set('Last-Modified', 'Wed, 21 Oct 2026 07:28:00 GMT');
    if (ctx.path === '/created') ctx.status = 201;
    ctx.json({ path: ctx.path });
  });
  const get = (path: string, headers = {}, method = 'GET') =>
    app.request(path, { method, headers });

  it("adds the ETag of the response's bytes", async () => {
    const [one, again, other] = await Promise.all([get('/a'), get('/a'), get('/b')]);
    expect(one.headers.get('ETag')).toMatch(/^"[\w-]{27}"$/);
    expect(again.headers.get('ETag')).toBe(one.headers.get('ETag'));
    expect(other.headers.get('ETag')).not.toBe(one.headers.get('ETag'));
  });

  it.each(['GET', 'HEAD', 'QUERY'])(
    "responds with 304 to a %s when the client's copy is current",
    async (method) => {
      const tag = (await get('/a')).headers.get('ETag');
      const response = await get('/a', { 'If-None-Match': `"x", W/${tag}` }, method);
      expect(response.status).toBe(304);
      expect(response.headers.get('ETag')).toBe(tag);
      expect(response.headers.get('Content-Length')).toBeNull();
      expect(await response.text()).toBe('');
    },
  );

  it('sends a changed response completely', async () => {
    expect((await get('/a', { 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('uses If-Modified-Since only without If-None-Match', async () => {
    const since = { 'If-Modified-Since': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    expect((await get('/dated', since)).status).toBe(304);
    expect((await get('/dated', { ...since, 'If-None-Match': '"x"' })).status).toBe(200);
    const before = { 'If-Modified-Since': 'Wed, 21 Oct 2026 07:27:59 GMT' };
    expect((await get('/dated', before)).status).toBe(200);
    expect((await get('/a', since)).status).toBe(200);
  });

  it('uses If-Modified-Since of a QUERY', async () => {
    const since = { 'If-Modified-Since': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    expect((await get('/dated', since, 'QUERY')).status).toBe(304);
  });

  it('does not tag the missing content of a HEAD', async () => {
    const app = createApp()
      .use(etag())
      .mount('/files', ({ method }) => new Response(method === 'HEAD' ? null : 'content'));
    const response = await app.request('/files/a', {
      method: 'HEAD',
      headers: { 'If-None-Match': `"${createHash('sha1').update('').digest('base64url')}"` },
    });
    expect([response.status, response.headers.get('ETag')]).toEqual([200, null]);
  });

  it('ignores other statuses and methods', async () => {
    expect((await get('/created')).headers.get('ETag')).toBeNull();
    expect((await get('/a', { 'If-None-Match': '*' }, 'POST')).status).toBe(200);
  });

  it('has no options', async () => {
    const message = "etag() has no option 'weak'. Remove it.";
    expect(await errorOf(etag, { weak: true })).toEqual(setupError('INVALID_OPTION', message));
  });

  it('keeps the 304 of a route', async () => {
    const app = createApp().use(etag(), (_ctx, next) => next());
    await app.plugin(openapi({ info: { title: 'Users', version: '1' }, docs: false }));
    const tag = (await app.request('/openapi.json')).headers.get('ETag') ?? '';
    const response = await app.request('/openapi.json', { headers: { 'If-None-Match': tag } });

    expect(response.status).toBe(304);
    expect(response.headers.get('ETag')).toBe(tag);
    expect(await response.text()).toBe('');
  });
});

it.each(['get', 'query'] as const)('a document has its header and its 304 for %s', (method) => {
  const app = createApp()[method]('/', etag(), () => 'found');
  const { paths } = createDocument(app, { info: { title: 'A', version: '1' }, version: '3.2' });
  expect(paths['/']?.[method]).toMatchObject({
    responses: { 200: { headers: { ETag: {} } }, 304: { headers: { ETag: {} } } },
  });
});

it.each(['*', '"x"'])('an unhandled request with If-None-Match %s stays a 404', async (tags) => {
  const app = createApp().use(etag());
  const response = await app.request('/nowhere', { headers: { 'If-None-Match': tags } });
  expect(response.status).toBe(404);
  expect(response.headers.get('ETag')).toBeNull();
});

describe("a handler's own ETag", () => {
  const own = 'W/"version 7"';
  const app = createApp().use(etag(), (ctx) => {
    ctx.set('ETag', own);
    ctx.send(ctx.path === '/stream' ? Readable.from(['bytes']) : 'bytes');
  });

  it.each(['/text', '/stream'])('is kept for %s', async (path) => {
    const answer = await app.request(path);
    expect([answer.status, answer.headers.get('ETag')]).toEqual([200, own]);
    expect(await answer.text()).toBe('bytes');
  });

  it.each([
    ['/text', own],
    ['/text', '"version 7"'],
    ['/stream', `"version 6", ${own}`],
  ])('answers 304 to %s with If-None-Match: %s', async (path, tags) => {
    const answer = await app.request(path, { headers: { 'If-None-Match': tags } });
    expect([answer.status, answer.headers.get('ETag')]).toEqual([304, own]);
  });

  it('is the only one compared: a tag of the bytes does not match', async () => {
    const plain = await createApp()
      .use(etag(), (ctx) => ctx.send('bytes'))
      .request('/text');
    const headers = { 'If-None-Match': String(plain.headers.get('ETag')) };
    expect((await app.request('/text', { headers })).status).toBe(200);
  });
});

it('any copy is current for If-None-Match: *', async () => {
  const app = createApp().use(etag(), (ctx) => ctx.send('bytes'));
  const response = await app.request('/', { headers: { 'If-None-Match': '*' } });
  expect(response.status).toBe(304);
});

describe('etag() of one route', () => {
  const app = createApp().get('/', etag(), (ctx) => {
    ctx.set('ETag', '"7"');
    return { id: 7 };
  });

  it.each([
    ['"7"', 304],
    ['W/"7"', 304],
    ['"6", "7"', 304],
    [', "6" ,, W/"7"', 304],
    ['*', 304],
    ['"6"', 200],
    ['"6,7"', 200],
    ['', 200],
    ['7', 200],
    ['"6" "7"', 200],
    ['"7', 200],
    ['"7", *', 200],
  ])('responds to If-None-Match: %s with %i', async (tags, status) => {
    const response = await app.request('/', { headers: { 'If-None-Match': tags } });
    expect([response.status, response.headers.get('ETag')]).toEqual([status, '"7"']);
    expect(await response.text()).toBe(status === 304 ? '' : '{"id":7}');
  });
});

describe('requireMatch()', () => {
  const put = async (etag: string | undefined, headers: Record<string, string>) => {
    const app = createApp().put('/', (ctx) => {
      requireMatch(ctx, etag);
      return 'changed';
    });
    return app.request('/', { method: 'PUT', headers });
  };

  it.each([
    ['"7"', '"7"'],
    ['"7"', '"6", "7"'],
    ['"7"', ',"6" ,\t"7",'],
    ['"a, b"', '"x", "a, b"'],
    ['"7"', '*'],
    ['W/"7"', '*'],
  ])('for %s allows If-Match: %s', async (etag, tags) => {
    expect((await put(etag, { 'If-Match': tags })).status).toBe(200);
  });

  it.each([['"7"'], [undefined]])('for %s allows a request without If-Match', async (etag) => {
    expect((await put(etag, {})).status).toBe(200);
  });

  it('demands If-Match with `required`, if the resource exists', async () => {
    const app = createApp().put('/:tag', (ctx) => {
      const tags: Readonly<Record<string, string>> = { seven: '"7"' };
      requireMatch(ctx, tags[ctx.params.tag], { required: true });
      return 'changed';
    });
    const send = (path: string, headers = {}) => app.request(path, { method: 'PUT', headers });
    const response = await send('/seven');
    expect(response.status).toBe(428);
    expect(await response.json()).toMatchObject({
      code: 'PRECONDITION_REQUIRED',
      detail:
        'The request lacks If-Match. Read the resource, and send its current ETag as If-Match.',
    });
    expect((await send('/seven', { 'If-Match': '"7"' })).status).toBe(200);
    expect((await send('/seven', { 'If-Match': '"6"' })).status).toBe(412);
    expect((await send('/none')).status).toBe(200);
  });

  it.each([
    [undefined, '*', 200],
    [undefined, '"7"', 200],
    [undefined, '7', 200],
    ['"7"', '"6"', 200],
    ['"7"', '*', 412],
    ['W/"7"', '*', 412],
    ['"7"', '"6", "7"', 412],
    ['"7"', 'W/"7"', 412],
    ['"7"', '7', 412],
    ['"7"', '"6", *', 412],
  ])('for %s responds to If-None-Match: %s with %d', async (etag, tags, status) => {
    expect((await put(etag, { 'If-None-Match': tags })).status).toBe(status);
  });

  it('refuses to replace what exists with If-None-Match: *, and says so', async () => {
    expect(await (await put('"7"', { 'If-None-Match': '*' })).json()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      detail:
        'The resource exists, and If-None-Match: * only creates it. Use another one, or send its current ETag as If-Match.',
    });
  });

  it.each(['GET', 'HEAD', 'QUERY'])('ignores If-None-Match of %s', async (method) => {
    const app = createApp().all('/', (ctx) => {
      requireMatch(ctx, '"7"');
      return 'read';
    });
    const headers = { 'If-None-Match': '"7"', 'Content-Type': 'text/plain' };
    expect((await app.request('/', { method, headers })).status).toBe(200);
  });

  it('still requires If-Match with an If-None-Match that matches nothing', async () => {
    const app = createApp().put('/', (ctx) => requireMatch(ctx, '"7"', { required: true }));
    const headers = { 'If-None-Match': '"6"' };
    expect((await app.request('/', { method: 'PUT', headers })).status).toBe(428);
  });

  it('refuses unknown options', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).put('/', (ctx) =>
      requireMatch(ctx, '"7"', JSON.parse('{ "require": true }')),
    );
    expect((await app.request('/', { method: 'PUT' })).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: "requireMatch() has no option 'require'. Did you mean 'required'?",
      }),
    ]);
  });

  it.each([
    ['"7"', '"6"'],
    ['"7"', 'W/"6"'],
    ['W/"7"', '"6"'],
    ['"7"', ''],
    ['"7"', '7'],
    ['"7"', 'w/"7"'],
    ['"7"', '"7'],
    ['"7"', '"7" "6"'],
    ['"7"', '"7", *'],
    ['"7"', '"6,"7""'],
    [undefined, '*'],
    [undefined, '"7"'],
  ])('for %s refuses If-Match: %s', async (etag, tags) => {
    const response = await put(etag, { 'If-Match': tags });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      detail: 'The resource does not match If-Match. Read it again, and send its current ETag.',
    });
  });

  it.each([
    ['"7"', 'W/"7"'],
    ['"7"', 'W/"6", W/"7"'],
    ['W/"7"', 'W/"7"'],
    ['W/"7"', '"7"'],
  ])('for %s explains why If-Match: %s does not match', async (etag, tags) => {
    const response = await put(etag, { 'If-Match': tags });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      detail:
        'If-Match never matches a weak ETag, such as W/"7". A proxy or compression() may have made it weak. Read the resource again without compression, and send its strong ETag.',
    });
  });

  it.each([
    ['7', "'7'"],
    ['', "''"],
    ['"7', `'"7'`],
    ['"7" "8"', `'"7" "8"'`],
    ['w/"7"', `'w/"7"'`],
    [7, '7'],
    [null, 'null'],
  ])('rejects %s, which is not an entity tag, with and without If-Match', async (etag, named) => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).put('/', (ctx) => {
      requireMatch(ctx, etag as string);
      return 'changed';
    });
    for (const headers of [{}, { 'If-Match': '"7"' }, { 'If-Match': '*' }]) {
      const response = await app.request('/', { method: 'PUT', headers });
      expect(response.status).toBe(500);
      expect(errors.pop()).toMatchObject({
        name: 'TypeError',
        message: `requireMatch() received ${named} instead of an entity tag. Pass text in double quotes, such as '"7"' or 'W/"7"', or undefined if the resource does not exist.`,
      });
    }
  });

  it('throws a PreconditionFailedError', () => {
    expect(new PreconditionFailedError()).toMatchObject({
      status: 412,
      code: 'PRECONDITION_FAILED',
      expose: true,
    });
  });
});
