import { describe, expect, it } from 'vitest';
import { isStandardSchema } from './standard-schema.js';

const standard = { version: 1, vendor: 'test', validate: () => ({ value: 1 }) };

describe('isStandardSchema', () => {
  it.each([{ '~standard': standard }, Object.assign(() => 1, { '~standard': standard })])(
    'recognizes the schema %o',
    (value) => {
      expect(isStandardSchema(value)).toBe(true);
    },
  );

  it.each([undefined, null, 1, Number, {}, { '~standard': null }, { '~standard': {} }])(
    'rejects %o',
    (value) => {
      expect(isStandardSchema(value)).toBe(false);
    },
  );
});
