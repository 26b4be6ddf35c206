import { createApp, type Handler } from '@fairlead/core';
import { cases } from '@fairlead/test-support/properties';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, type OpenApiDocument } from '../src/index.js';
import { findMetaSchemaErrors } from './support/validators.js';

const ok: Handler = () => null;

/** Describes a schema, so that each run can create new schemas of zod. */
type Shape =
  | { readonly kind: 'string' | 'int' | 'boolean' | 'null' }
  | { readonly kind: 'array'; readonly element: Shape }
  | { readonly kind: 'union'; readonly options: readonly [Shape, Shape] }
  | {
      readonly kind: 'object';
      readonly title: string | undefined;
      readonly members: Readonly<
        Record<string, { readonly shape: Shape; readonly optional: boolean }>
      >;
    };

function toZod(shape: Shape): z.ZodType {
  switch (shape.kind) {
    case 'string':
      return z.string();
    case 'int':
      return z.int();
    case 'boolean':
      return z.boolean();
    case 'null':
      return z.null();
    case 'array':
      return z.array(toZod(shape.element));
    case 'union':
      return z.union(shape.options.map(toZod));
    case 'object': {
      const members = Object.entries(shape.members).map(([name, member]) => {
        const schema = toZod(member.shape);
        return [name, member.optional ? schema.optional() : schema];
      });
      const schema = z.object(Object.fromEntries(members));
      return shape.title === undefined ? schema : schema.meta({ title: shape.title });
    }
  }
}

// Few names and leaves, so that many schemas are equal or differ in one place.
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Shape>(
      { kind: 'string' },
      { kind: 'int' },
      { kind: 'boolean' },
      { kind: 'null' },
    ),
    fc.record({
      kind: fc.constant('object' as const),
      title: fc.constantFrom(undefined, undefined, 'A', 'B'),
      members: fc.dictionary(
        fc.constantFrom('a', 'b', 'items'),
        fc.record({ shape: tie('shape'), optional: fc.boolean() }),
        { maxKeys: 3, noNullPrototype: true },
      ),
    }),
    fc.record({ kind: fc.constant('array' as const), element: tie('shape') }),
    fc.record({
      kind: fc.constant('union' as const),
      options: fc.tuple(tie('shape'), tie('shape')),
    }),
  ),
}));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('x', 1, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'items'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

function documentOf(shapes: readonly Shape[]): OpenApiDocument {
  const app = createApp();
  for (const [index, one] of shapes.entries()) {
    const schema = toZod(one);
    app.on('POST', `/${index}`, { body: schema, response: schema }, ok);
  }
  return createDocument(app, { info: { title: 'Test', version: '1' } });
}

it('a document accepts what its schemas accept, however they are shared', () => {
  fc.assert(
    fc.property(
      fc.array(shape, { minLength: 1, maxLength: 5 }),
      fc.array(value),
      (shapes, values) => {
        const ajv = new Ajv2020({ strict: false }).addSchema(documentOf(shapes), 'document');
        for (const [index, one] of shapes.entries()) {
          const place = `document#/paths/~1${index}/post/requestBody/content/application~1json/schema`;
          const accepts = ajv.compile({ $ref: place });
          const schema = toZod(one);
          for (const sample of values) {
            expect(accepts(sample)).toBe(schema.safeParse(sample).success);
          }
        }
      },
    ),
    { numRuns: cases(20) },
  );
});

it('the same routes result in the same text', () => {
  fc.assert(
    fc.property(fc.array(shape, { maxLength: 5 }), (shapes) => {
      expect(JSON.stringify(documentOf(shapes))).toBe(JSON.stringify(documentOf(shapes)));
    }),
    { numRuns: cases(30) },
  );
});

it('any routes result in a valid document with unique operation IDs', async () => {
  const segment = fc.constantFrom(
    'users',
    'a-b',
    'é',
    ':id',
    ':x.png',
    ':from-:to',
    'by',
    '%3A',
    '%7Bx%7D',
  );
  const route = fc.record({
    method: fc.constantFrom('GET', 'POST', 'ALL', 'HEAD', 'DELETE'),
    segments: fc.uniqueArray(segment, { maxLength: 4 }),
    body: shape,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(route, { maxLength: 8 }), async (routes) => {
      const app = createApp();
      const distinct = new Map(
        routes.map((one) => [`${one.method} ${one.segments.join('/').replace(/:\w+/g, ':')}`, one]),
      );
      for (const { method, segments, body } of distinct.values()) {
        app.on(method, `/${segments.join('/')}`, { body: toZod(body) }, ok);
      }
      const document = createDocument(app, { info: { title: 'Test', version: '1' } });
      const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
      const ids = operations.map((operation) => Object(operation).operationId);

      expect(new Set(ids).size).toBe(ids.length);
      expect(operations.length).toBeGreaterThanOrEqual(distinct.size > 0 ? 1 : 0);
      expect(await findMetaSchemaErrors(document)).toEqual([]);
    }),
    { numRuns: cases(12) },
  );
});
