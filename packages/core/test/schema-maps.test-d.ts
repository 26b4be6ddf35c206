import { it } from 'vitest';
import { z } from 'zod';
import { content, createApp, createRouter, type ResponseSchemas } from '../src/index.js';

const User = z.object({ name: z.string() });
const ada = { name: 'Ada' };
const app = createApp();

/** A JSON Schema that an interface types, like those of libraries. */
interface Typed {
  type?: string;
  properties?: Record<string, Typed>;
}
const typed: Typed = { type: 'object' };
const unknown: object = {};
const dynamic: Readonly<Record<number, z.ZodType>> = {};

it('response has statuses, or is a schema', () => {
  app.get('/', { response: { 200: User, 404: { type: 'object' } } }, () => ada);
  app.get('/', { response: { type: 'object', 'x-name': 'a' } }, () => ada);
  app.get('/', { response: {} }, () => ada);
  app.get('/', { response: typed }, () => ada);
  app.get('/', { response: unknown }, () => ada);
  app.get('/', { response: dynamic }, () => ada);
  const any: ResponseSchemas = { 200: content(User) };
  app.get('/', { response: any }, () => ada);
  // @ts-expect-error: no status
  app.get('/', { response: { '2xx': User } }, () => undefined);
  // @ts-expect-error: a name within a status
  app.get('/', { response: { 200: { json: User } } }, () => undefined);
  // @ts-expect-error: no status
  app.get('/', { response: { 600: User } }, () => undefined);
  // @ts-expect-error: another name beside a status
  app.get('/', { response: { 200: User, '4xx': User } }, () => ada);
  createRouter().define('/', ({ get }) => ({
    // @ts-expect-error: no status
    one: get('/', { response: { ok: User } }, () => ada),
  }));
});

it('content() has media types, or is a schema', () => {
  content({ 'application/json': User, 'text/csv': {} });
  content({ type: 'object', 'x-name': 'a' });
  content({});
  content(typed);
  content(unknown);
  // @ts-expect-error: no media type
  content({ json: User });
  // @ts-expect-error: no media type
  content({ 'text/csv': {}, json: User });
  // @ts-expect-error: no keyword
  content({ type: User });
  // @ts-expect-error: a name within a media type
  content({ 'application/json': { json: User } });
  // @ts-expect-error: a name within a schema
  content({ 'application/json': { schema: { json: User } } });
});
