import { describe, expect, it } from 'vitest';
import { Document } from './document.js';
import type { Node } from './node.js';
import { Operations } from './operations.js';
import { SchemaTypes } from './schemas.js';
import { writeDeclaration } from './type-text.js';

const JSON_TYPE = 'application/json';
const User = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const content = (schema: unknown, type = JSON_TYPE) => ({ content: { [type]: { schema } } });

/** Reads a route, whose text is on one line. */
function read(item: Node, path = '/', schemas: object = {}, method = 'post') {
  const document = new Document({ openapi: '3.1.1', components: { schemas } }, 'openapi.json');
  const operations = new Operations(document, new SchemaTypes(document));
  const members = operations.read(path, item, method);
  const text = writeDeclaration('Routes', { kind: 'object', members }, [], ({ target }) => target)
    .replace('export interface Routes ', '')
    .replace(/\s+/g, ' ')
    .replaceAll('; }', ' }')
    .trim();
  return { text, operations };
}

/** Returns the text of the route of an operation. */
const route = (operation: object) =>
  read({ post: { responses: {}, ...operation } }).text.replace(/^\{ "\/": (.*) \}$/, '$1');

describe('a route', () => {
  it.each([
    [{ name: 'q', required: true }, 'query: { q: string };'],
    [
      { name: 'tag', schema: { type: 'array', items: {} } },
      'query?: { tag?: readonly unknown[] | undefined };',
    ],
    [
      { name: 'ids', explode: false, schema: { type: 'array' } },
      'query?: { /** Values with commas between them. */ ids?: string | undefined };',
    ],
    [
      { name: 'filter', style: 'deepObject', schema: User },
      'query?: { filter?: { readonly id: string } | undefined };',
    ],
    [
      { name: 'expand', style: 'deepObject', schema: { type: 'array', items: { type: 'string' } } },
      'query?: { "expand[]"?: readonly string[] | undefined };',
    ],
    [
      { name: 'query', schema: { type: 'object', additionalProperties: { type: 'string' } } },
      'query?: { readonly [name: string]: string };',
    ],
    [
      {
        name: 'query',
        style: 'form',
        explode: true,
        schema: { anyOf: [User, { type: 'object', properties: { q: { type: 'string' } } }] },
      },
      'query?: { readonly id: string } | { readonly q?: string | undefined };',
    ],
    [
      { name: 'q', schema: { anyOf: [User, { type: 'string' }] } },
      'query?: { q?: { readonly id: string } | string | undefined };',
    ],
    [
      { name: 'filter', content: { [JSON_TYPE]: {} } },
      'query?: { /** Text of the type application/json. */ filter?: string | undefined };',
    ],
    [
      { name: 'page', deprecated: true, description: 'From 1.', schema: { type: 'integer' } },
      'query?: { /** * From 1. * @deprecated */ page?: number | undefined };',
    ],
    [
      { name: 'x-tenant', in: 'header', required: true, schema: { enum: ['a', 'b'] } },
      'headers?: { "x-tenant"?: "a" | "b" };',
    ],
  ])('has the parameter %j', (parameter, text) => {
    expect(route({ parameters: [{ in: 'query', ...parameter }] })).toBe(
      `{ ${text} received: { "2XX": unknown } }`,
    );
  });

  it.each([
    [{ ...content(User), required: true }, 'body: { readonly id: string };'],
    [content({ type: 'string' }), 'body?: string | undefined;'],
    [
      content({ properties: { title: {} } }, 'multipart/form-data'),
      '/** The fields of the form: title? */ body?: FormData | undefined;',
    ],
    [
      content(User, 'application/x-www-form-urlencoded'),
      '/** The fields of the form: id */ body?: URLSearchParams | undefined;',
    ],
    [content({}, 'image/png'), 'body?: Blob | ArrayBuffer | undefined;'],
    [
      { content: { [JSON_TYPE]: { schema: User }, 'application/xml': {}, 'text/csv': {} } },
      'body?: { readonly id: string } | Blob | ArrayBuffer | undefined;',
    ],
    [
      content(User, 'application/merge-patch+json'),
      'headers: { "Content-Type": "application/merge-patch+json" }; body?: { readonly id: string } | undefined;',
    ],
  ])('has the body %j', (requestBody, text) => {
    expect(route({ requestBody })).toBe(`{ ${text} received: { "2XX": unknown } }`);
  });

  it.each([
    [{ 200: content(User), 404: {} }, 'received: { 200: { readonly id: string } }'],
    [{ 200: {}, 204: {} }, 'received: { 200: unknown; 204: undefined }'],
    [{ '2XX': content({ type: 'string' }, 'text/csv') }, 'received: { "2XX": string }'],
    [{ default: content(User) }, 'received: { "2XX": { readonly id: string } }'],
    [{ 302: {} }, 'received: { "2XX": unknown }'],
    [{ 200: { content: { [JSON_TYPE]: {}, 'image/png': {} } } }, 'received: { 200: unknown }'],
    [
      { 200: { content: { 'text/html': {}, 'application/pdf': {} } } },
      'received: { 200: string | Blob }',
    ],
    [
      { 200: {}, 404: content(User), '5XX': content({ type: 'string' }) },
      'received: { 200: unknown }; errors: { 404: { readonly id: string } }',
    ],
    [
      { 200: {}, '4XX': content(User), default: content(User) },
      'received: { 200: unknown }; errors: { "4XX": { readonly id: string }; default: { readonly id: string } }',
    ],
  ])('has the responses %j', (responses, text) => {
    expect(route({ responses })).toBe(`{ ${text} }`);
  });

  it('has no body of a response to HEAD', () => {
    const { text } = read({ head: { responses: { 200: content(User) } } }, '/', {}, 'head');
    expect(text).toBe('{ "/": { received: { 200: undefined } } }');
  });

  it('has the codes of problems, and no type for their other members', () => {
    const Problem = { type: 'object', properties: { code: { type: 'string' }, detail: {} } };
    const problem = (code: object) =>
      content(
        { allOf: [{ $ref: '#/components/schemas/Problem' }], properties: { code } },
        'application/problem+json',
      );
    const responses = {
      400: problem({ anyOf: [{ enum: ['A'] }, { type: 'string' }] }),
      401: problem({}),
      404: problem({ enum: ['B', 'C'] }),
      409: content({ properties: { balance: { type: 'number' } } }, 'application/problem+json'),
    };
    const { text, operations } = read({ post: { responses } }, '/', { Problem, Other: {} });
    expect(text).toContain(
      'errors: { 400: readonly ["A", string]; 404: readonly ["B", "C"]; 409: { readonly balance?: number } }',
    );
    expect([...operations.omitted]).toEqual(['#/components/schemas/Problem']);
  });

  it('has the messages of an event stream', () => {
    const event = (name: object, data: object) => ({
      properties: { event: name, data },
      required: ['event'],
    });
    const json = { type: 'string', contentMediaType: JSON_TYPE, contentSchema: User };
    const itemSchema = {
      oneOf: [
        event({ const: 'added' }, json),
        event({ const: 'log' }, { type: 'string' }),
        { properties: { data: json } },
      ],
    };
    const responses = { 200: { content: { 'text/event-stream': { itemSchema } } } };
    const { text, operations } = read({ post: { responses } });
    expect(operations.hasEvents).toBe(true);
    expect(text).toContain(
      'events: | EventMessage<"added", { readonly id: string }> | EventMessage<"log", unknown> | EventMessage<"message", { readonly id: string }>',
    );
  });

  it('shares the parameters of its path, and has its documentation', () => {
    const item = {
      parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' }, required: true }],
      post: { summary: 'Find it', description: 'Long.', deprecated: true, responses: {} },
      trace: {},
    };
    expect(read(item, '/{id}').text).toBe(
      '{ /** * Find it * Long. * @deprecated */ "/:id": { params: { id: number }; received: { "2XX": unknown } } }',
    );
  });

  it('is missing if the path has no operation of the method', () => {
    expect(read({ get: { responses: {} } }).text).toBe('{}');
  });
});
