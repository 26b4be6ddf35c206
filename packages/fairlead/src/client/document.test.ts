import { describe, expect, it } from 'vitest';
import { Document, DocumentError } from './document.js';

const open = (members: object) => new Document({ openapi: '3.1.1', ...members }, 'openapi.json');

/** An object within others. */
const nest = (depth: number): object =>
  Array.from({ length: depth }).reduce<object>((inner) => ({ a: inner }), {});

it.each([
  [{ openapi: '4.0.0' }, 'its version of OpenAPI is "4.0.0". Use 3.0, 3.1 or 3.2.'],
  [
    { swagger: '2.0' },
    'it is a document of Swagger 2.0. Convert it to OpenAPI 3: npx swagger2openapi <file> --outfile openapi.json',
  ],
  [
    { name: 'x' },
    "it is not an OpenAPI document, because it has no member 'openapi'. Pass the URL or the path of a document such as openapi.json.",
  ],
])('a document cannot be %j', (root, reason) => {
  const create = () => new Document(root, 'a.json');
  expect(create).toThrow(DocumentError);
  expect(create).toThrow(`Cannot use a.json: ${reason}`);
});

it.each(['3.0.3', '3.1.1', '3.2.0'])('a document can have the version %s', (openapi) => {
  expect(open({ openapi }).size).toBe(1);
});

it('a document counts its arrays and objects, and can nest up to 200 levels', () => {
  expect(open({ a: [{}, []], b: 1 }).size).toBe(4);
  expect(open(nest(199)).size).toBe(200);
  expect(() => open({ 'a/b\u001b': nest(1_000) })).toThrow(
    'Cannot use openapi.json: it nests more than 200 levels deep, below #/a~1b\\u001b/a/a/a. Move',
  );
});

describe('a reference', () => {
  it('leads to what it names, through other references', () => {
    const target = { type: 'string' };
    const document = open({ 'a/b~c': target, next: { $ref: '#/a~1b~0c' } });
    expect(document.find('#/a~1b~0c')).toBe(target);
    expect(document.resolve({ $ref: '#/next' })).toBe(target);
    expect(document.resolve(target)).toBe(target);
  });

  it('that leads to itself has no target', () => {
    expect(open({ a: { $ref: '#/b' }, b: { $ref: '#/a' } }).resolve({ $ref: '#/a' })).toEqual({});
  });

  it('that leads nowhere is a problem of the document, once, at the place that is read', () => {
    const document = open({});
    document.place = 'GET /x';
    document.resolve({ $ref: '#/__proto__' });
    document.resolve({ $ref: '#/__proto__' });
    expect(() => document.throwProblems()).toThrow(
      "Cannot use openapi.json: GET /x refers to '#/__proto__', which the document does not contain. Correct the reference.",
    );
    document.resolve({ $ref: 'c.json#/C' });
    expect(() => document.throwProblems()).toThrow(
      "Cannot use openapi.json, which has 2 problems:\n  - GET /x refers to '#/__proto__', which the document does not contain. Correct the reference.\n  - GET /x refers to 'c.json#/C', which is outside the document. Join all files first: npx @redocly/cli bundle <file> --output openapi.json",
    );
  });

  it('cannot be followed more than 1,000 times', () => {
    const document = open({});
    const follow = (times: number): number =>
      times === 0 ? 0 : 1 + document.follow(() => follow(times - 1));
    expect(follow(1_000)).toBe(1_000);
    expect(() => follow(1_001)).toThrow(
      'Cannot use openapi.json: the document leads through more than 1000 schemas, each within the one before. Shorten the chain of references.',
    );
  });
});
