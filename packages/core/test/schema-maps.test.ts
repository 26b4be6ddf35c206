import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { content, createApp, type MediaTypes, schemaClass } from '../src/index.js';
import { start } from './support/start.js';

const User = z.object({ name: z.string() });
class Book extends schemaClass(User) {}
const json = { type: 'object' };

describe('an object with schemas as members is never a JSON Schema', () => {
  it.each<[string, object, string]>([
    ['a range of statuses', { '2xx': User }, "'2xx' as a status of response"],
    ['a range in upper case', { '2XX': json }, "'2XX' as a status of response"],
    ['the default of OpenAPI', { default: User }, "'default' as a status of response"],
    ['a name', { success: Book }, "'success' as a status of response"],
    [
      'a schema that is a function',
      { ok: type({ name: 'string' }) },
      "'ok' as a status of response",
    ],
    ['a keyword', { type: User }, "'type' as a status of response"],
    ['a status that does not exist', { 600: json }, "'600' as a status of response"],
    ['a status that is no response', { 101: User }, "'101' as a status of response"],
    ['another name beside a status', { 200: User, '4xx': User }, "'4xx' as a status of response"],
    ['content()', { json: content(User) }, "'json' as a status of response"],
    [
      'a name within a status',
      { 200: { json: User } },
      "an object with the Standard Schema 'json' as a schema",
    ],
    [
      'a member of a JSON Schema',
      { type: 'object', properties: { user: { anyOf: [User] } } },
      "an object with the Standard Schema 'properties.user.anyOf.0' as a schema",
    ],
  ])('of response: %s', (_what, response, problem) => {
    expect(() => start(createApp().on('GET', '/', { response } as object, () => 'a'))).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`cannot use ${problem}`),
      }),
    );
  });

  it.each<[string, object, string]>([
    ['a name', { json: User }, "cannot use 'json' as a media type"],
    ['a status', { 200: User }, "cannot use '200' as a media type"],
    [
      'a name beside a media type',
      { 'text/csv': {}, json: User },
      "cannot use 'json' as a media type",
    ],
    [
      'a name within a media type',
      { 'text/json': { data: User } },
      "cannot use an object with the Standard Schema 'data'",
    ],
    [
      'a name within a schema',
      { 'text/json': { schema: { data: Book } } },
      "cannot use an object with the Standard Schema 'data'",
    ],
    [
      'a member of a JSON Schema',
      { properties: { user: User } },
      "cannot use an object with the Standard Schema 'properties.user'",
    ],
  ])('of content(): %s', (_what, described, problem) => {
    expect(() => content(described as MediaTypes)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(problem),
      }),
    );
  });

  it('nor of a header of content()', () => {
    const headers = { ETag: { schema: { data: User } } };
    expect(() => content(User, { headers })).toThrow('headers of content() must be');
  });

  it('nor of a body', () => {
    expect(() =>
      start(createApp().post('/', { body: { json: User } } as object, () => 'a')),
    ).toThrow("cannot use an object with the Standard Schema 'json' as a schema");
  });
});
