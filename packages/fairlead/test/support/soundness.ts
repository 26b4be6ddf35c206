import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { Document } from '../../src/client/index.js';
import { SchemaComparison } from '../../src/contract/schemas/comparison.js';
import type { Direction } from '../../src/contract/schemas/findings.js';
import { partOf } from '../../src/contract/schemas/part.js';
import { anyComponent, anyEdit, anySchema, draw, edit, type Json } from './schemas.js';

/** How often a property was of use. */
export interface Tally {
  /** Changes that are safe. */
  readonly safe: number;
  /** Values that a sender may send after them. */
  readonly judged: number;
}

/** How many values it draws for a change. */
const VALUES = 20;

/**
 * Changes random schemas, and judges with ajv those changes that are called safe.
 *
 * @param runs - How many changes to make.
 * @throws When the receiver refuses a value that the sender may send.
 */
export function judge(direction: Direction, runs: number): Tally {
  const tally = { safe: 0, judged: 0 };
  const edits = fc.oneof(fc.tuple(anyEdit), fc.tuple(anyEdit), fc.tuple(anyEdit, anyEdit));
  const property = fc.property(
    anyComponent,
    anyComponent,
    anySchema,
    edits,
    fc.integer(),
    (One, Two, old, changes, seed) => {
      const schemas = { One, Two };
      const now = changes.reduce((schema: Json, change) => edit(schema, change), old);
      if (!isSafe(schemas, old, now, direction)) return;
      tally.safe += 1;
      const [sent, received] = direction === 'request' ? [old, now] : [now, old];
      if (isMisjudged(sent) || isMisjudged(received) || isMisjudged(schemas)) return;
      const [sends, accepts] = [validatorOf(schemas, sent), validatorOf(schemas, received)];
      const random = randomOf(seed);
      for (let index = 0; index < VALUES; index += 1) {
        const value = draw(schemas, sent, random);
        if (!sends(value)) continue;
        tally.judged += 1;
        if (!accepts(value)) {
          const texts = [value, sent, received, schemas].map((one) => JSON.stringify(one));
          throw new Error(`${texts[0]} fits ${texts[1]}, but not ${texts[2]}, with ${texts[3]}`);
        }
      }
    },
  );
  fc.assert(property, { numRuns: runs });
  return tally;
}

type Schemas = Readonly<Record<string, Json>>;

function isSafe(schemas: Schemas, old: Json, now: Json, direction: Direction): boolean {
  const [before, after] = [old, now].map((schema) => {
    const root = { openapi: '3.1.0', components: { schemas } };
    return partOf(new Document(root, 'the document'), schema);
  });
  if (before === undefined || after === undefined) return false;
  const changes = new SchemaComparison(before.document, direction).compare(before, after);
  return changes.every(({ severity }) => severity === 'safe');
}

const ajv = new Ajv2020({ strict: false, validateSchema: false });

/** Creates the validator of a schema. */
export function validatorOf(schemas: Schemas, schema: Json) {
  ajv.removeSchema();
  return ajv.compile({ allOf: [schema], components: { schemas } });
}

/** Whether ajv accepts an empty array where `contains` needs an item, as it does beside `prefixItems`. */
export function isMisjudged(schemas: unknown): boolean {
  const text = JSON.stringify(schemas);
  return text.includes('"contains"') && text.includes('"prefixItems"');
}

/** Returns numbers from 0 to 1, the same ones for a seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
  };
}
