import { codedWarningsOf } from '@fairlead/test-support/start-warnings';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describe as describeFunction } from '../src/extend.js';
import {
  type Application,
  content,
  createApp,
  createRouter,
  intended,
  json,
  type Middleware,
  type RouteOptions,
  raw,
  type StandardSchema,
  text,
  urlencoded,
} from '../src/index.js';

const handler = () => 'ok';
const pass = describeFunction<Middleware>((_ctx, next) => next(), { role: 'middleware' });

describe('a strict schema of headers', () => {
  const key = { 'x-key': z.string() };

  it.each<[string, StandardSchema]>([
    ['one object', z.strictObject(key)],
    ['one that JSON Schema cannot express', z.strictObject({ 'x-day': z.coerce.date() })],
    ['valibot', v.strictObject({ 'x-key': v.string() })],
    ['arktype', type({ '+': 'reject', 'x-key': 'string' })],
    ['an optional object', z.strictObject(key).optional()],
    ['alternatives', z.union([z.strictObject(key), z.strictObject({})])],
    ['an object that is converted', z.strictObject(key).transform(() => 1)],
  ])('of %s causes a warning', (_name, headers) => {
    expect(codedWarningsOf(createApp().get('/', { headers }, handler))).toEqual([
      'FAIRLEAD_INPUT: The schema of the headers accepts no others, but every request has others, such as Host: GET /. Accept them, as z.object() does, or pass the schema to intended().',
    ]);
  });

  it.each<[string, StandardSchema]>([
    ['it accepts others', z.object(key)],
    ['valibot accepts others', v.object({ 'x-key': v.string() })],
    ['one alternative does', z.union([z.strictObject(key), z.object({})])],
    ['it has all', z.strictObject({ host: z.string() }).catchall(z.string())],
    ['it is intended', intended(z.strictObject(key))],
  ])('causes none if %s', (_name, headers) => {
    expect(codedWarningsOf(createApp().get('/', { headers }, handler))).toEqual([]);
  });
});

describe('a strict schema of parameters', () => {
  const params = z.strictObject({ id: z.string() });
  const users = (options: RouteOptions = { params }) =>
    createRouter().get('/:id', options, handler);
  const message =
    "FAIRLEAD_INPUT: The schema of the path parameters accepts no 'tenant', which every request has: GET /:tenant/:id. Add it to the schema, as in z.strictObject({ tenant: z.string() }), accept other parameters, as z.object() does, or pass the schema to intended().";

  it('causes a warning below a prefix with another parameter', () => {
    expect(codedWarningsOf(createApp().route('/:tenant', users()))).toEqual([message]);
    expect(
      codedWarningsOf(createApp().route('/', createRouter().route('/:tenant', users()))),
    ).toEqual([message]);
    expect(codedWarningsOf(createApp().use('/:tenant', pass).route('/users', users()))).toEqual([
      message.replace('/:tenant/:id', '/users/:id'),
    ]);
    const inputs = [{ source: 'param', schema: params, required: true }] as const;
    expect(codedWarningsOf(createApp().route('/:tenant', users({ inputs })))).toEqual([message]);
  });

  it('causes none if it has all parameters, accepts others, or is intended', () => {
    const all = { params: z.strictObject({ tenant: z.string(), id: z.string() }) };
    const loose = { params: z.object({ id: z.string() }) };
    const marked = { params: intended(z.strictObject({ id: z.string() })) };
    expect(codedWarningsOf(createApp().route('/users', users()))).toEqual([]);
    for (const options of [all, loose, marked])
      expect(codedWarningsOf(createApp().route('/:tenant', users(options)))).toEqual([]);
  });
});

describe('a content() body', () => {
  const csv = () => content({ 'text/csv': z.string(), 'text/tab-separated-values': z.string() });
  const post = (...middleware: readonly Middleware[]) =>
    createApp()
      .use(pass, ...middleware)
      .post('/', { body: csv() }, handler);

  it.each<[string, readonly Middleware[]]>([
    ['no parser', []],
    ['a parser of another type', [json()]],
  ])('with %s causes a warning', (_name, parsers) => {
    expect(codedWarningsOf(post(...parsers))).toEqual([
      'FAIRLEAD_INPUT: No parser reads bodies of text/csv, text/tab-separated-values, so every request with one is a 415: POST /. Register text() before the handler, or pass the schema to intended().',
    ]);
  });

  it('of a range of JSON needs json()', () => {
    const body = content({ 'application/*+json': z.object({}) });
    expect(codedWarningsOf(createApp().post('/', { body }, urlencoded(), handler))).toEqual([
      expect.stringContaining('Register json() before the handler'),
    ]);
  });

  it('causes a warning if the range of a parser does not include its type', () => {
    const body = content('application/xml');
    const parser = raw({ type: 'application/*+xml' });
    expect(codedWarningsOf(createApp().post('/', { body }, parser, handler))).toEqual([
      expect.stringContaining('No parser reads bodies of application/xml'),
    ]);
  });

  it('causes a warning about the media types that no parser reads, although others have one', () => {
    const body = content({ 'application/json': z.object({}), 'text/csv': z.string() });
    const app = createApp().post('/', { body }, text({ type: 'text/csv' }), handler);
    expect(codedWarningsOf(app)).toEqual([
      'FAIRLEAD_INPUT: No parser reads bodies of application/json, so every request with one is a 415: POST /. Register json() before the handler, or pass the schema to intended().',
    ]);
    const both = createApp().post('/', { body }, json(), text({ type: 'text/csv' }), handler);
    expect(codedWarningsOf(both)).toEqual([]);
  });

  it.each([
    ['image/png', "raw({ type: 'image/png' })"],
    ['multipart/form-data', 'multipart()'],
    ['application/x-www-form-urlencoded', 'urlencoded()'],
  ] as const)('of %s needs %s', (type, fix) => {
    const body = content(Object.fromEntries([[type, {}]]) as Record<typeof type, object>);
    const app = createApp().put('/', { body }, handler);
    expect(codedWarningsOf(app)).toEqual([
      expect.stringContaining(`Register ${fix} before the handler`),
    ]);
  });

  it.each<[string, () => Application]>([
    ['a parser reads one of its types', () => post(text({ type: 'text/csv' }))],
    [
      'a parser reads its range',
      () =>
        createApp().post('/', { body: content('image/*') }, raw({ type: 'image/png' }), handler),
    ],
    [
      'it is JSON',
      () => createApp().post('/', { body: content({ 'application/hal+json': {} }) }, handler),
    ],
    [
      'it has a schema for any type',
      () => createApp().post('/', { body: content(z.string()) }, handler),
    ],
    ['other middleware may parse it', () => post((_ctx, next) => next())],
    ['a parser may read any type', () => post(raw({ type: () => true }))],
    ['it is intended', () => createApp().post('/', { body: intended(csv()) }, handler)],
  ])('causes none if %s', (_name, start) => {
    expect(codedWarningsOf(start())).toEqual([]);
  });
});

describe('invalidParams', () => {
  const invalidParams = 404;

  it('causes a warning if no schema validates the parameters', () => {
    expect(codedWarningsOf(createApp().get('/:id', { invalidParams }, handler))).toEqual([
      'FAIRLEAD_INPUT: invalidParams has no effect, because no schema validates the path parameters: GET /:id. Add a schema, as in params: z.object({ id: z.coerce.number() }), remove invalidParams, or pass the handler or the controller to intended().',
    ]);
  });

  it.each<[string, string, RouteOptions]>([
    ['there is one', '/:id', { params: z.object({ id: z.string() }) }],
    [
      'there is one of a parameter',
      '/:id',
      { inputs: [{ source: 'param', name: 'id', schema: z.string(), required: true }] },
    ],
    [
      'a required parameter may be missing',
      '/:id?',
      { inputs: [{ source: 'param', name: 'id', required: true }] },
    ],
    ['there are no parameters', '/', {}],
  ])('causes none if %s', (_name, path, options) => {
    expect(codedWarningsOf(createApp().get(path, { ...options, invalidParams }, handler))).toEqual(
      [],
    );
  });

  it('causes none if the handler is intended', () => {
    const app = createApp().get(
      '/:id',
      { invalidParams },
      intended(() => 'ok'),
    );
    expect(codedWarningsOf(app)).toEqual([]);
  });
});

describe('a schema of a whole input that describes no object', () => {
  it.each<[string, string, RouteOptions]>([
    ['query parameters', '/', { query: z.array(z.string()) }],
    ['query parameters', '/', { query: v.optional(v.string()) }],
    [
      'query parameters',
      '/',
      { inputs: [{ source: 'query', schema: type('string'), required: true }] },
    ],
    ['headers', '/', { headers: z.tuple([z.string()]) }],
    ['parameters', '/:id', { params: z.number() }],
  ])('is an error for all %s', (inputs, pattern, options) => {
    expect(() => createApp().get(pattern, options, handler).seal()).toThrow(
      `The schema of all ${inputs} describes no object, so it rejects every request: GET ${pattern}. Describe them by name, as in z.object({ id: … }).`,
    );
  });

  it.each<[string, RouteOptions]>([
    ['it describes an object, too', { query: z.union([z.object({}), z.array(z.string())]) }],
    ['a function receives it first', { query: z.preprocess(() => [], z.array(z.string())) }],
    ['it converts everything', { query: z.coerce.string() }],
    ['it is unknown', { query: z.custom(() => true) }],
  ])('is none if %s', (_, options) => {
    expect(codedWarningsOf(createApp().get('/', options, handler))).toEqual([]);
  });
});

describe('a schema of all values of a query parameter', () => {
  const input = (schema: StandardSchema): RouteOptions => ({
    inputs: [{ source: 'query', name: 'ids', schema, required: true, all: true }],
  });

  it.each([z.number(), z.enum(['a']), v.optional(v.string()), z.object({})])(
    'is an error if it accepts no list: %#',
    (schema) => {
      expect(() => createApp().get('/', input(schema), handler).seal()).toThrow(
        "The query parameter 'ids' is the list of all its values, but its schema accepts no list: GET /. Describe the list, as in z.array(…), or omit the option all.",
      );
    },
  );

  it.each([
    z.array(z.number()),
    z.string().or(z.array(z.string())),
    z.coerce.number(),
    z.preprocess(String, z.string()),
    z.set(z.string()),
    z.any(),
  ])('is none if it may accept one: %#', (schema) => {
    expect(codedWarningsOf(createApp().get('/', input(schema), handler))).toEqual([]);
  });
});

describe('a schema of a body that rejects what the parsers provide', () => {
  const parse = (value: unknown): unknown => JSON.parse(String(value));
  const lines = z.object({ lines: z.array(z.object({ sku: z.string() })) });
  const end = 'or pass the schema to intended().';

  it.each<[string, StandardSchema, Middleware, string]>([
    [
      'text()',
      z.object({ id: z.string() }),
      text(),
      `The only parser is text(), whose text the schema of the body rejects: POST /. Register json() as well, or text() only on the routes that read text, ${end}`,
    ],
    [
      'urlencoded()',
      lines,
      urlencoded(),
      `The member 'lines' of the body is a list of objects, which the form that urlencoded() reads cannot carry: POST /. Register json() as well, ${end}`,
    ],
    [
      'urlencoded(), of nested objects',
      v.object({ a: v.object({ b: v.object({ c: v.string() }) }) }),
      urlencoded(),
      `The member 'a[b]' of the body is an object within an object, which the form that urlencoded() reads cannot carry: POST /. Register json() as well, ${end}`,
    ],
    [
      'json(), of files',
      z.object({ photo: z.file(), more: z.array(z.file()).optional() }),
      json(),
      `The schema of the body demands a File or a Blob as 'photo' and 'more', but no parser provides one: POST /. Remove the schema, and let the rules of multipart() check the form, ${end}`,
    ],
  ])('causes a warning for %s', (_, body, parser, message) => {
    expect(codedWarningsOf(createApp().post('/', { body }, parser, handler))).toEqual([
      `FAIRLEAD_INPUT: ${message}`,
    ]);
    expect(
      codedWarningsOf(createApp().post('/', { body: intended(body) }, parser, handler)),
    ).toEqual([]);
  });

  it.each<[string, StandardSchema, readonly Middleware[]]>([
    ['text() provides a text', z.string(), [text()]],
    ['a transform parses the text', z.string().transform(parse), [text()]],
    ['a function parses the text', z.preprocess(parse, z.object({})), [text()]],
    ['another parser reads objects', z.object({}), [text(), json()]],
    ['an unknown function may set the body', lines, [urlencoded(), (_ctx, next) => next()]],
    ['json() reads lists of objects', lines, [urlencoded(), json()]],
    ['a form has objects', z.object({ a: z.object({ b: z.array(z.string()) }) }), [urlencoded()]],
    ['a part may be something else', z.object({ photo: z.file().or(z.string()) }), [json()]],
    ['no parser is registered', lines, []],
  ])('causes none if %s', (_, body, parsers) => {
    const app = createApp();
    for (const parser of parsers) app.use(parser);
    expect(codedWarningsOf(app.post('/', { body }, handler))).toEqual([]);
  });
});

describe('a boolean that any text makes true', () => {
  const message = (label: string, pattern: string) =>
    `FAIRLEAD_INPUT: The ${label} is true for texts such as '0' and 'no', because its schema calls Boolean(): GET ${pattern}. Use z.boolean(), which receives what the text spells, or pass the schema to intended().`;

  it('causes a warning for a query, a parameter or a header', () => {
    const all = z.coerce.boolean();
    const app = createApp()
      .get('/', { query: z.object({ all: all.default(false) }) }, handler)
      .get('/filter', { query: z.object({ filter: z.object({ all }) }) }, handler)
      .get('/of/:all', { params: z.object({ all }) }, handler)
      .get('/head', { headers: z.object({ 'x-all': all.optional() }) }, handler);
    expect(codedWarningsOf(app)).toEqual([
      message("query parameter 'all'", '/'),
      message("query parameter 'filter[all]'", '/filter'),
      message("parameter 'all'", '/of/:all'),
      message("header 'x-all'", '/head'),
    ]);
  });

  it.each<[string, StandardSchema]>([
    ['the text spells it', z.object({ all: z.boolean() })],
    ['other texts are false', z.object({ all: z.boolean().catch(false) })],
    ['a text is one of its values', z.object({ all: z.union([z.coerce.boolean(), z.string()]) })],
    [
      'a function reads it first',
      z.object({ all: z.preprocess((text) => text === '1', z.coerce.boolean()) }),
    ],
    ['it is intended', intended(z.object({ all: z.coerce.boolean() }))],
  ])('causes none if %s', (_name, query) => {
    expect(codedWarningsOf(createApp().get('/', { query }, handler))).toEqual([]);
  });
});
