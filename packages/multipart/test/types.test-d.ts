import { describe, expectTypeOf, it } from 'vitest';
import type { FormOf, PartRule, StoredFile, UploadedFile } from '../src/index.js';

const rules = {
  title: { kind: 'field', required: true, maxCount: 1 },
  photo: { kind: 'file', required: true, maxCount: 1, mediaTypes: ['image/*'] },
  tags: { kind: 'field', maxCount: 5 },
  scan: { kind: 'file' },
  any: { maxCount: 1 },
  details: { json: true, kind: 'field', required: true },
} as const;

describe('FormOf', () => {
  it('has the values that the rules guarantee', () => {
    expectTypeOf<{
      [Name in keyof FormOf<typeof rules>]: FormOf<typeof rules>[Name];
    }>().toEqualTypeOf<{
      title: string;
      photo: UploadedFile;
      tags?: string | string[];
      scan?: UploadedFile | UploadedFile[];
      any?: string | UploadedFile;
      details: unknown;
    }>();
  });

  it('has files on disk with tempFiles', () => {
    expectTypeOf<FormOf<typeof rules, StoredFile>['photo']>().toEqualTypeOf<StoredFile>();
  });

  it('promises nothing for rules without literal types', () => {
    const wide: Readonly<Record<string, PartRule>> = rules;
    type Value = string | UploadedFile | undefined;
    expectTypeOf<FormOf<typeof wide>[string]>().toEqualTypeOf<Value | (string | UploadedFile)[]>();
  });
});
