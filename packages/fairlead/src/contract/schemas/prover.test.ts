import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyComponent,
  anyEdit,
  anySchema,
  draw,
  edit,
  type Json,
} from '../../../test/support/schemas.js';
import { Document } from '../../client/index.js';
import { SchemaComparison } from './comparison.js';
import { partOf } from './part.js';

function documentOf(schemas: Readonly<Record<string, Json>>): Document {
  return new Document({ openapi: '3.1.0', components: { schemas } }, 'test');
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });

function validatorOf(schemas: Readonly<Record<string, Json>>, schema: Json) {
  ajv.removeSchema();
  return ajv.compile({ allOf: [schema], components: { schemas } });
}

/** Numbers from 0 to 1, always the same for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('a comparison of schemas', () => {
  it.each(['request', 'response'] as const)(
    'calls no change of a %s safe that refuses a value',
    (direction) => {
      let [safe, judged, spent] = [0, 0, 0];
      const property = fc.property(
        anyComponent,
        anyComponent,
        anySchema,
        fc.array(anyEdit, { minLength: 1, maxLength: 2 }),
        fc.integer(),
        (one, two, schema, edits, seed) => {
          const schemas = { One: one, Two: two };
          const changed = edits.reduce(edit, schema);
          const [before, after] = [documentOf(schemas), documentOf(schemas)];
          const start = performance.now();
          const changes = new SchemaComparison(before, direction).compare(
            partOf(before, schema),
            partOf(after, changed),
          );
          spent += performance.now() - start;
          if (changes.some(({ severity }) => severity !== 'safe')) return;
          safe += 1;
          const [sent, received] = direction === 'request' ? [schema, changed] : [changed, schema];
          const [sends, accepts] = [validatorOf(schemas, sent), validatorOf(schemas, received)];
          const random = randomOf(seed);
          for (let index = 0; index < 20; index += 1) {
            const value = draw(schemas, sent, random);
            if (!sends(value)) continue;
            judged += 1;
            if (!accepts(value))
              throw new Error(
                `${JSON.stringify(value)} fits ${JSON.stringify(sent)}, not ${JSON.stringify(received)}`,
              );
          }
        },
      );
      fc.assert(property, { numRuns: Number(process.env.RUNS ?? 300) });
      console.log(safe, judged, spent);
      expect(safe).toBeGreaterThan(0);
    },
  );
});
