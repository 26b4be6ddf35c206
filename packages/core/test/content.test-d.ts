import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { content, createApp, createRouter, schemaClass } from '../src/index.js';

const User = z.object({ name: z.string(), tags: z.array(z.string()) });
const ada = { name: 'Ada', tags: [] };
const app = createApp();

describe('a response with media types', () => {
  it('accepts what the schema of JSON produces', () => {
    app.get('/', { response: content(User, { description: 'Somebody.' }) }, () => ada);
    app.get('/', { response: { 201: content(User) } }, () => ada);
    // @ts-expect-error: the name is not text
    app.get('/', { response: content(User) }, () => ({ name: 1, tags: [] }));
    // @ts-expect-error: the name is missing
    app.get('/', { response: { 200: content({ 'application/hal+json': User }) } }, () => ({}));
    app.get('/', { response: content({ 'text/json': User }) }, () => ada);
  });

  it('accepts text, bytes and streams for other media types', () => {
    app.get('/', { response: content('image/png') }, () => Buffer.from(''));
    app.get('/', { response: { 200: content('text/csv') } }, async () => 'a,b');
    app.get('/', { response: content({ 'text/csv': z.string() }) }, () => new ReadableStream());
    // @ts-expect-error: an object is not text
    app.get('/', { response: content('text/csv') }, () => ({ a: 1 }));
  });

  it('accepts a value for each of its media types', () => {
    const response = content({ 'application/json': User, 'text/csv': z.string() });
    app.get('/', { response }, (ctx) => (ctx.get('Accept') === 'text/csv' ? 'Ada' : ada));
    // @ts-expect-error: neither a user nor text
    app.get('/', { response }, () => 7);
  });

  it('accepts nothing for a status without a body', () => {
    app.delete('/', { response: { 204: content(null) } }, () => undefined);
    app.get('/', { response: { 200: User, 404: content(null) } }, () => ada);
    // @ts-expect-error: the name is missing
    app.get('/', { response: { 200: User, 404: content(null) } }, () => ({ tags: [] }));
    app.get('/', { response: { 404: content(null) } }, () => 'anything');
  });
});

describe('a body with media types', () => {
  it('has the type of any of its schemas', () => {
    const body = content({ 'application/json': User, 'text/plain': z.string() });
    app.post('/', { body }, (ctx) => {
      expectTypeOf(ctx.body).toEqualTypeOf<string | z.infer<typeof User>>();
    });
  });

  it('has the type of its schema, or of its class', () => {
    class NewUser extends schemaClass(User) {
      greet() {
        return `Hello ${this.name}`;
      }
    }
    app.post('/', { body: content(User, { example: ada }) }, (ctx) => {
      expectTypeOf(ctx.body).toEqualTypeOf<z.infer<typeof User>>();
    });
    app.post('/', { body: content(NewUser), response: content(NewUser) }, (ctx) => {
      expectTypeOf(ctx.body.greet()).toEqualTypeOf<string>();
      return ada;
    });
  });
});

describe('the contract of a route with media types', () => {
  it('tells clients what they send and receive', () => {
    const files = createRouter().define('/files', ({ get, post }) => ({
      list: get(
        '/',
        { response: content({ 'application/json': User, 'text/csv': {} }) },
        () => ada,
      ),
      image: get('/image', { response: { 200: content('image/png') } }, () => Buffer.from('')),
      add: post('/', { body: content({ 'application/json': User, 'text/csv': {} }) }, () => 'ok'),
    }));
    type Routes = NonNullable<(typeof files)['~contract']>['routes'];
    expectTypeOf<Routes['list']['response'][200]>().toEqualTypeOf<string | z.infer<typeof User>>();
    expectTypeOf<Routes['image']['response'][200]>().toEqualTypeOf<unknown>();
    expectTypeOf<Routes['add']['body']>().toEqualTypeOf<z.infer<typeof User>>();
  });
});
