import { describe, expect, it } from 'vitest';
import { linesOf, type Members, postOf } from '../../test/support/contract.js';

const text = { type: 'string' };
const integer = { type: 'integer' };
const ok = { responses: { 200: { description: 'OK' } } };

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const withParameter = (parameter: Members, schema: object = text) =>
  postOf({ ...ok, parameters: [{ name: 'q', in: 'query', schema, ...parameter }] });
const withBody = (requestBody: Members) => postOf({ ...ok, requestBody });
const withResponses = (responses: Members) => postOf({ responses });
const withHeader = (header: Members) =>
  withResponses({ 200: { headers: { 'X-Total': { schema: text, ...header } } } });
const withPath = (path: string, operation: Members = ok) => ({
  paths: { [path]: { get: operation } },
});

const FORM = 'application/x-www-form-urlencoded';
const deep = { style: 'deepObject', explode: true };
const members = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});

const withRest = (others: Members) =>
  withPath('/a/{b}', {
    ...ok,
    parameters: [{ name: 'b', in: 'path', required: true, schema: text, ...others }],
  });

/** A document with an error that lists its codes. */
const withCodes = (codes: readonly string[] | undefined) => {
  const code = codes === undefined ? text : { enum: codes };
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }], properties: { code } };
  const problem = {
    type: 'object',
    properties: { code: text, status: integer },
    required: ['code'],
  };
  return postOf(
    { responses: { 409: { content: { 'application/problem+json': { schema } } } } },
    { components: { schemas: { Problem: problem } } },
  );
};

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
};
const withSecurity = (security: readonly object[], securitySchemes: object = SCHEMES) =>
  postOf({ ...ok, security }, { components: { securitySchemes } });

type Row = readonly [name: string, before: Members, after: Members, lines: readonly string[]];

describe('a comparison of documents', () => {
  it.each<Row>([
    [
      'operations',
      { paths: { '/a': { get: ok, post: ok } } },
      { paths: { '/a': { get: ok, put: ok } } },
      ['breaking POST /a is gone, without a deprecation', 'safe PUT /a is new'],
    ],
    [
      'an operation that another path may match',
      { paths: { '/a/b': { get: ok }, '/a/{id}': { get: ok } } },
      withPath('/a/{id}'),
      ['maybe GET /a/b is gone: GET /a/{id} may respond instead'],
    ],
    [
      'the slash at the end of a path, which many servers ignore',
      withPath('/a'),
      withPath('/a/'),
      ['maybe GET /a is gone: GET /a/ may respond instead', 'safe GET /a/ is new'],
    ],
    [
      'a path that ends where another one has a parameter, which is never empty',
      { paths: { '/a/': { get: ok }, '/a/{id}': { get: ok } } },
      withPath('/a/{id}'),
      ['breaking GET /a/ is gone, without a deprecation'],
    ],
    [
      'the name of a path parameter',
      withPath('/a/{id}', { ...ok, parameters: [{ name: 'id', in: 'path', schema: text }] }),
      withPath('/a/{key}', { ...ok, parameters: [{ name: 'key', in: 'path', schema: text }] }),
      ['safe GET /a/{key} path parameter "key": had the name "id"'],
    ],
    [
      'a deprecation',
      withPath('/a'),
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2027-01-01' }),
      ['safe GET /a is deprecated now, with its sunset on 2027-01-01'],
    ],
    [
      'an earlier sunset',
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2027-01-01' }),
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2026-12-01' }),
      ['maybe GET /a has its sunset on 2026-12-01 now, was 2027-01-01'],
    ],
    [
      'a later sunset',
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2027-01-01' }),
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2027-12-01' }),
      ['safe GET /a has its sunset on 2027-12-01 now, was 2027-01-01'],
    ],
    [
      'an operation that is gone before its sunset',
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2026-07-01' }),
      {},
      ['breaking GET /a is gone, before its sunset on 2026-07-01'],
    ],
    [
      'an operation that is gone after its sunset',
      withPath('/a', { ...ok, deprecated: true, 'x-sunset': '2026-06-30' }),
      {},
      ['safe GET /a is gone, after its sunset on 2026-06-30'],
    ],
    [
      'a deprecated operation without a sunset',
      withPath('/a', { ...ok, deprecated: true }),
      {},
      ['breaking GET /a is gone, deprecated without a sunset'],
    ],
    [
      'a parameter that was the rest of the path',
      withRest({ 'x-wildcard': true }),
      withRest({}),
      ['breaking GET /a/{b} path parameter "b": must not contain slashes now'],
    ],
    [
      'a parameter that is the rest of the path now',
      withRest({}),
      withRest({ 'x-wildcard': true }),
      ['safe GET /a/{b} path parameter "b": can contain slashes now'],
    ],
    [
      'a server',
      { servers: [{ url: 'https://a.example' }] },
      { servers: [{ url: 'https://b.example' }] },
      [
        'maybe all operations server: https://a.example is gone',
        'safe all operations server: https://b.example is new',
      ],
    ],
    [
      'the variables of a server',
      { servers: [{ url: '/{v}', variables: { v: { default: '1', description: 'A' } } }] },
      { servers: [{ url: '/{v}', variables: { v: { default: '2', description: 'B' } } }] },
      ['maybe all operations server: /{v} has other variables'],
    ],
    [
      'a server of an operation',
      postOf(ok, { servers: [{ url: '/' }] }),
      postOf({ ...ok, servers: [{ url: '/b' }] }, { servers: [{ url: '/' }] }),
      ['maybe POST /a server: / is gone', 'safe POST /a server: /b is new'],
    ],
    [
      'a new required parameter',
      postOf(ok),
      withParameter({ required: true }),
      ['breaking POST /a query parameter "q": is new, and required'],
    ],
    [
      'a new parameter',
      postOf(ok),
      withParameter({}),
      ['safe POST /a query parameter "q": is new'],
    ],
    [
      'a parameter that is gone',
      withParameter({}),
      postOf(ok),
      ['maybe POST /a query parameter "q": is gone: what clients send may be ignored'],
    ],
    [
      'a parameter that is gone after its sunset',
      withParameter({ deprecated: true, 'x-sunset': '2026-01-01' }),
      postOf(ok),
      ['safe POST /a query parameter "q": is gone, after its sunset on 2026-01-01'],
    ],
    [
      'a required parameter',
      withParameter({}),
      withParameter({ required: true }),
      ['breaking POST /a query parameter "q": is required now'],
    ],
    [
      'a parameter that becomes text',
      withParameter({}, integer),
      withParameter({}, text),
      ['safe POST /a query parameter "q": is string now, was integer'],
    ],
    [
      'a parameter that becomes limited text',
      withParameter({}, integer),
      withParameter({}, { ...text, minLength: 3 }),
      [
        'safe POST /a query parameter "q": is string now, was integer',
        'breaking POST /a query parameter "q": has the minimum length 3 now, was 0',
      ],
    ],
    ...['path', 'query', 'header'].map(
      (place): Row => [
        `a ${place} parameter that becomes a UUID`,
        withParameter({ in: place, required: true }, integer),
        withParameter({ in: place, required: true }, { ...text, format: 'uuid' }),
        [
          `safe POST /a ${place} parameter "q": is string now, was integer`,
          `breaking POST /a ${place} parameter "q": must match the format uuid now`,
        ],
      ],
    ),
    [
      'a parameter that becomes one of some values',
      withParameter({}, integer),
      withParameter({}, { ...text, enum: ['a'] }),
      [
        'safe POST /a query parameter "q": is string now, was integer',
        'breaking POST /a query parameter "q": must be "a" now',
      ],
    ],
    [
      'a header of a response that becomes a number',
      withHeader({ schema: { ...text, format: 'date' } }),
      withHeader({ schema: integer }),
      ['breaking POST /a response 200, header "X-Total": is integer now, was string'],
    ],
    [
      'a default of a parameter that was required',
      withParameter({ required: true }),
      withParameter({}, { ...text, default: 'a' }),
      [
        'safe POST /a query parameter "q": is optional now',
        'safe POST /a query parameter "q": has the default "a" now',
      ],
    ],
    [
      'a default of a parameter that becomes required',
      withParameter({}, { ...text, default: 'a' }),
      withParameter({ required: true }),
      [
        'breaking POST /a query parameter "q": is required now',
        'maybe POST /a query parameter "q": has no default anymore, was "a"',
      ],
    ],
    [
      'problem codes that become open',
      withCodes(['A']),
      withCodes(undefined),
      [
        'safe POST /a response 409: the problem code A is gone',
        'maybe POST /a response 409: may have problem codes that it does not list now',
      ],
    ],
    [
      'a parameter that becomes limited text, or another value',
      withParameter({}, integer),
      withParameter({}, { minLength: 3 }),
      [
        'safe POST /a query parameter "q": is anything now, was integer',
        'maybe POST /a query parameter "q": has changed in a way that cannot be compared',
      ],
    ],
    [
      'a parameter that becomes a number',
      withParameter({}, text),
      withParameter({}, integer),
      ['breaking POST /a query parameter "q": is integer now, was string'],
    ],
    [
      'a parameter that becomes a list',
      withParameter({}, integer),
      withParameter({}, { type: 'array', items: { ...integer, maximum: 5 } }),
      [
        'safe POST /a query parameter "q": is a list now',
        'breaking POST /a query parameter "q": has the maximum 5 now, was none',
      ],
    ],
    [
      'how a parameter is written',
      withParameter({}, { type: 'array', items: text }),
      withParameter({ explode: false }, { type: 'array', items: text }),
      [
        'breaking POST /a query parameter "q": is written in another way: form, all items in one value, was form, a value for each item',
      ],
    ],
    [
      'a required body',
      withBody(json(text)),
      withBody({ ...json(text), required: true }),
      ['breaking POST /a request body: is required now'],
    ],
    ['a new body', postOf(ok), withBody(json(text)), ['safe POST /a request body: is new']],
    [
      'a body that is gone',
      withBody(json(text)),
      postOf(ok),
      ['maybe POST /a request body: is gone: what clients send may be ignored'],
    ],
    [
      'a media type of a body whose range is accepted',
      withBody({ content: { 'application/hal+json': {} } }),
      withBody({ content: { 'application/*+json': {} } }),
      ['safe POST /a request body: application/*+json is accepted, too'],
    ],
    [
      'media types of a body',
      withBody({ content: { 'application/json': {}, 'text/csv': {} } }),
      withBody({ content: { 'application/json': {}, 'text/xml': {} } }),
      [
        'breaking POST /a request body: text/csv is not accepted anymore',
        'safe POST /a request body: text/xml is accepted, too',
      ],
    ],
    [
      'a range of media types',
      withBody({ content: { 'text/csv': {} } }),
      withBody({ content: { 'text/*': {} } }),
      ['safe POST /a request body: text/* is accepted, too'],
    ],
    [
      'a number in a form',
      withBody({ content: { 'application/x-www-form-urlencoded': { schema: integer } } }),
      withBody({ content: { 'application/x-www-form-urlencoded': { schema: text } } }),
      ['safe POST /a request body (application/x-www-form-urlencoded): is string now, was integer'],
    ],
    [
      'the encoding of a form',
      withBody({ content: { [FORM]: { schema: members('a', 'b'), encoding: { a: deep } } } }),
      withBody({ content: { [FORM]: { schema: members('a', 'b'), encoding: { b: deep } } } }),
      [`maybe POST /a request body (${FORM}): is encoded in another way`],
    ],
    [
      'the encoding of members of a form that are new and gone',
      withBody({ content: { [FORM]: { schema: members('a', 'b'), encoding: { a: deep } } } }),
      withBody({ content: { [FORM]: { schema: members('b', 'c'), encoding: { c: deep } } } }),
      [
        `maybe POST /a request body (${FORM}): member "a" is gone: what clients send may be ignored`,
        `safe POST /a request body (${FORM}): member "c" is new`,
      ],
    ],
    [
      'a type of JSON that is also text',
      withBody({ content: { 'text/json': { schema: integer } } }),
      withBody({ content: { 'text/json': { schema: text } } }),
      ['breaking POST /a request body (text/json): is string now, was integer'],
    ],
    [
      'a media type of a response',
      withResponses({ 200: { content: { 'application/json': {}, 'text/csv': {} } } }),
      withResponses({ 200: { content: { 'application/json': {} } } }),
      ['breaking POST /a response 200: text/csv is not sent anymore'],
    ],
    [
      'a special media type of a response',
      withResponses({ 200: json(text) }),
      withResponses({ 200: { content: { 'application/hal+json': { schema: integer } } } }),
      [
        'maybe POST /a response 200: application/json is not sent anymore, but application/hal+json',
        'breaking POST /a response 200: is integer now, was string',
        'safe POST /a response 200: application/hal+json is sent, too',
      ],
    ],
    [
      'another success',
      withResponses({ 200: {} }),
      withResponses({ 201: {} }),
      ['breaking POST /a response 200: is not sent anymore', 'maybe POST /a response 201: is new'],
    ],
    [
      'an error',
      withResponses({ 200: {}, 404: {} }),
      withResponses({ 200: {}, 409: {} }),
      ['safe POST /a response 404: is not sent anymore', 'safe POST /a response 409: is new'],
    ],
    [
      'an error that another response describes',
      withResponses({
        default: json({ type: 'object', properties: { a: text }, required: ['a'] }),
      }),
      withResponses({
        default: json({ type: 'object', properties: { a: text }, required: ['a'] }),
        409: json({ type: 'object', properties: { a: integer } }),
      }),
      [
        'safe POST /a response 409: is new',
        'breaking POST /a response 409: member "a" may be absent now',
        'breaking POST /a response 409: member "a" is integer now, was string',
      ],
    ],
    ...['default', '4XX'].map(
      (cover): Row => [
        `an error that ${cover} describes instead`,
        withResponses({ 200: {}, 404: json(text) }),
        withResponses({ 200: {}, [cover]: json(integer) }),
        [
          'breaking POST /a response 404: is integer now, was string',
          `safe POST /a response ${cover}: is new`,
        ],
      ],
    ),
    [
      'an error that a response without its media type describes instead',
      withResponses({ 404: { content: { 'text/csv': {}, 'text/html': {} } } }),
      withResponses({ default: { content: { 'text/html': {}, 'text/xml': {} } } }),
      [
        'breaking POST /a response 404: text/csv is not sent anymore',
        'safe POST /a response default: is new',
      ],
    ],
    [
      'an error that another response describes in the same way',
      withResponses({ 404: json({ type: 'object', properties: { a: text } }), '4XX': {} }),
      withResponses({
        '4XX': json({ type: 'object', properties: { a: text, b: text }, required: ['a'] }),
      }),
      ['safe POST /a response 4XX: application/json is sent, too'],
    ],
    [
      'a success that a range describes instead',
      withResponses({ 201: json(text) }),
      withResponses({ '2XX': json(integer) }),
      [
        'breaking POST /a response 201: is integer now, was string',
        'maybe POST /a response 2XX: is new',
      ],
    ],
    [
      'a header that is gone',
      withHeader({}),
      withResponses({ 200: {} }),
      ['maybe POST /a response 200, header "X-Total": is gone'],
    ],
    [
      'a required header that is gone',
      withHeader({ required: true }),
      withResponses({ 200: {} }),
      ['breaking POST /a response 200, header "X-Total": is gone'],
    ],
    [
      'a header that may be absent',
      withHeader({ required: true }),
      withHeader({}),
      ['breaking POST /a response 200, header "X-Total": may be absent now'],
    ],
    [
      'a new header',
      withResponses({ 200: {} }),
      withHeader({}),
      ['safe POST /a response 200, header "X-Total": is new'],
    ],
    [
      'the type of a header',
      withHeader({ schema: integer }),
      withHeader({}),
      ['breaking POST /a response 200, header "X-Total": is string now, was integer'],
    ],
    [
      'a new problem code',
      withCodes(['A']),
      withCodes(['A', 'B']),
      ['maybe POST /a response 409: the problem code B is new'],
    ],
    [
      'a problem code that is gone',
      withCodes(['A', 'B']),
      withCodes(['A']),
      ['safe POST /a response 409: the problem code B is gone'],
    ],
    [
      'another problem code',
      withCodes(['A']),
      withCodes(['B']),
      [
        'maybe POST /a response 409: the problem code B is new',
        'safe POST /a response 409: the problem code A is gone',
      ],
    ],
    [
      'problem codes where any was possible',
      withCodes(undefined),
      withCodes(['A']),
      ['safe POST /a response 409: the problem code A is new'],
    ],
    [
      'security',
      withSecurity([]),
      withSecurity([{ bearer: [] }]),
      ['breaking POST /a security: needs bearer now'],
    ],
    [
      'security that is gone',
      withSecurity([{ bearer: [] }]),
      withSecurity([]),
      ['safe POST /a security: needs no credentials anymore'],
    ],
    [
      'a further scheme',
      withSecurity([{ bearer: [] }, { key: [] }]),
      withSecurity([{ bearer: [], key: [] }]),
      [
        'breaking POST /a security: does not accept bearer anymore, but bearer and key',
        'breaking POST /a security: does not accept key anymore, but bearer and key',
      ],
    ],
    [
      'a further scope',
      withSecurity([{ bearer: ['read'] }]),
      withSecurity([{ bearer: ['read', 'write'] }]),
      ['breaking POST /a security: does not accept bearer:read anymore, but bearer:read:write'],
    ],
    [
      'another way to authenticate',
      withSecurity([{ bearer: [] }]),
      withSecurity([{ bearer: [] }, { key: [] }]),
      ['safe POST /a security: accepts key now'],
    ],
    [
      'the place of a key',
      withSecurity([{ key: [] }]),
      withSecurity([{ key: [] }], { key: { ...SCHEMES.key, in: 'query' } }),
      ['breaking POST /a security: expects key in another way'],
    ],
    [
      'security of the whole document',
      { ...postOf(ok), security: [], components: { securitySchemes: SCHEMES } },
      { ...postOf(ok), security: [{ bearer: [] }], components: { securitySchemes: SCHEMES } },
      ['breaking POST /a security: needs bearer now'],
    ],
    [
      'a webhook, whose body clients receive',
      {
        webhooks: {
          paid: {
            post: {
              ...ok,
              requestBody: json({ type: 'object', properties: { a: text }, required: ['a'] }),
            },
          },
        },
      },
      {
        webhooks: {
          paid: { post: { ...ok, requestBody: json({ type: 'object', properties: { a: text } }) } },
        },
      },
      ['breaking webhook paid (POST) request body: member "a" may be absent now'],
    ],
    [
      'webhooks',
      { webhooks: { paid: { post: ok } } },
      { webhooks: { sent: { post: ok } } },
      ['breaking webhook paid (POST) is not sent anymore', 'safe webhook sent (POST) is new'],
    ],
    [
      'a callback',
      postOf({ ...ok, callbacks: { done: { '{$request.body#/url}': { post: ok } } } }),
      postOf(ok),
      ['breaking POST /a callback done (POST {$request.body#/url}) is not sent anymore'],
    ],
  ])('reports %s', (_name, before, after, lines) => {
    expect(linesOf(before, after)).toEqual(lines);
    expect(linesOf(after, after)).toEqual([]);
  });

  it.each<readonly [name: string, before: Members, after: Members]>([
    [
      'how a parameter of one value is written',
      withParameter({}),
      withParameter({ explode: false }),
    ],
    [
      'the case of a header',
      withParameter({ name: 'X-Id', in: 'header' }),
      withParameter({ name: 'x-id', in: 'header' }),
    ],
    [
      'the name of a scheme',
      withSecurity([{ bearer: [] }]),
      withSecurity([{ token: [] }], { token: SCHEMES.bearer }),
    ],
    [
      'summaries and tags',
      postOf({ ...ok, summary: 'A', tags: ['a'] }),
      postOf({ ...ok, operationId: 'b' }),
    ],
  ])('does not report %s', (_name, before, after) => {
    expect(linesOf(before, after)).toEqual([]);
    expect(linesOf(after, before)).toEqual([]);
  });

  it('reads OpenAPI 3.0', () => {
    const old = withBody(json({ ...integer, minimum: 1, exclusiveMinimum: true, nullable: true }));
    const now = withBody(json({ type: ['integer', 'null'], exclusiveMinimum: 1 }));
    expect(linesOf({ ...old, openapi: '3.0.3' }, now)).toEqual([]);
    expect(
      linesOf({ ...old, openapi: '3.0.3' }, withBody(json({ ...integer, minimum: 2 }))),
    ).toEqual(['breaking POST /a request body: cannot be null anymore']);
  });

  it('reads the methods and items of OpenAPI 3.2', () => {
    const document = (schema: object) => ({
      openapi: '3.2.0',
      paths: {
        '/a': {
          additionalOperations: {
            PURGE: {
              responses: { 200: { content: { 'text/event-stream': { itemSchema: schema } } } },
            },
          },
        },
      },
    });
    expect(linesOf(document({ const: 'a' }), document({ const: 'b' }))).toEqual([
      'safe PURGE /a response 200 (text/event-stream): cannot be "a" anymore',
      'breaking PURGE /a response 200 (text/event-stream): can be "b" now',
    ]);
  });
});
