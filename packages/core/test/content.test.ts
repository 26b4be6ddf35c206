import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contentOf } from '../src/extend.js';
import {
  type Context,
  content,
  createApp,
  json,
  type MediaTypes,
  type ResponseSchemas,
  raw,
  type StandardSchema,
  text,
  urlencoded,
} from '../src/index.js';
import { start } from './support/start.js';

const User = z.object({ name: z.string() });

/** Sends what a handler returns from a route with these responses. */
async function send(
  response: ResponseSchemas,
  handler: (ctx: Context) => unknown,
  options: { readonly checkResponses?: boolean } = {},
) {
  const app = createApp({ onError: () => undefined, ...options });
  app.on('GET', '/', { response } as object, (ctx: Context) => handler(ctx));
  const sent = await app.request('/');
  return {
    status: sent.status,
    type: sent.headers.get('Content-Type'),
    text: await sent.text(),
  };
}

describe('what a handler of a route with media types returns', () => {
  const table = content({ 'application/json': User, 'text/csv': z.string() });

  it.each<[string, ResponseSchemas, (ctx: Context) => unknown, string, string]>([
    [
      'text is sent as the media type',
      content('text/csv'),
      () => 'name\nAda\n',
      'text/csv; charset=utf-8',
      'name\nAda\n',
    ],
    [
      'text in Unicode is sent as UTF-8',
      content({ 'text/markdown': z.string() }),
      async () => '# Ada ♥',
      'text/markdown; charset=utf-8',
      '# Ada ♥',
    ],
    [
      'bytes are sent as the media type',
      { 200: content('image/png') },
      () => new Uint8Array([97, 98]),
      'image/png',
      'ab',
    ],
    [
      'a stream is sent as the media type',
      content('application/jsonl'),
      () => Readable.from(['1\n', '2\n']),
      'application/jsonl',
      '1\n2\n',
    ],
    [
      'a Blob keeps its type',
      content('image/*'),
      () => new Blob(['a'], { type: 'image/gif' }),
      'image/gif',
      'a',
    ],
    [
      'a web Response keeps its type',
      content('text/csv'),
      () => new Response('a', { headers: { 'Content-Type': 'text/plain' } }),
      'text/plain',
      'a',
    ],
    [
      'an object is JSON if one of the media types is',
      table,
      () => ({ name: 'Ada' }),
      'application/json; charset=utf-8',
      '{"name":"Ada"}',
    ],
    [
      'text is sent as the media type that is not JSON',
      table,
      () => 'name\n',
      'text/csv; charset=utf-8',
      'name\n',
    ],
    [
      'JSON of another media type has that type',
      content({ 'application/problem+json': User }),
      () => ({ name: 'Ada' }),
      'application/problem+json',
      '{"name":"Ada"}',
    ],
    [
      'text of a type that is only JSON is JSON',
      content({ 'application/vnd.api+json': z.string() }),
      () => 'Ada',
      'application/vnd.api+json',
      '"Ada"',
    ],
    [
      'Content-Type of the handler takes precedence',
      table,
      (ctx) => {
        ctx.set('Content-Type', 'text/tab-separated-values');
        return 'name\t';
      },
      'text/tab-separated-values; charset=utf-8',
      'name\t',
    ],
    [
      'what the handler sends through ctx stays',
      content('image/png'),
      (ctx) => {
        ctx.html('<p>');
        return undefined;
      },
      'text/html; charset=utf-8',
      '<p>',
    ],
    [
      'a schema with details is still a schema',
      content(User, { description: 'Somebody.' }),
      () => ({ name: 'Ada', secret: 1 }),
      'application/json; charset=utf-8',
      '{"name":"Ada"}',
    ],
  ])('%s', async (_, response, handler, type, body) => {
    expect(await send(response, handler)).toEqual({ status: 200, type, text: body });
  });

  it('removes from JSON what its schema does not describe', async () => {
    const { text: body } = await send(table, () => ({ name: 'Ada', secret: 1 }));

    expect(body).toBe('{"name":"Ada"}');
  });

  it('is checked if it is JSON', async () => {
    const checked = { checkResponses: true };

    expect(await send(table, () => ({ name: 1 }), checked)).toMatchObject({ status: 500 });
    expect(await send(table, () => 'name\n', checked)).toMatchObject({ status: 200 });
  });

  it('depends on the status', async () => {
    const response = { 200: content('text/csv'), 202: User };
    const accept = (ctx: Context) => {
      ctx.status = 202;
      return { name: 'Ada' };
    };

    expect(await send(response, () => 'a')).toMatchObject({ type: 'text/csv; charset=utf-8' });
    expect(await send(response, accept)).toMatchObject({ status: 202, text: '{"name":"Ada"}' });
  });

  it('must not be empty, unless the response has no body', async () => {
    const none = { 204: content(null, { description: 'Deleted.' }) };

    expect(await send(content('image/png'), () => undefined)).toMatchObject({ status: 500 });
    expect(await send(none, () => undefined)).toMatchObject({ status: 204, text: '' });
  });

  it('does not change the type of an error', async () => {
    const failed = await send(content('text/csv'), () => {
      throw new Error('failed');
    });

    expect(failed).toMatchObject({ status: 500, type: 'application/problem+json' });
  });

  it('determines the default status', async () => {
    const created = { 201: content(User, { headers: { Location: 'The new user.' } }) };

    expect(await send(created, () => ({ name: 'Ada' }))).toMatchObject({ status: 201 });
  });
});

it('a web Response keeps its type, or the absence of one, whatever a route describes', async () => {
  const app = createApp()
    .get('/none', { response: content('text/csv') }, () => new Response(Buffer.from('a')))
    .get('/own', { response: content('text/csv') }, () => new Response('a'));
  const types = await Promise.all(
    ['/none', '/own'].map(async (path) => (await app.request(path)).headers.get('Content-Type')),
  );
  expect(types).toEqual([null, 'text/plain;charset=UTF-8']);
});

describe('a body with media types', () => {
  const body = content({
    'application/json': z.object({ age: z.number() }),
    'application/x-www-form-urlencoded': z.object({ age: z.coerce.number() }),
    'text/plain': z
      .string()
      .min(1)
      .transform((name) => ({ age: name.length })),
    'application/octet-stream': {},
  });
  const app = createApp({ onError: () => undefined })
    .use(json(), urlencoded(), text(), raw())
    .post('/', { body }, (ctx) => ({ received: ctx.body }));
  const post = async (type: string, sent: string) => {
    const headers = { 'Content-Type': type };
    const response = await app.request('/', { method: 'POST', headers, body: sent });
    const received: unknown = await response.json();
    return { status: response.status, accept: response.headers.get('Accept'), ...Object(received) };
  };

  it.each([
    ['application/json', '{"age":7}', { age: 7 }],
    ['application/merge-patch+json', '{"age":7}', { age: 7 }],
    ['application/x-www-form-urlencoded; charset=utf-8', 'age=7', { age: 7 }],
    ['text/plain', 'Ada', { age: 3 }],
    ['application/octet-stream', 'a', { type: 'Buffer', data: [97] }],
  ])('is validated by the schema of %s', async (type, sent, received) => {
    expect(await post(type, sent)).toMatchObject({ status: 200, received });
  });

  it('is rejected by the schema of its media type', async () => {
    expect(await post('application/json', '{"age":"7"}')).toMatchObject({
      status: 400,
      issues: [{ source: 'body', path: ['body', 'age'] }],
    });
  });

  it.each([
    ['that a parser has read', 'text/csv'],
    ['that nothing reads', 'image/png'],
  ])('of another type %s is a 415 with the accepted types', async (_, type) => {
    const accepted =
      'application/json, application/x-www-form-urlencoded, text/plain, application/octet-stream';

    expect(await post(type, 'a')).toMatchObject({
      status: 415,
      accept: accepted,
      detail: expect.stringContaining(`has the type ${type}`),
    });
  });

  it('that is missing is rejected by the schema of JSON', async () => {
    const response = await app.request('/', { method: 'POST' });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ issues: [{ path: ['body'] }] });
  });

  it('matches ranges', async () => {
    const anyText = content({ 'text/*': z.string(), '*/*': {} });
    const lines = createApp()
      .use(text(), raw({ type: '*/*' }))
      .post('/', { body: anyText }, (ctx) => ({ isText: typeof ctx.body === 'string' }));
    const isText = async (type: string) => {
      const init = { method: 'POST', headers: { 'Content-Type': type }, body: 'a' };
      return (await lines.request('/', init)).json();
    };

    expect(await isText('text/csv')).toEqual({ isText: true });
    expect(await isText('image/png')).toEqual({ isText: false });
  });

  it('may have one schema for all media types of its parsers', async () => {
    const users = createApp()
      .use(json(), urlencoded())
      .post('/', { body: content(User, { example: { name: 'Ada' } }) }, (ctx) => ctx.body);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await users.request('/', { method: 'POST', headers, body: 'name=Ada' });

    expect(await response.json()).toEqual({ name: 'Ada' });
  });
});

describe('contentOf()', () => {
  const ada = { name: 'Ada' };
  const examples = { ada: { value: ada } };

  it.each<[string, StandardSchema, object]>([
    ['a schema', content(User), { schema: User, type: undefined, isSequence: false }],
    ['a media type', content('image/PNG'), { schema: {}, type: 'image/png', isSequence: false }],
    [
      'a sequence',
      content({ 'application/jsonl': User }),
      { schema: User, type: 'application/jsonl', isSequence: true },
    ],
    [
      'an example',
      content(User, { example: ada }),
      { schema: User, type: undefined, isSequence: false, example: ada },
    ],
    [
      'examples',
      content('text/csv', { examples }),
      { schema: {}, type: 'text/csv', isSequence: false, examples },
    ],
    [
      'an example of a media type',
      content({ 'text/csv': { schema: User, example: null } }),
      { schema: User, type: 'text/csv', isSequence: false, example: null },
    ],
  ])('returns what a tool needs to know about %s', (_, described, mediaType) => {
    expect(contentOf(described)).toStrictEqual({ mediaTypes: [mediaType] });
  });

  it('returns what all media types share, and nothing for another schema', () => {
    const shared = { description: 'Users', headers: { ETag: 'Version' }, extensions: { 'x-a': 1 } };
    expect(contentOf(content(null, shared))).toStrictEqual({ ...shared, mediaTypes: [] });
    expect([contentOf(User), contentOf(undefined)]).toEqual([undefined, undefined]);
  });
});

it('as a schema, content() is that of JSON, or else that of its first media type', async () => {
  const types = { 'text/csv': z.string(), 'application/problem+json': User };
  const results = [
    content(types),
    content({ 'text/csv': z.string(), 'image/*': User }),
    content({ 'application/jsonl': User }),
    content('image/png'),
  ].map((schema) => {
    const { vendor, validate } = schema['~standard'];
    return [vendor, validate({ name: 'Ada' }), validate('a'), validate(undefined)].map((result) =>
      typeof result === 'object' && 'issues' in result ? 'issues' : result,
    );
  });
  const [user, text] = [{ value: { name: 'Ada' } }, { value: 'a' }];
  expect(results).toEqual([
    ['zod', user, 'issues', 'issues'],
    ['zod', 'issues', text, 'issues'],
    ['fairlead', user, text, 'issues'],
    ['fairlead', user, text, 'issues'],
  ]);
});

describe('content()', () => {
  it.each<[string, unknown, unknown, string]>([
    [
      'a number',
      7,
      {},
      "content() cannot use 7. Pass a schema, a media type such as 'image/png', schemas by media type, or null.",
    ],
    [
      'a media type without a slash',
      'png',
      {},
      "content() cannot use 'png' as a media type. Use a type without parameters, such as 'text/csv', or a range, such as 'image/*'.",
    ],
    [
      'a media type with parameters',
      { 'text/csv; charset=utf-8': {} },
      {},
      "content() cannot use 'text/csv; charset=utf-8' as a media type. Use a type without parameters, such as 'text/csv', or a range, such as 'image/*'.",
    ],
    [
      'a media type without a schema',
      { 'text/csv': true },
      {},
      "content() cannot use true as the schema of 'text/csv'. Use a Standard Schema, a JSON Schema, or {} for none.",
    ],
    [
      'a media type with an array of schemas',
      { 'text/csv': { schema: [User] } },
      {},
      "content() with 'text/csv' cannot use an array as a schema. Use the array of your schema library, such as z.array(Book.schema).",
    ],
    [
      'a misspelled detail',
      User,
      { descripton: 'Somebody.' },
      "content() has no option 'descripton'. Did you mean 'description'?",
    ],
    [
      'a misspelled detail of a media type',
      { 'text/csv': { schema: User, exampel: '' } },
      {},
      "content() with 'text/csv' has no option 'exampel'. Did you mean 'example'?",
    ],
    [
      'an extension without x-',
      User,
      { extensions: { internal: true } },
      "extensions of content() must be an object whose names start with x-, such as { 'x-internal': true }: got an object.",
    ],
    [
      'examples without values',
      User,
      { examples: { ada: { value: 1 }, bob: { summary: 'Bob' } } },
      "examples of content() must be an object such as { ada: { value: { name: 'Ada' } } }: got an object.",
    ],
    [
      'an example of no object',
      User,
      { examples: { ada: 'Ada' } },
      "examples of content() must be an object such as { ada: { value: { name: 'Ada' } } }: got an object.",
    ],
    [
      'a list of headers',
      User,
      { headers: ['Location'] },
      "headers of content() must be an object such as { Location: 'The URL of the new user.' }: got ['Location'].",
    ],
    [
      'a header without a description',
      User,
      { headers: { Location: 7, ETag: 'Version' } },
      "headers of content() must be an object such as { Location: 'The URL of the new user.' }: got an object.",
    ],
    [
      'an example of two media types',
      { 'text/csv': {}, 'image/png': {} },
      { example: 'a,b' },
      'content() cannot tell which media type its example belongs to. Pass { schema, example } as the value of that media type.',
    ],
  ])('refuses %s', (_, described, details, message) => {
    expect(() => content(described as MediaTypes, details as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message }),
    );
  });

  it.each<[string, object]>([
    ['all statuses', { 'text/csv': z.string() }],
    ['one status', { 200: { 'text/csv': {} } }],
  ])('is necessary for the media types of %s', (_, response) => {
    const message =
      "app.get('/') cannot use media types as response. Pass them through content(), as in content({ 'text/csv': … }).";

    expect(() => start(createApp().on('GET', '/', { response } as object, () => 'a'))).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message.slice(12)),
      }),
    );
  });

  it('is not necessary for a JSON Schema whose members have slashes in their names', () => {
    const response = { type: 'object', properties: { 'a/b': { type: 'string' } } };

    expect(() => start(createApp().get('/', { response }, () => ({ 'a/b': '' })))).not.toThrow();
  });

  it.each<[string, StandardSchema, string]>([
    [
      'a JSON Schema, which validates nothing',
      content({ 'application/json': { type: 'object' } }),
      "content() cannot validate request bodies with the JSON Schema of 'application/json'. Use a Standard Schema, or {} to accept any body.",
    ],
    [
      'no media type',
      content(null),
      'content(null) describes no body. Pass a schema, or omit the body.',
    ],
  ])('cannot describe a request body with %s', (_, body, message) => {
    expect(() => start(createApp().post('/', { body }, () => 'ok'))).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
  });
});
