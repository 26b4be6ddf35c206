import { createApp, type Middleware } from '@fairlead/core';
import { expectTypeOf, it } from 'vitest';
import { createDocument, printDocument, secured } from '../src/index.js';

declare const signIn: Middleware<{ user: string }>;

it('an application whose state has types is an application', () => {
  const app = createApp().use(signIn);

  expectTypeOf(createDocument).toBeCallableWith(app, { info: { title: 'Test', version: '1' } });
  expectTypeOf(printDocument).toBeCallableWith(app);
});

it('secured() keeps the type of what it marks', () => {
  class SignedIn {
    constructor(readonly name: string) {}
  }
  const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;

  expectTypeOf(secured(signIn, bearer)).toEqualTypeOf<Middleware<{ user: string }>>();
  expectTypeOf(secured(SignedIn, bearer)).toEqualTypeOf<typeof SignedIn>();
  // @ts-expect-error: a value cannot be marked.
  secured('guard', bearer);
  // @ts-expect-error: OpenAPI has no type of this name.
  secured(signIn, { name: 'bearer', scheme: { type: 'bearer' } });
  // @ts-expect-error: a key in a header needs the name of the header.
  secured(signIn, { name: 'key', scheme: { type: 'apiKey', in: 'header' } });
});
