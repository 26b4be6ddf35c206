import { type CustomTypesConfig, types } from 'pg';

const { INT8, TIMESTAMPTZ } = types.builtins;
const parseDate: (text: string) => Date = types.getTypeParser(TIMESTAMPTZ, 'text');

/** Reads columns as the store keeps them: a time as ISO 8601, a count as a number. */
export const TYPES: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return (text: string) => parseDate(text).toISOString();
    if (oid === INT8) return Number;
    return types.getTypeParser(oid, format as 'text');
  },
};
